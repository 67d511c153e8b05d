import { Backoff, type BackoffOptions } from '../../kit/backoff.ts';
import type { Clock } from '../../kit/clock.ts';
import type { RandomSource } from '../../kit/random.ts';
import { statusOf } from '../../model/status.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { REFLECTOR_BACKOFF } from './reflector-options.ts';
import { askedPauseMs } from './watch-fault.ts';
import type { Outcome, WatchState } from './watch-machine.ts';

/** The longest pause for a version that is still valid. A server remembers a version for little more than a minute. */
const RECONNECT_BACKOFF: BackoffOptions = { ...REFLECTOR_BACKOFF, jitter: 0.5, capMs: 4_000 };
/** When a server is back, its clients return within this time, and not all at once. */
const COMING_BACK_MS = 300;
/** The longest wait that is accepted from a Retry-After, ms. */
const LONGEST_RETRY_AFTER_MS = 60_000;
/** A longer wait that the server asked for is reported by a `waiting` event, ms. */
export const LONG_WAIT_MS = 5_000;

/** Settings of {@link RetryPause}. */
export interface RetryPauseOptions {
  readonly source: Pick<ListerWatcher<unknown>, 'whenReachable' | 'whenTurn'>;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly backoff: Partial<BackoffOptions> | undefined;
  /** Called before a long wait that the server asked for. */
  readonly onWaiting: (error: unknown, waitMs: number) => void;
}

/** The pauses of a reflector between an attempt that failed and the next one. */
export class RetryPause {
  readonly #options: RetryPauseOptions;
  readonly #backoff: Backoff;
  /** The back-off for watches that the server refuses while their version is still valid. */
  readonly #reconnects: Backoff;
  /** How often in a row the server was reported to be back and was not. */
  #falseReturns = 0;

  constructor(options: RetryPauseOptions) {
    const { random, backoff } = options;
    this.#options = options;
    this.#backoff = new Backoff({ random, ...REFLECTOR_BACKOFF, ...backoff });
    this.#reconnects = new Backoff({ random, ...RECONNECT_BACKOFF, ...backoff });
  }

  /** The next pause is short again. */
  reset(): void {
    this.#backoff.reset();
    this.#reconnects.reset();
    this.#falseReturns = 0;
  }

  /** Waits until the next attempt should be made. Rejects with the signal's reason. */
  async wait(state: WatchState, outcome: Outcome, next: WatchState, signal: AbortSignal): Promise<void> {
    const { clock, source } = this.#options;
    const now = clock.monotonic();
    const { whenReachable, whenTurn } = source;
    const { fault, error } = outcome.kind === 'failed' ? outcome : { fault: undefined, error: undefined };
    const asked = askedPauseMs(error);
    const code = statusOf(error)?.code;
    const isUnreachable = fault === 'connection' && state.kind !== 'following';
    const isWatch = state.kind === 'listed' && next.kind === 'listed';
    const isRefused = code === 401 || (code !== undefined && code !== 429 && isWatch);
    if (isUnreachable && whenReachable && !(isRefused && whenTurn && this.#falseReturns > 0)) {
      await whenReachable.call(source, { signal });
      const settleMs =
        this.#falseReturns++ === 0 ? this.#options.random() * COMING_BACK_MS : this.#reconnects.next(clock.monotonic());
      await clock.sleep(settleMs, { signal });
      return;
    }
    if (isRefused && whenTurn && asked === 0) {
      await whenTurn.call(source, { signal });
      return;
    }
    const isResuming = next.kind === 'listed' || next.kind === 'probing';
    const isAway = isUnreachable && code === undefined;
    const ladder = isResuming && !isAway && fault !== 'throttled' ? this.#reconnects : this.#backoff;
    const waitMs = Math.max(Math.min(asked, LONGEST_RETRY_AFTER_MS), ladder.next(now));
    if (asked > LONG_WAIT_MS) this.#options.onWaiting(error, waitMs);
    await clock.sleep(waitMs, { signal });
  }
}
