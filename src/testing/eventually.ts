import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { checkArgument, checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';

/** Options of {@link eventually}. */
export interface EventuallyOptions {
  /** Time after which the check is given up, ms. Default 5000. */
  timeoutMs?: number;
  /** Pause between two tries, ms. Default 10. */
  everyMs?: number;
  /** The clock of the timeout and the pauses. Default: the system clock. */
  clock?: Clock;
  /** Ends the waiting when it aborts. */
  signal?: AbortSignal | undefined;
}

const KNOWN_OPTIONS = {
  timeoutMs: 'number',
  everyMs: 'number',
  clock: 'clock',
  signal: 'signal',
} satisfies KnownOptionsOf<EventuallyOptions>;

/**
 * Repeats a check until it passes, and returns its value. It is for tests of code whose timing the test does not
 * control.
 *
 * A check passes when it does not throw and does not return false, null or undefined. The check always runs at least
 * once. Rejects with an error of code `sync` when the time is over; its cause is the last failure. Rejects with the
 * signal's reason when the signal aborts during a pause.
 * @example
 * await eventually(() => lister.get('shop/web-1') !== undefined, { timeoutMs: 10_000 });
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<NonNullable<T>> {
  checkArgument('eventually', 'check', check, 'function');
  checkOptions('eventually', options, KNOWN_OPTIONS);
  const { timeoutMs = 5000, everyMs = 10, clock = systemClock, signal } = options;
  const until = clock.monotonic() + timeoutMs;
  for (;;) {
    const result = await tryOnce(check);
    if ('value' in result) return result.value;
    if (clock.monotonic() >= until) {
      throw new InformerError('sync', `the check did not pass within ${timeoutMs}ms: ${messageOf(result.error)}`, {
        cause: result.error,
      });
    }
    await clock.sleep(everyMs, { signal });
  }
}

async function tryOnce<T>(check: () => T | Promise<T>): Promise<{ value: NonNullable<T> } | { error: unknown }> {
  try {
    const value = await check();
    if (value !== false && value !== null && value !== undefined) return { value };
    return { error: new Error(`the check returned ${value}`) };
  } catch (error) {
    return { error };
  }
}
