import { readFile } from 'node:fs/promises';
import type { KubeConfig } from '@kubernetes/client-node';
import { abortable } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import { type CredentialHeaders, type CredentialRequest, Credentials } from '../config/cluster-config.ts';
import type { UserEntry } from '../config/kubeconfig-entries.ts';
import type { Replacement } from '../config/kubeconfig-tokens.ts';
import { checkPluginAllowed, pluginPolicyOf } from '../config/kuberc.ts';
import { isLoopback } from '../http/connection-text.ts';
import {
  type Identity,
  kubeConfigOf,
  needsKubeConfig,
  OIDC,
  plainCredentials,
  providerCredentials,
} from './base-credentials.ts';
import { providerExpiry, validUntil } from './credential-lifetime.ts';
import { type ExecCredential, FAILURE_HOLDS_MS, RENEWAL_HOLDS_MS, runExecPlugin } from './exec-plugin.ts';
import { impersonationHeaders } from './impersonation.ts';
import { OidcSource } from './oidc-source.ts';

/** Settings of a {@link CredentialSource}. */
export interface CredentialSourceOptions {
  clock: Clock;
  logger: Logger;
  env: Readonly<Record<string, string | undefined>>;
  interactive: boolean;
  onPluginOutput: (text: string) => void;
  /** Reads the identity again. Called after the server refused the credentials, and before OIDC tokens are renewed. */
  reload: () => Promise<Identity>;
  /** Writes renewed OIDC tokens to the kubeconfig. */
  persist: (replacements: readonly Replacement[]) => Promise<void>;
}

/** A credential from a token file, an OIDC provider or an exec plugin. */
type Own = Pick<ExecCredential, 'token' | 'certificate' | 'key' | 'expiresAt'>;

/**
 * Turns an identity into credentials, and keeps them while they are valid. Concurrent requests read files, run a
 * plugin or renew a token once. Legacy auth providers use client-node's KubeConfig; certificates, tokens, token files,
 * exec plugins, OIDC and impersonation are implemented here. No secret is sent over a network without TLS.
 * Source: client-go tools/clientcmd/client_config.go.
 */
export class CredentialSource {
  readonly #options: CredentialSourceOptions;
  readonly #oidc: OidcSource;
  #identity: Identity;
  #kubeConfig: KubeConfig | undefined;
  #fileToken: { file: string; token: string } | undefined;
  #current: { credentials: Credentials; validUntil: number } | undefined;
  #reading: Reading | undefined;
  #failure: { error: unknown; until: number } | undefined;
  #renewedUntil = 0;

  constructor(identity: Identity, options: CredentialSourceOptions) {
    this.#identity = identity;
    this.#options = options;
    this.#oidc = new OidcSource(options);
  }

