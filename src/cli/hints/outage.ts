import { isInformerError } from '../../kit/error.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { isForbidden, isUnauthorized } from '../../model/status.ts';
import { explainForbidden } from '../session/forbidden.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import { optionsAsFlags } from '../terminal/option-flags.ts';
import { loginHint } from './login.ts';

type Hinted = Pick<WatchTarget, 'type' | 'need' | 'namespaces'>;

/**
 * Hints about an outage while the command goes on: log in again, or get the rule that is missing.
 */
export class OutageHints {
  readonly #session: Pick<Session, 'client' | 'clock' | 'signal' | 'config'>;
  /** The missing rule of each type. It is asked for once. */
  readonly #rules = new Map<ResourceType, Promise<string | undefined>>();

  constructor(session: Pick<Session, 'client' | 'clock' | 'signal' | 'config'>) {
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
    const { expiredHint } = await import('../session/login-expiry.ts');
    const expired = await expiredHint(config, clock.now());
    return expired
      ? `${expired}; new credentials are read by themselves, and the stream goes on`
      : loginHint(config, true);
  }
}
