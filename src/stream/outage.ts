import type { ConnectionState, Continuity } from '../informer/watch/continuity-ledger.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { ResourceVersion } from '../model/resource-version.ts';

/** The part of a stream's target that concerns its connections. */
export interface ConnectedTarget {
  readonly type: ResourceType;
  readonly informer: { readonly continuity: readonly Continuity[] };
  /**
   * The namespaces that are watched; undefined or '' = all namespaces. The sources of the informer are in this order:
   * one per namespace, or one per namespace and name.
   */
  readonly namespaces?: readonly string[] | undefined;
  /** Whether the stream does not read from a source any more. Absent = it reads from all of them. */
  isLeftOut?(source: number): boolean;
}

/** A source that has lost its connection: a type, in one namespace or in all namespaces. */
export interface Outage<T extends ConnectedTarget = ConnectedTarget> {
  readonly target: T;
  /** The namespace of the source; undefined for a source of all namespaces. */
  readonly scope: string | undefined;
  /** The time at which its last watch ended, ms since 1970. */
  readonly since: number;
  /** The duration of the outage so far, ms. */
  readonly ms: number;
  /** The last resource version that was seen. */
  readonly from: ResourceVersion;
  /** How the last watch ended, or why the next one cannot be opened. */
  readonly why: Extract<ConnectionState, { state: 'disconnected' }>['why'];
  readonly error: unknown;
  /** Whether events may already be missing: there is a gap that a relist has not closed yet. */
  readonly isGap: boolean;
}

/** For this time after a relist, ms, a missing watch is not an outage: it is being opened. */
const OPENING_MS = 2000;

/**
 * The sources that have lost their connection and have no new one yet. A source that was never connected is not an
 * outage. If a relist has succeeded meanwhile, the outage starts at that list.
 */
export function outagesOf<T extends ConnectedTarget>(targets: readonly T[], now: number): Outage<T>[] {
  return targets.flatMap((target) =>
    target.informer.continuity.flatMap((continuity, i) => {
      const { connection } = continuity;
      if (connection.state !== 'disconnected' || target.isLeftOut?.(i)) return [];
      const { why, error } = connection;
      const relisted = continuity.stretches.findLast(({ by, at }) => by === 'relist' && at >= connection.since);
      if (relisted && now - relisted.at < OPENING_MS) return [];
      const since = relisted?.at ?? connection.since;
      const from = relisted?.to ?? connection.from;
      const scope = scopeOf(target, i);
      return [{ target, scope, since, ms: Math.max(0, now - since), from, why, error, isGap: hasOpenGap(continuity) }];
    }),
  );
}

/**
 * The namespace of a source; undefined if the source is for all namespaces. `source` is its index. Each namespace of a
 * target has the same number of sources.
 */
export function scopeOf({ namespaces = [], informer }: ConnectedTarget, source: number): string | undefined {
  const perNamespace = informer.continuity.length / namespaces.length;
  return namespaces[Math.floor(source / perNamespace)] || undefined;
}

function hasOpenGap({ gaps }: Continuity): boolean {
  const last = gaps.at(-1);
  return last !== undefined && last.to === undefined;
}
