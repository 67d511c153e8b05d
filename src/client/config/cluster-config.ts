import { builtin } from '../../kit/builtin.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { withoutEnd } from '../../kit/without-end.ts';
import { hashOf } from './same-cluster-and-user.ts';

/** The TLS material of a connection: CA, certificate and key. PEM as text or bytes. */
export interface TlsMaterial {
  readonly ca?: string | Uint8Array;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
  readonly pfx?: string | Uint8Array;
  readonly passphrase?: string;
  /** The host name that the server's certificate must have, instead of the host in the URL. */
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Request headers. A header with several values is sent as several lines, as Impersonate-Group requires. */
export type CredentialHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * The headers and TLS material that identify the client to the server at one moment.
 * They are hidden when the object is logged, inspected or converted to JSON.
 */
export class Credentials {
  readonly #headers: CredentialHeaders;
  readonly #tls: TlsMaterial;
  /** A hash of the TLS material. While it stays the same, open connections can be used for further requests. */
  readonly tlsFingerprint: string;
  /** A hash of headers and TLS material. Credentials with the same fingerprint are the same to the server. */
  readonly fingerprint: string;
  /** When they expire, ms since the epoch, as the login plugin or provider that gave them says. Undefined if none does. */
  readonly expiresAt: number | undefined;

  constructor(headers: CredentialHeaders, tls: TlsMaterial, expiresAt?: number) {
    this.#headers = headers;
    this.#tls = tls;
    this.expiresAt = expiresAt;
    this.tlsFingerprint = fingerprintOf(tls);
    this.fingerprint = `${this.tlsFingerprint}.${fingerprintOf(headers)}`;
  }

  get headers(): CredentialHeaders {
    return this.#headers;
  }

  get tls(): TlsMaterial {
    return this.#tls;
  }

  toJSON(): string {
    return '[credentials]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[credentials]';
  }
}

/** The options of one call for credentials. */
export interface CredentialRequest {
  /** Credentials that the server refused. They are read again once, unless newer ones are present already. */
  rejected?: Credentials | undefined;
  signal?: AbortSignal | undefined;
}

/** The login method of a user, and the name of its plugin, file or provider. Never contains a credential. */
export interface LoginMethod {
  readonly kind: 'exec' | 'token' | 'token-file' | 'certificate' | 'provider' | 'password' | 'flag' | 'none';
  readonly of?: string | undefined;
}

/** The server to connect to, the user, and the defaults from kubeconfig and flags. */
export interface ClusterConfig {
  /** The base URL, without a trailing slash. */
  readonly server: string;
  /** The default namespace: from the flag, else from the context, else `default`. */
  readonly namespace: string;
  readonly context: string | undefined;
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  /** The login method, for hints. Undefined if it is not known. */
  readonly login?: LoginMethod | undefined;
  readonly proxyUrl: string | undefined;
  /** Time limit of one request, ms. Undefined = no limit. */
  readonly requestTimeoutMs: number | undefined;
  readonly disableCompression: boolean;
  /**
   * A hash of the server and the user's login, without any credential that could be read from it. Two configs with the
   * same hash lead to the same server as the same user. Undefined if it is not known.
   */
  readonly identity?: string | undefined;
  /**
   * The credentials to use now. A call is cheap while they are valid.
   * Rejects with `credentials` or `config` if there are none.
   */
  credentials(request?: CredentialRequest): Promise<Credentials>;
}

/** Options of {@link createConfig}. */
export interface StaticConfigOptions {
  server: string;
  namespace?: string | undefined;
  token?: string | undefined;
  tls?: TlsMaterial | undefined;
}

/** A config with fixed values, for tests, the sandbox, and programs with their own credentials. Reads no file. */
export function createConfig(options: StaticConfigOptions): ClusterConfig {
  checkOptions('createConfig', options, KNOWN_STATIC_OPTIONS);
  const { server, namespace, token, tls } = options;
  let made: Credentials | undefined; // hashes take their time to load, and a recording needs none
  const credentials = () => {
    made ??= new Credentials(token === undefined ? {} : { authorization: `Bearer ${token}` }, tls ?? {});
    return made;
  };
  return {
    server: withoutEnd(server, '/'),
    namespace: namespace ?? 'default',
    context: undefined,
    cluster: undefined,
    user: undefined,
    proxyUrl: undefined,
    requestTimeoutMs: undefined,
    disableCompression: false,
    get identity() {
      return hashOf([server, credentials().fingerprint]);
    },
    credentials: async () => credentials(),
  };
}

const KNOWN_TLS = {
  ca: true,
  cert: true,
  key: true,
  pfx: true,
  passphrase: 'text',
  servername: 'text',
  rejectUnauthorized: 'boolean',
} satisfies KnownOptionsOf<TlsMaterial>;
const KNOWN_STATIC_OPTIONS = {
  server: 'text',
  namespace: 'text',
  token: 'text',
  tls: KNOWN_TLS,
} satisfies KnownOptionsOf<StaticConfigOptions>;

function fingerprintOf(parts: object): string {
  const hash = builtin.crypto().createHash('sha256');
  for (const [name, value] of Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === undefined) continue;
    const bytes = value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value));
    hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}
