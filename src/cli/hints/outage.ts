import type { ClusterConfig } from '../../client/config/cluster-config.ts';
import { isInformerError } from '../../kit/error.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { isForbidden, isUnauthorized } from '../../model/status.ts';
import { explainForbidden } from '../session/forbidden.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { ConfiguredServer } from '../session/session.ts';
import { optionsAsFlags } from '../terminal/option-flags.ts';

type Hinted = Pick<WatchTarget, 'type' | 'need' | 'namespaces'>;

/**
 * Hints about an outage while the command goes on: log in again, or get the rule that is missing.
 */
export class OutageHints {
  readonly #session: ConfiguredServer;
  /** The missing rule of each type. It is asked for once. */
  readonly #rules = new Map<ResourceType, Promise<string | undefined>>();

  constructor(session: ConfiguredServer) {
    this.#session = session;
  }

  /** Undefined where there is nothing but to wait. Never rejects. */
  async of(error: unknown, { type, need, namespaces = [''] }: Hinted): Promise<string | undefined> {
    if (isUnauthorized(error)) return this.#ofLogin();
    if (isInformerError(error, 'credentials') || isInformerError(error, 'config'))
      return error.hint === undefined ? this.#ofLogin() : optionsAsFlags(error.hint);
    if (!isForbidden(error)) return undefined;
    const known =
      this.#rules.get(type) ?? explainForbidden(error, need, namespaces, this.#session).then(({ hint }) => hint);
    this.#rules.set(type, known);
    return known;
  }

  /** The expired part of the credentials, where they show it. */
  async #ofLogin(): Promise<string> {
    const { config, clock } = this.#session;
    const { expiredHint } = await import('../../client/auth/login-expiry.ts');
    const expired = await expiredHint(config, clock.now());
    return expired
      ? `${expired}; new credentials are read by themselves, and the stream goes on`
      : loginHint(config, true);
  }
}

/**
 * Says what to do about a 401, by the way in which the user logs in. It names no credential. `goesOn`: the command itself
 * need not be started again.
 */
export function loginHint({ login, user }: Pick<ClusterConfig, 'login' | 'user'>, goesOn: boolean): string {
  const who = user === undefined ? 'the user' : `user ${JSON.stringify(user)}`;
  const then = goesOn ? '; it is read again by itself, and the stream goes on' : '';
  switch (login?.kind) {
    case 'exec':
      return `the credentials of ${who} come from the plugin ${login.of}: log in again with it${goesOn ? '; it is asked again by itself, and the stream goes on' : ''}`;
    case 'token-file':
      return `the token of ${who} comes from the file ${login.of}: renew it${then}`;
    case 'token':
      return `the token of ${who} has expired or was revoked: log in again, so that the kubeconfig has a new one${then}`;
    case 'flag':
      return 'the server refuses what --token (or --username) gives: start again with a new one';
    case 'certificate':
      return `the client certificate of ${who} has expired, or the server does not trust it: renew it in the kubeconfig${then}`;
    case 'provider':
      return `${who} logs in by ${login.of}: log in again, so that the kubeconfig has new tokens${then}`;
    case 'password':
      return `the server refuses the name and password of ${who}: correct them in the kubeconfig${then}`;
    default:
      return 'the server refused the credentials: log in again, or choose another user with --context or --user';
  }
}
