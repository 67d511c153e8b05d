import { builtin } from '../../kit/builtin.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';

/** What a TLS connection is made with. PEM as text or bytes. */
export interface TlsMaterial {
  readonly ca?: string | Uint8Array;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
  readonly pfx?: string | Uint8Array;
  readonly passphrase?: string;
  /** The name the server's certificate is checked against, instead of the one in the URL. */
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** A header of several values is sent as several lines (Impersonate-Group needs that). */
export type CredentialHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * Who we are to the server, at one moment: headers and TLS material.
 * Its parts do not show when it is logged, printed or turned to JSON.
 */
export class Credentials {
  readonly #headers: CredentialHeaders;
  readonly #tls: TlsMaterial;
  /** Equal for equal TLS material: while it stays, connections may be kept. */
  readonly tlsFingerprint: string;
  /** Equal for credentials that the server cannot tell apart. */
  readonly fingerprint: string;

  constructor(headers: CredentialHeaders, tls: TlsMaterial) {
    this.#headers = headers;
    this.#tls = tls;
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

/** What is asked of a credential source. */
export interface CredentialRequest {
  /** Credentials the server has refused: they are read anew once, unless newer ones are at hand already. */
  rejected?: Credentials | undefined;
  signal?: AbortSignal | undefined;
}

/** What a user logs in with: the way, and the plugin, file or provider it comes from. Never a credential. */
export interface Login {
  readonly kind: 'exec' | 'token' | 'token-file' | 'certificate' | 'provider' | 'password' | 'flag' | 'none';
  readonly of?: string | undefined;
}

/** Which server to talk to, as whom, and what a command line says about defaults. */
export interface ClusterConfig {
  /** The base URL, without a slash at its end. */
  readonly server: string;
  /** The namespace to use where none is named: the flag's, the context's or `default`. */
  readonly namespace: string;
  readonly context: string | undefined;
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  /** How the user logs in, for hints; undefined where it is not known. */
  readonly login?: Login | undefined;
  readonly proxyUrl: string | undefined;
  /** For one request; undefined = no limit. */
  readonly requestTimeoutMs: number | undefined;
  readonly disableCompression: boolean;
  /** The credentials to use now. Rejects with `credentials` or `config` when they cannot be had. Cheap when nothing expired. */
  credentials(request?: CredentialRequest): Promise<Credentials>;
}

/** The parts of a {@link createConfig}. */
export interface StaticConfigOptions {
  server: string;
  namespace?: string | undefined;
  token?: string | undefined;
  tls?: TlsMaterial | undefined;
}

/** A config of fixed parts: what a test, a sandbox or a program with its own credentials uses. Loads nothing. */
export function createConfig(options: StaticConfigOptions): ClusterConfig {
  checkOptions('createConfig', options, KNOWN_STATIC_OPTIONS);
  const { server, namespace, token, tls } = options;
  const credentials = new Credentials(token === undefined ? {} : { authorization: `Bearer ${token}` }, tls ?? {});
  return {
    server: server.replace(/\/+$/, ''),
    namespace: namespace ?? 'default',
    context: undefined,
    cluster: undefined,
    user: undefined,
    proxyUrl: undefined,
    requestTimeoutMs: undefined,
    disableCompression: false,
    credentials: async () => credentials,
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