  /** The credentials to use now. `rejected`: those that the server refused, which are read again. */
  async get({ rejected, signal }: CredentialRequest = {}): Promise<Credentials> {
    const current = this.#current;
    if (current && current.credentials !== rejected && this.#options.clock.now() < current.validUntil)
      return current.credentials;
    if (current && current.credentials === rejected && this.#options.clock.now() < this.#renewedUntil) return rejected;
    if (this.#failure && this.#options.clock.now() < this.#failure.until) throw this.#failure.error;
    if (!this.#reading || this.#reading.isAbandoned) this.#reading = this.#begin(rejected !== undefined);
    return this.#reading.join(signal);
  }

  #begin(refused: boolean): Reading {
    const reading: Reading = new Reading(async (signal) => {
      try {
        if (refused || (this.#current && usesOidc(this.#identity.user))) await this.#reload();
        this.#current = await this.#read(refused, signal);
        const { user } = this.#identity;
        if (refused && (user.exec || usesOidc(user))) this.#renewedUntil = this.#options.clock.now() + RENEWAL_HOLDS_MS;
        this.#failure = undefined;
        return this.#current.credentials;
      } catch (error) {
        if (!signal.aborted && this.#identity.user.exec)
          this.#failure = { error, until: this.#options.clock.now() + FAILURE_HOLDS_MS };
        throw error;
      } finally {
        if (this.#reading === reading) this.#reading = undefined;
      }
    });
    return reading;
  }

  /** Reads the identity again, because the user may have logged in again. An unreadable kubeconfig changes nothing. */
  async #reload(): Promise<void> {
    try {
      const identity = await this.#options.reload();
      if (JSON.stringify(identity) !== JSON.stringify(this.#identity)) this.#kubeConfig = undefined;
      this.#identity = identity;
    } catch (error) {
      this.#options.logger.warn('cannot read the kubeconfig again', { error: messageOf(error) });
    }
  }

  async #read(refused: boolean, signal: AbortSignal): Promise<{ credentials: Credentials; validUntil: number }> {
    const identity = this.#identity;
    const { cluster, clusterName, user, userName } = identity;
    try {
      const acting = impersonationHeaders(user, userName);
      if (!isSafe(cluster)) return { credentials: new Credentials(acting, {}), validUntil: Number.POSITIVE_INFINITY };
      const base = await this.#base(identity);
      const own = await this.#own(identity, { refused, signal });
      if (own === undefined) checkIsLoggedIn(user, base.headers);
      return {
        credentials: new Credentials(
          { ...base.headers, ...(own?.token === undefined ? {} : bearer(own.token)), ...acting },
          { ...base.tls, ...(own?.certificate && own.key ? { cert: own.certificate, key: own.key } : {}) },
          own?.expiresAt,
        ),
        validUntil: validUntil(
          identity,
          own ? own.expiresAt : providerExpiry(user, base.headers, this.#options.clock.now()),
          this.#options.clock.now(),
        ),
      };
    } catch (cause) {
      if (isInformerError(cause)) throw cause;
      const whose = userName ? `user "${userName}" of ` : '';
      throw new InformerError('config', `cannot use ${whose}cluster "${clusterName}": ${messageOf(cause)}`, { cause });
    }
  }

  async #base(identity: Identity): ReturnType<typeof plainCredentials> {
    if (!needsKubeConfig(identity)) return plainCredentials(identity);
    this.#kubeConfig ??= await kubeConfigOf(identity);
    return providerCredentials(this.#kubeConfig).catch((cause) => providerFailed(identity.user, cause));
  }

  /** The token or certificate from a token file, an OIDC provider or an exec plugin; undefined without any of them. */
  async #own(
    identity: Identity,
    { refused, signal }: { refused: boolean; signal: AbortSignal },
  ): Promise<Own | undefined> {
    const { user, userName, cluster } = identity;
    if (user.tokenFile !== undefined) return { token: await this.#tokenFrom(user.tokenFile, user.token) };
    if (usesOidc(user)) return this.#oidc.token(user['auth-provider']?.config ?? {}, { refused, signal });
    if (user.exec === undefined || identifiesItself(user)) return undefined;
    const { env, interactive, onPluginOutput, logger } = this.#options;
    const policy = await pluginPolicyOf(env, (text) => logger.warn(text));
    checkPluginAllowed(user.exec.command ?? '', policy, env);
    return runExecPlugin(user.exec, { userName, cluster, env, interactive, onStderr: onPluginOutput, signal });
  }

  /** The token of a file, preferred to a token in the kubeconfig. An unreadable file counts with its last content. */
  async #tokenFrom(file: string, fallback: string | undefined): Promise<string> {
    try {
      const token = await tokenIn(file);
      this.#fileToken = { file, token };
      return token;
    } catch (error) {
      const token = this.#fileToken?.file === file ? this.#fileToken.token : fallback;
      if (token === undefined) throw error;
      this.#options.logger.warn('cannot read the token file again', { file, error: messageOf(error) });
      return token;
    }
  }
}

/** One reading of credentials that several callers wait for. It is aborted when the last of them has left. */
class Reading {
  readonly #controller = new AbortController();
  readonly #result: Promise<Credentials>;
  #waiting = 0;

  constructor(read: (signal: AbortSignal) => Promise<Credentials>) {
    this.#result = Promise.resolve().then(() => read(this.#controller.signal));
    this.#result.catch(() => {}); // callers get the error; there may be none left
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

function isSafe({ server }: Identity['cluster']): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === 'https:' || isLoopback(hostname);
}

function usesOidc(user: UserEntry): boolean {
  return user['auth-provider']?.name === OIDC && user.token === undefined && user.tokenFile === undefined;
}

/** Replaces the error of KubeConfig, which is a bare `Cannot read properties of undefined`. */
function providerFailed(user: UserEntry, cause: unknown): never {
  const { name } = user['auth-provider'] ?? {};
  if (name === undefined || isInformerError(cause)) throw cause;
  throw new InformerError('credentials', `auth provider "${name}" gave no token`, { hint: REMOVED_PROVIDERS });
}

const REMOVED_PROVIDERS =
  'kubectl no longer supports providers other than oidc either; use an exec plugin: gke-gcloud-auth-plugin for gcp, kubelogin for azure';

/**
 * Refuses a provider that gave no token. KubeConfig ignores that, and the server would answer that `system:anonymous`
 * may not do this.
 */
function checkIsLoggedIn(user: UserEntry, headers: CredentialHeaders): void {
  const { name } = user['auth-provider'] ?? {};
  if (name === undefined || headers.authorization !== undefined) return;
  throw new InformerError('credentials', `auth provider "${name}" gave no token`, {
    hint: REMOVED_PROVIDERS,
  });
}

/** Whether a user needs no plugin, having a token, a password or a certificate. Source: client-go rest/transport.go. */
function identifiesItself(user: UserEntry): boolean {
  return [user.token, user.username, user['client-certificate'], user['client-certificate-data']].some(Boolean);
}
