import type { Clock } from '../../kit/clock.ts';
import { systemClock } from '../../kit/clock.ts';
import { causesOf } from '../../kit/error.ts';
import { checkArgument, checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import type { RandomSource } from '../../kit/random.ts';
import { surroundingsOf } from '../../kit/surroundings.ts';
import { isConflict } from '../../model/status.ts';

/** The pauses between tries. */
export interface RetryBackoff {
  /** The number of tries in all. */
  readonly steps: number;
  /** The first pause, ms. */
  readonly initialMs: number;
  /** The factor by which each pause is longer than the one before. */
  readonly factor: number;
  /** A pause of d ms is drawn from [d, d + jitter·d). */
  readonly jitter: number;
}

/** For conflicts between writers that are quickly done. Source: client-go util/retry. */
export const DEFAULT_RETRY: RetryBackoff = { steps: 5, initialMs: 10, factor: 1, jitter: 0.1 };
/** For conflicts between writers that take longer. Source: client-go util/retry. */
export const DEFAULT_BACKOFF: RetryBackoff = { steps: 4, initialMs: 10, factor: 5, jitter: 0.1 };

/** Options of {@link retryOnConflict} and {@link retryOnError}. */
export interface RetryOptions {
  backoff?: RetryBackoff | undefined;
  clock?: Clock | undefined;
  random?: RandomSource | undefined;
  signal?: AbortSignal | undefined;
}

const KNOWN_OPTIONS = {
  backoff: { steps: 'number', initialMs: 'number', factor: 'number', jitter: 'number' },
  clock: 'clock',
  random: 'function',
  signal: 'signal',
} satisfies KnownOptionsOf<RetryOptions>;

/**
 * Retries an operation while it fails with an error that `isRetriable` accepts. The operation should read what it
 * changes, so that each try works on the present state. Without a `clock`, the pauses are measured by that of the client
 * whose request failed. Rejects with the last error after the last try, with any other
 * error at once, and with the signal's reason. Source: client-go util/retry.OnError.
 */
export async function retryOnError<T>(
  operation: () => Promise<T>,
  isRetriable: (error: unknown) => boolean,
  options: RetryOptions = {},
): Promise<T> {
  checkArgument('retryOnError', 'the operation', operation, 'function');
  checkArgument('retryOnError', 'isRetriable', isRetriable, 'function');
  checkOptions('retryOnError', options, KNOWN_OPTIONS);
  const { backoff = DEFAULT_RETRY, random = Math.random, signal } = options;
  let { clock } = options;
  let pauseMs = backoff.initialMs;
  for (let step = 1; ; step++) {
    try {
      return await operation();
    } catch (error) {
      if (step >= backoff.steps || !isRetriable(error)) throw error;
      clock ??= clockOf(error);
    }
    await clock.sleep(pauseMs + pauseMs * backoff.jitter * random(), { signal });
    pauseMs *= backoff.factor;
  }
}

/** The clock of the client whose request failed; else the system's. */
function clockOf(error: unknown): Clock {
  for (const cause of causesOf(error)) {
    const { clock } = surroundingsOf(cause);
    if (clock) return clock;
  }
  return systemClock;
}

/**
 * Retries on 409 Conflict, after another writer changed the object. Source: client-go util/retry.RetryOnConflict.
 *
 * @example
 * const apps = client.resource(DEPLOYMENTS, { namespace: 'shop' });
 * await retryOnConflict(async () => {
 *   const web = await apps.get('web', { signal });
 *   await apps.update({ ...web, metadata: { ...web.metadata, labels: { team: 'shop' } } });
 * });
 */
export function retryOnConflict<T>(operation: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  return retryOnError(operation, isConflict, options);
}
