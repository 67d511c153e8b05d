import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';

export interface EventuallyOptions {
  /** How long to go on trying, ms. Default 5000. */
  timeoutMs?: number;
  /** Between two tries, ms. Default 10. */
  everyMs?: number;
  clock?: Clock;
  signal?: AbortSignal | undefined;
}

const KNOWN_OPTIONS = { timeoutMs: 'number', everyMs: 'number', clock: true, signal: 'signal' } satisfies KnownOptionsOf<EventuallyOptions>;

/**
 * Repeats a check until it passes and returns its value: for tests against things that run on their own time. A check passes when it
 * neither throws nor returns false, null or undefined. Rejects with the last failure as the cause when time runs out.
 */
export async function eventually<T>(check: () => T | Promise<T>, options: EventuallyOptions = {}): Promise<NonNullable<T>> {
  checkOptions('eventually', options, KNOWN_OPTIONS);
  const { timeoutMs = 5000, everyMs = 10, clock = systemClock, signal } = options;
  const until = clock.monotonic() + timeoutMs;
  for (;;) {
    const failure = await tryOnce(check);
    if ('value' in failure) return failure.value;
    if (clock.monotonic() >= until) {
      throw new InformerError('sync', `not within ${timeoutMs}ms: ${messageOf(failure.error)}`, { cause: failure.error });
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
