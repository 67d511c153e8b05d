import type { Continuity } from '../../informer/watch/continuity-ledger.ts';
import { scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { compareResourceVersions, type ResourceVersion } from '../../model/resource-version.ts';

/** How fresh an answer must be. */
export interface Freshness {
  /** The longest time since the cache last proved to be current, ms. Undefined: any. */
  readonly freshMs?: number | undefined;
  /** The version that the cache must have reached. Undefined: any. */
  readonly atLeastRv?: ResourceVersion | undefined;
}

/** The result of comparing a cache with a new list. */
export interface Confirmation {
  /** The version of the list. */
  readonly resourceVersion: ResourceVersion;
  /** The number of objects that the cache has in another version, or that only one of the two has. */
  readonly differing: number;
}

/** The part of an informer that proves how fresh its cache is. */
export interface ProvableCache {
  readonly name: string;
  /** One for each source. A source without a sign of life is left out of the cache, and is not looked at. */
  readonly continuity: readonly Pick<Continuity, 'ageMs' | 'resourceVersion' | 'lastSignOfLife' | 'connection'>[];
  /** Resolves at the next event, bookmark or list of any source. */
  whenProven(signal: AbortSignal): Promise<void>;
  /** Resolves when all that has arrived is in the cache. */
  whenApplied(signal: AbortSignal): Promise<void>;
  /** Compares each source with its most recent state. An agreement is a proof. */
  confirm(signal: AbortSignal): Promise<readonly Confirmation[]>;
}

/** Why a cache is not as fresh as it must be. */
export interface NotFresh<C extends ProvableCache = ProvableCache> {
  readonly cache: C;
  /** The last comparison; undefined if there was none. */
  readonly confirmed: readonly Confirmation[] | undefined;
  /** Why the last comparison failed. */
  readonly error: unknown;
}

export interface FreshnessOptions {
  readonly clock: Clock;
  /** How long to wait at most, ms. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Whether the caches follow a stream. One that does not cannot catch up, and is given up when it differs. */
  readonly follows: boolean;
}

/** How long an event or a bookmark is waited for before the server is asked, ms. */
const PATIENCE_MS = 500;

/** The pauses between two comparisons, ms. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;

/** Whether every source of a cache is as fresh as it must be, as far as is known. */
export function isFresh({ continuity }: Pick<ProvableCache, 'continuity'>, { freshMs, atLeastRv }: Freshness): boolean {
  return continuity
    .filter(({ lastSignOfLife }) => lastSignOfLife !== undefined)
    .every(
      ({ ageMs = 0, resourceVersion }) =>
        (freshMs === undefined || ageMs <= freshMs) && hasReached(resourceVersion, atLeastRv),
    );
}

/**
 * Whether a version is at least as new as another of its type. Versions that are no numbers can only be equal. '0' is
 * any version.
 */
export function hasReached(version: ResourceVersion, atLeast: ResourceVersion | undefined): boolean {
  if (atLeast === undefined || atLeast === '0' || version === atLeast) return true;
  const order = compareResourceVersions(version, atLeast);
  return order !== undefined && order >= 0;
}

/**
 * Waits until caches are as fresh as they must be. Where they are already, nothing is asked and nothing waits. Else a
 * sign of the stream is waited for shortly; then the most recent state is listed, as metadata, and compared by name, uid
 * and version. An agreement proves the cache to be current, at the version of the list. Where they differ, or the server
 * itself has not reached the version, this is repeated with growing pauses. Resolves with the caches that are still not
 * fresh after `limitMs`; with none if all are. Rejects with the signal's reason.
 */
export async function ensureFresh<C extends ProvableCache>(
  caches: readonly C[],
  wish: Freshness,
  options: FreshnessOptions,
): Promise<NotFresh<C>[]> {
  const all = await Promise.all(caches.map((cache) => freshen(cache, wish, options)));
  return all.filter((each) => each !== undefined);
}

async function freshen<C extends ProvableCache>(
  cache: C,
  wish: Freshness,
  { clock, limitMs, signal, follows }: FreshnessOptions,
): Promise<NotFresh<C> | undefined> {
  const until = clock.monotonic() + limitMs;
  const left = () => Math.max(0, until - clock.monotonic());
  using limit = scope(signal);
  using _timer = clock.after(limitMs, () => limit.abort());
  let confirmed: readonly Confirmation[] | undefined;
  let error: unknown;
  try {
    if (
      await becomesFresh(cache, wish, { clock, ms: follows ? Math.min(PATIENCE_MS, left()) : 0, signal: limit.signal })
    )
      return undefined;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, 2 * pause)) {
      try {
        confirmed = await cache.confirm(limit.signal);
        error = undefined;
        const agrees = confirmed.every(({ differing }) => differing === 0);
        if (agrees && confirmed.every(({ resourceVersion }) => hasReached(resourceVersion, wish.atLeastRv)))
          return undefined;
        if (!agrees && !follows) return { cache, confirmed, error };
      } catch (failed) {
        if (limit.signal.aborted) throw failed;
        error = failed;
      }
      if (await becomesFresh(cache, wish, { clock, ms: pause, signal: limit.signal })) return undefined;
    }
  } catch (failed) {
    if (signal.aborted) throw signal.reason;
    if (!limit.signal.aborted) throw failed;
    return isFresh(cache, wish) ? undefined : { cache, confirmed, error };
  }
}

/** Waits for signs of the stream until they make the cache fresh, for `ms` at most. */
async function becomesFresh(
  cache: ProvableCache,
  wish: Freshness,
  { clock, ms, signal }: { clock: Clock; ms: number; signal: AbortSignal },
): Promise<boolean> {
  using waiting = scope(signal);
  using _timer = clock.after(ms, () => waiting.abort());
  while (!isFresh(cache, wish)) {
    try {
      await cache.whenProven(waiting.signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return false;
    }
  }
  await cache.whenApplied(signal);
  return true;
}
