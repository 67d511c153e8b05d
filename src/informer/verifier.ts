import type { Clock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import type { ObjectKey } from '../model/key.ts';
import { hasMetadata } from '../model/object.ts';

/** The keys on which the cache and a fresh list differ, ascending. All empty when they agree. */
export interface Drift {
  /** Keys on the server that are not in the cache. */
  readonly missing: readonly ObjectKey[];
  /** Keys in the cache that are not on the server. */
  readonly extra: readonly ObjectKey[];
  /** Keys in both, with different versions or uids. */
  readonly stale: readonly ObjectKey[];
}

/** How long a stream may lag behind a list before a difference counts, ms. */
export const VERIFY_GRACE_MS = 10_000;

export interface VerifierOptions<T> {
  /** The part of the cache that the lists cover. */
  cached: () => Iterable<readonly [ObjectKey, T]>;
  get: (key: ObjectKey) => T | undefined;
  /** Lists the most recent state, in the form in which the cache stores it. */
  list: (signal: AbortSignal) => Promise<readonly (readonly [ObjectKey, unknown])[]>;
  /** Whether changes have arrived that are not in the cache yet. Then no difference counts. */
  isBehind: () => boolean;
  clock: Clock;
  /** How long the stream may lag behind the list, ms. */
  graceMs: number;
}

/** The cache differs from the server, and not only for a moment. */
class DriftError extends InformerError {
  constructor(text: string, cause?: unknown) {
    super('store', text, { hint: 'the informer lists it again', cause });
  }
}

export const isDrift = (error: unknown): error is DriftError => error instanceof DriftError;

export function driftError(name: string, drift: Drift): InformerError {
  return new DriftError(`the cache of ${name} differs from the server: ${describe(drift)}`);
}

/** A cache began with a stored state that could not be compared with the server. */
export function unverifiedError(name: string, cause: unknown): InformerError {
  const text = `the stored state of ${name} could not be compared with the server: ${messageOf(cause)}`;
  return new DriftError(text, cause);
}

/** Cached objects cannot be read, so that only the most recent state will do. */
export function unreadableError(name: string, cause: unknown): InformerError {
  return new DriftError(`the cache of ${name} cannot be read: ${messageOf(cause)}`, cause);
}

export function isInAgreement({ missing, extra, stale }: Drift): boolean {
  return missing.length + extra.length + stale.length === 0;
}

/**
 * Compares a cache that a stream keeps up to date with fresh lists.
 * A list and a stream never show the same moment. So a difference counts only when the cached object has been the same
 * since before the list, is still the same when the stream has had time to catch up, and a second list agrees with the
 * first. Objects that merely lag, or that change all the time, do not count.
 */
export async function findDrift<T>(options: VerifierOptions<T>, signal: AbortSignal): Promise<Drift> {
  const { cached, get, list, isBehind, clock, graceMs } = options;
  const before = new Map(cached());
  const fresh = marksOf(await list(signal));
  let suspects = [...new Set([...before.keys(), ...fresh.keys()])].filter(
    (key) => markOf(before.get(key)) !== fresh.get(key),
  );
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

export function marksOf(objects: readonly (readonly [ObjectKey, unknown])[]): Map<ObjectKey, string | undefined> {
  return new Map(objects.map(([key, object]) => [key, markOf(object)]));
}

/**
 * The identity of an object: its uid and version. Other parts are not compared, because a transform may have removed
 * them.
 */
export function markOf(object: unknown): string | undefined {
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
