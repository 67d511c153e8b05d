import { readFile } from 'node:fs/promises';
import type { KubeConfig } from '@kubernetes/client-node';
import { abortable } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError, isInformerError, messageOf } from '../kit/error.ts';
import type { Logger } from '../kit/logger.ts';
import { baseCredentials, type Identity, kubeConfigOf } from './base-credentials.ts';
import { type CredentialHeaders, type CredentialRequest, Credentials } from './cluster-config.ts';
import { type ExecCredential, runExecPlugin } from './exec-plugin.ts';
import { impersonationHeaders } from './impersonation.ts';
import type { ClusterEntry, UserEntry } from './kubeconfig-file.ts';

/** What a {@link CredentialSource} works with. */
export interface CredentialSourceOptions {
  clock: Clock;
  logger: Logger;
  env: Readonly<Record<string, string | undefined>>;
  interactive: boolean;
  onPluginOutput: (text: string) => void;
  /** Reads the identity anew, after the server refused what it gave. */
  reload: () => Promise<Identity>;
}

/** Files (tokens, certificates) are read again after this long. Source: client-go transport/token_source.go. */
const FILES_FRESH_MS = 60_000;
/** What expires is renewed before it does: a tenth of its life ahead, at most this. */
const MOST_SLACK_MS = 30_000;

/**
 * Turns an identity into credentials and keeps them while they hold: many requests at once read files or run a plugin once.
 * Certificates, CA, tokens, basic auth and OIDC are client-node's KubeConfig's; token files, exec plugins and full impersonation are ours.
 */
export class CredentialSource {
  readonly #options: CredentialSourceOptions;
  #identity: Identity;
  #kubeConfig: KubeConfig | undefined;
  #current: { credentials: Credentials; validUntil: number } | undefined;
  #reading: Reading | undefined;

  constructor(identity: Identity, options: CredentialSourceOptions) {
    this.#identity = identity;
    this.#options = options;
  }

  async get({ rejected, signal }: CredentialRequest = {}): Promise<Credentials> {
    const current = this.#current;
    if (current && current.credentials !== rejected && this.#options.clock.now() < current.validUntil) return current.credentials;
    if (!this.#reading || this.#reading.isAbandoned) this.#reading = this.#begin(rejected !== undefined);
    return this.#reading.join(signal);
  }

  #begin(refused: boolean): Reading {
    const reading: Reading = new Reading(async (signal) => {
      try {
        if (refused) await this.#reload();
        this.#current = await this.#read(signal);
        return this.#current.credentials;
      } finally {
        if (this.#reading === reading) this.#reading = undefined;
      }
    });
    return reading;
  }

  /** The user may have logged in anew meanwhile. An unreadable kubeconfig keeps what we have. */
  async #reload(): Promise<void> {
    try {
      const identity = await this.#options.reload();
      if (JSON.stringify(identity) !== JSON.stringify(this.#identity)) this.#kubeConfig = undefined;
      this.#identity = identity;
    } catch (error) {
      this.#options.logger.warn('cannot read the kubeconfig again', { error: messageOf(error) });
    }
  }

  async #read(signal: AbortSignal): Promise<{ credentials: Credentials; validUntil: number }> {
    const identity = this.#identity;
    const { user } = identity;
    try {
      this.#kubeConfig ??= await kubeConfigOf(identity);
      const base = await baseCredentials(this.#kubeConfig);
      const fileToken = user.token === undefined && user.tokenFile !== undefined ? await tokenIn(user.tokenFile) : undefined;
      const plugin = user.exec && !identifiesItself(user) ? await this.#runPlugin(identity, signal) : undefined;
      const token = plugin?.token ?? fileToken;
      return {
        credentials: new Credentials(
          { ...base.headers, ...(token === undefined ? {} : bearer(token)), ...impersonationHeaders(user, identity.userName) },
          { ...base.tls, ...(plugin?.certificate && plugin.key ? { cert: plugin.certificate, key: plugin.key } : {}) },
        ),
        validUntil: this.#validUntil(identity, plugin, base.headers),
      };
    } catch (cause) {
      if (isInformerError(cause)) throw cause;
      throw new InformerError(
        'config',
        `cannot use ${identity.userName ? `user "${identity.userName}" of ` : ''}cluster "${identity.clusterName}": ${messageOf(cause)}`,
        { cause },
      );
    }
  }

  #runPlugin({ user, userName, cluster }: Identity, signal: AbortSignal): Promise<ExecCredential> {
    const { env, interactive, onPluginOutput } = this.#options;
    return runExecPlugin(user.exec ?? {}, { userName, cluster, env, interactive, onStderr: onPluginOutput, signal });
  }

  #validUntil({ user, cluster }: Identity, plugin: ExecCredential | undefined, headers: CredentialHeaders): number {
    const now = this.#options.clock.now();
    const ends = [Number.POSITIVE_INFINITY];
    if (readsFiles(user, cluster)) ends.push(now + FILES_FRESH_MS);
    if (plugin?.expiresAt !== undefined) ends.push(withSlack(plugin.expiresAt, now));
    if (user['auth-provider']) ends.push(withSlack(jwtExpiry(headers.authorization) ?? now + FILES_FRESH_MS, now));
    return Math.min(...ends);
  }
}

/** One reading that several callers wait for. When the last of them has given up, it is broken off. */
class Reading {
  readonly #controller = new AbortController();
  readonly #result: Promise<Credentials>;
  #waiting = 0;

  constructor(read: (signal: AbortSignal) => Promise<Credentials>) {
    this.#result = Promise.resolve().then(() => read(this.#controller.signal));
    this.#result.catch(() => {}); // all who wait hear it; nobody may be left
  }

  get isAbandoned(): boolean {
    return this.#controller.signal.aborted;
  }

  async join(signal: AbortSignal | undefined): Promise<Credentials> {
    this.#waiting++;
    try {
      return await abortable(this.#result, signal);
    } finally {
      if (--this.#waiting === 0) this.#controller.abort();
    }
  }
}

async function tokenIn(file: string): Promise<string> {
  const token = (await readFile(file, 'utf8')).trim();
  if (token === '') throw new InformerError('credentials', `token file ${file} is empty`);
  return token;
}

function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** Whoever has a token, a password or a certificate needs no plugin. Source: client-go transport config, rest/transport.go. */
function identifiesItself(user: UserEntry): boolean {
  return [user.token, user.tokenFile, user.username, user['client-certificate'], user['client-certificate-data']].some(Boolean);
}

function readsFiles(user: UserEntry, cluster: ClusterEntry): boolean {
  return [user.tokenFile, user['client-certificate'], user['client-key'], cluster['certificate-authority']].some(Boolean);
}

function withSlack(expiresAt: number, now: number): number {
  return expiresAt - Math.min(MOST_SLACK_MS, Math.max(0, expiresAt - now) / 10);
}

/** When a bearer token that is a JWT ends, ms; KubeConfig miscounts this after its first refresh. */
function jwtExpiry(authorization: string | readonly string[] | undefined): number | undefined {
  const payload = typeof authorization === 'string' ? authorization.split('.')[1] : undefined;
  if (payload === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
