import type { Clock } from '../kit/clock.ts';
import { systemClock } from '../kit/clock.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import type { Random } from '../kit/random.ts';
import { isConflict } from '../model/status.ts';

export interface RetryBackoff {
  /** How often the operation is tried in all. */
  readonly steps: number;
  /** First pause, ms. */
  readonly initialMs: number;
  readonly factor: number;
  /** Each pause d is drawn from [d, d + jitter·d). */
  readonly jitter: number;
}

/** For operations that one of several writers will win soon. Source: client-go util/retry. */
export const DEFAULT_RETRY: RetryBackoff = { steps: 5, initialMs: 10, factor: 1, jitter: 0.1 };
/** For operations contended by writers that take their time. Source: client-go util/retry. */
export const DEFAULT_BACKOFF: RetryBackoff = { steps: 4, initialMs: 10, factor: 5, jitter: 0.1 };

export interface RetryOptions {
  backoff?: RetryBackoff | undefined;
  clock?: Clock | undefined;
  random?: Random | undefined;
  signal?: AbortSignal | undefined;
}

const KNOWN_OPTIONS = {
  backoff: { steps: 'number', initialMs: 'number', factor: 'number', jitter: 'number' },
  clock: true,
  random: 'function',
  signal: 'signal',
} satisfies KnownOptionsOf<RetryOptions>;

/**
 * Tries an operation again while it fails in a way that `isRetriable` accepts; read what you change inside of it, so that each try works on
 * the present state. Rejects with the last error when the tries are used up, with any other error at once, and with the signal's reason.
 * Source: client-go util/retry.OnError.
 */
export async function retryOnError<T>(
  operation: () => Promise<T>,
  isRetriable: (error: unknown) => boolean,
  options: RetryOptions = {},
): Promise<T> {
  checkOptions('retryOnError', options, KNOWN_OPTIONS);
  const { backoff = DEFAULT_RETRY, clock = systemClock, random = Math.random, signal } = options;
  let pauseMs = backoff.initialMs;
  for (let step = 1; ; step++) {
    try {
      return await operation();
    } catch (error) {
      if (step >= backoff.steps || !isRetriable(error)) throw error;
    }
    await clock.sleep(pauseMs + pauseMs * backoff.jitter * random(), { signal });
    pauseMs *= backoff.factor;
  }
}

/** {@link retryOnError} for 409 Conflict: somebody else wrote the object in between. Source: client-go util/retry.RetryOnConflict. */
export function retryOnConflict<T>(operation: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  return retryOnError(operation, isConflict, options);
}
