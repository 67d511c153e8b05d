import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import type { ObjectKey } from '../model/key.ts';
import { hasMetadata } from '../model/object.ts';

/** What the cache and a fresh list disagree about, keys ascending. All empty: they agree. */
export interface Drift {
  /** On the server, not in the cache. */
  readonly missing: readonly ObjectKey[];
  /** In the cache, not on the server. */
  readonly extra: readonly ObjectKey[];
  /** In both, but of another version or uid. */
  readonly stale: readonly ObjectKey[];
}

export interface VerifierOptions<T> {
  /** The part of the cache that the lists speak for. */
  cached: () => Iterable<readonly [ObjectKey, T]>;
  get: (key: ObjectKey) => T | undefined;
  /** The most recent state, as the cache would keep it. */
  list: (signal: AbortSignal) => Promise<readonly (readonly [ObjectKey, T])[]>;
  /** Whether changes that arrived still wait to be brought into the cache: then nothing can be said. */
  isBehind: () => boolean;
  clock: Clock;
  /** How long the stream has to deliver what the list already showed, ms. */
  graceMs: number;
}

/** The cache was found to differ from the server for good. */
class DriftError extends InformerError {
  readonly drift: Drift;

  constructor(name: string, drift: Drift) {
    super('store', `the cache of ${name} differs from the server: ${describe(drift)}`, { hint: 'it is listed anew' });
    this.drift = drift;
  }
}

export const isDrift = (error: unknown): error is DriftError => error instanceof DriftError;

export function driftError(name: string, drift: Drift): InformerError {
  return new DriftError(name, drift);
}

export function isInAgreement({ missing, extra, stale }: Drift): boolean {
  return missing.length + extra.length + stale.length === 0;
}

/**
 * Holds a cache that a stream keeps against fresh lists. A list and a stream are never at the same moment, so a difference counts only if
 * the cache has held its side of it since before the list, still does when the stream has had time to catch up, and a second list says the
 * same as the first. What merely lags, or changes all the while, is no drift.
 */
export async function findDrift<T>(options: VerifierOptions<T>, signal: AbortSignal): Promise<Drift> {
  const { cached, get, list, isBehind, clock, graceMs } = options;
  const before = new Map(cached());
  const fresh = marksOf(await list(signal));
  let suspects = [...new Set([...before.keys(), ...fresh.keys()])].filter((key) => markOf(before.get(key)) !== fresh.get(key));
  const isUntouched = (key: ObjectKey) => get(key) === before.get(key);
  if (suspects.length > 0) {
    await clock.sleep(graceMs, { signal });
    suspects = suspects.filter(isUntouched);
  }
  if (suspects.length > 0) {
    const again = marksOf(await list(signal));
    suspects = suspects.filter((key) => isUntouched(key) && again.get(key) === fresh.get(key));
  }
  if (isBehind()) suspects = [];
  suspects.sort();
  return {
    missing: suspects.filter((key) => !before.has(key)),
    extra: suspects.filter((key) => !fresh.has(key)),
    stale: suspects.filter((key) => before.has(key) && fresh.has(key)),
  };
}

function marksOf(objects: readonly (readonly [ObjectKey, unknown])[]): Map<ObjectKey, string | undefined> {
  return new Map(objects.map(([key, object]) => [key, markOf(object)]));
}

/** Which object in which version; what a transform has taken off both sides is not compared. */
function markOf(object: unknown): string | undefined {
  if (object === undefined) return undefined;
  return hasMetadata(object) ? `${object.metadata.uid ?? ''} ${object.metadata.resourceVersion ?? ''}` : '';
}

const MOST_NAMED = 3;

function describe(drift: Drift): string {
  const parts = (['missing', 'extra', 'stale'] as const).filter((kind) => drift[kind].length > 0);
  return parts
    .map((kind) => {
      const keys = drift[kind];
      const more = keys.length > MOST_NAMED ? ' …' : '';
      return `${keys.length} ${kind} (${keys.slice(0, MOST_NAMED).join(', ')}${more})`;
    })
    .join(', ');
}
