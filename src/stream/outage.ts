import type { ConnectionState, Continuity } from '../informer/watch/ledger.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { ResourceVersion } from '../model/resource-version.ts';

/** As much of a type in a stream as its connections need. */
export interface ConnectedTarget {
  readonly type: ResourceType;
  readonly informer: { readonly continuity: readonly Continuity[] };
  /** Each has one source, or one a name, in this order; undefined or '' = everywhere. */
  readonly namespaces?: readonly string[] | undefined;
  /** Whether nothing is read from that source any more. Absent = none is left out. */
  isLeftOut?(source: number): boolean;
}

/** A source without a connection: a type, in one of its namespaces or in all. */
export interface Outage<T extends ConnectedTarget = ConnectedTarget> {
  readonly target: T;
  /** The namespace, of a source that is limited to one. */
  readonly scope: string | undefined;
  /** When its last stream ended, wall-clock ms. */
  readonly since: number;
  /** How long that is ago, ms. */
  readonly ms: number;
  /** The last version seen. */
  readonly from: ResourceVersion;
  readonly why: Extract<ConnectionState, { state: 'disconnected' }>['why'];
  readonly error: unknown;
  /** Continuity is lost already: a gap is open that a relist has still to close. */
  readonly isGap: boolean;
}

/** A list has just brought everything up to date, and the watch behind it is being opened. */
const OPENING_MS = 2000;

/**
 * The sources that have lost their connection and not found a new one yet. What has never been connected is not among them.
 * Behind a list that was made meanwhile the outage counts from that list.
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

/** The namespace that a source is limited to. A target has the same number of sources in each: one, or one a name. */
export function scopeOf({ namespaces = [], informer }: ConnectedTarget, source: number): string | undefined {
  const perNamespace = Math.max(1, informer.continuity.length / Math.max(1, namespaces.length));
  return namespaces[Math.floor(source / perNamespace)] || undefined;
}

function hasOpenGap({ gaps }: Continuity): boolean {
  const last = gaps.at(-1);
  return last !== undefined && last.to === undefined;
}
