import type { OrderedContinuity } from '../informer/watch/continuity-ledger.ts';
import { shardingOf } from '../informer/watch/sharded-source.ts';
import { formatGvr } from '../model/gvr.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { Shard } from '../model/shard.ts';
import type { Outage } from './outage.ts';
import type { Loss } from './overflow/backlog.ts';

/**
 * Records of a stream that are not events: `--markers`. They are for readers that must know whether events may be
 * missing. Events and markers have one sequence of numbers without gaps. A marker is written at the position at which
 * it happened:
 *
 * - `SYNCED`: after the last event of the initial list of a type.
 * - `GAP`: after every event that was seen before the gap.
 * - `RELISTED`: after every event of the new list. From there on the events of the type are complete again.
 * - `DISCONNECTED`: after the last event before the connection was lost.
 * - `RESUMED`: before the first event of the next connection.
 * - `END`: last.
 *
 * Between `GAP` and `RELISTED` of a type, its changes are known by their result only, with `cause: "relist"`. Order is
 * kept per object, and between the events of one type. Between types, and between the namespaces of one type, it is the
 * order of arrival.
 */
export type Marker = SyncedMarker | ContinuityMarker | EndMarker;
export type ContinuityMarker = GapMarker | RelistedMarker | DisconnectedMarker | ResumedMarker;

interface Stamped {
  readonly seq: number;
  readonly time: string;
}

/** The initial list of a type has been shown. */
export interface SyncedMarker extends Stamped {
  readonly type: 'SYNCED';
  readonly gvr: string;
  /** The name of the cluster; absent where there is only one. */
  readonly cluster?: string;
  /** The number of objects in the list, shown or not. */
  readonly objects: number;
  /** Which part of the objects it is. Absent: all. */
  readonly shard?: Required<Shard>;
  /** The version of the list, or an older one. Absent for a type that is watched in several namespaces. */
  readonly resourceVersion?: string;
}

/**
 * From here on events may be missing: those of `gvr`, until the next RELISTED. With the reason `dropped`, events are
 * missing at this position. With `coalesced`, each event until the reader has caught up may be the result of several.
 */
export interface GapMarker extends Stamped {
  readonly type: 'GAP';
  /** Absent when the gap is in the whole stream, or in all types of the cluster. */
  readonly gvr?: string;
  /** The name of the cluster; absent where there is only one. */
  readonly cluster?: string;
  readonly namespace?: string;
  /**
   * How the watch ended (`gone`, `too-large`, …). `dropped` or `coalesced`: by --overflow. `disconnected`: the stream
   * ended without a connection. `forbidden`: the user may not read this type, and the stream has nothing of it.
   * `unreachable`: a cluster cannot be reached at the start. `unserved`: a cluster does not have the types.
   */
  readonly reason: string;
  /** The last version seen before the gap. */
  readonly from?: string;
  /** The losses, if they are known. */
  readonly lost?: { readonly events: number; readonly objects?: number };
}

/** The type was listed again. */
export interface RelistedMarker extends Stamped {
  readonly type: 'RELISTED';
  readonly gvr: string;
  /** The name of the cluster; absent where there is only one. */
  readonly cluster?: string;
  readonly namespace?: string;
  readonly reason: string;
  /** The last version seen before the list. */
  readonly from: string;
  /** The version of the list. */
  readonly to: string;
  /** The number of objects in the list. */
  readonly objects: number;
}

/** The connection was lost: from here on no change of the type is seen until the next RESUMED, if there is one. */
export interface DisconnectedMarker extends Stamped {
  readonly type: 'DISCONNECTED';
  readonly gvr: string;
  /** The name of the cluster; absent where there is only one. */
  readonly cluster?: string;
  readonly namespace?: string;
  /** How the watch ended, or why the next one could not be opened. */
  readonly reason: string;
  /** The last version seen. */
  readonly from: string;
  /** The time at which the watch ended. For a watch that fell silent: the time of its last byte. */
  readonly since: string;
}

/** There is a connection again. */
export interface ResumedMarker extends Stamped {
  readonly type: 'RESUMED';
  readonly gvr: string;
  /** The name of the cluster; absent where there is only one. */
  readonly cluster?: string;
  readonly namespace?: string;
  /** How the previous watch ended. */
  readonly reason: string;
  /** `resume`: at the version at which the last watch ended. `relist`: after the RELISTED before this marker. */
  readonly by: 'resume' | 'relist';
  /** The version at which the new watch starts. */
  readonly from: string;
  /** The time at which the connection was lost. */
  readonly since: string;
  /** The time without a connection, ms. */
  readonly downMs: number;
  /** With `resume`: whether it is proven that nothing was missed. False = not known yet. */
  readonly proven?: boolean;
}

/** The last record of a stream. */
export interface EndMarker extends Stamped {
  readonly type: 'END';
  readonly reason: string;
  readonly exitCode: number;
  readonly summary: EndCounts;
  /** The types that had no connection at the end; absent when all had one. */
  readonly disconnected?: readonly DisconnectedAtEnd[];
}

/** A type without a connection at the end of the stream. None of its changes after `since` was seen. */
export interface DisconnectedAtEnd {
  readonly gvr: string;
  /** The name of the cluster; absent where there is only one. */
  readonly cluster?: string;
  readonly namespace?: string;
  readonly reason: string;
  /** The last version seen. */
  readonly from: string;
  /** The time at which the connection was lost. */
  readonly since: string;
  /** The time between `since` and the end of the stream, ms. */
  readonly ms: number;
}

/** The counts of a whole stream. See `StreamSummary.counts`. */
export interface EndCounts {
  readonly ADDED: number;
  readonly MODIFIED: number;
  readonly DELETED: number;
  readonly relists: number;
  readonly gaps: number;
  readonly resumed: number;
  /** Changes that a cache could not store. */
  readonly storeErrors: number;
  readonly dropped: number;
  readonly coalesced: number;
  /** Changes that had arrived and waited for a slow reader. */
  readonly unshown: number;
  readonly expressionErrors: number;
  readonly unprintable: number;
}

/** Gives a record its number and its time; an `Enveloper` is one. */
export interface Stamper {
  stamp(): Stamped;
}

interface Named {
  readonly type: Pick<ResourceType, 'gvr' | 'cluster'>;
  readonly namespaces?: readonly string[] | undefined;
}

interface Synced extends Named {
  readonly informer?: { readonly sources?: readonly unknown[] | undefined } | undefined;
}

export function syncedMarker(
  stamper: Stamper,
  { type, informer }: Synced,
  objects: number,
  resourceVersion?: string,
): SyncedMarker {
  const { indexes: [index] = [], of = 1, by = 'uid' } = shardingOf(informer ?? {})[0] ?? {};
  return {
    type: 'SYNCED',
    gvr: formatGvr(type.gvr),
    ...clusterOf(type),
    objects,
    ...(index === undefined ? {} : { shard: { index, of, by } }),
    ...(resourceVersion ? { resourceVersion } : {}),
    ...stamper.stamp(),
  };
}

/** The marker of a continuity event. */
export function continuityMarker(stamper: Stamper, target: Named, event: OrderedContinuity): ContinuityMarker {
  const about = aboutOf(target, event.scope, event.why);
  switch (event.kind) {
    case 'gap':
      return { type: 'GAP', ...about, from: event.from, ...stamper.stamp() };
    case 'relisted':
      return {
        type: 'RELISTED',
        ...about,
        from: event.from,
        to: event.resourceVersion,
        objects: event.objects,
        ...stamper.stamp(),
      };
    case 'disconnected':
      return {
        type: 'DISCONNECTED',
        ...about,
        from: event.from,
        since: timeOf(event.disconnectedAt),
        ...stamper.stamp(),
      };
    case 'connected': {
      const { by, since: from, downMs, disconnectedAt } = event;
      const proven = by === 'resume' ? { proven: event.proven } : {};
      return {
        type: 'RESUMED',
        ...about,
        by,
        from,
        since: timeOf(disconnectedAt),
        downMs: Math.round(downMs),
        ...proven,
        ...stamper.stamp(),
      };
    }
  }
}

/** The GAP of a stream that ended while a source was disconnected: the changes since then were not seen. */
export function outageMarker(stamper: Stamper, { target, scope, from }: Outage): GapMarker {
  return { type: 'GAP', ...aboutOf(target, scope, 'disconnected'), from, ...stamper.stamp() };
}

/** The GAP of a type that the user may not read (403): the stream has nothing of it. */
export function forbiddenMarker(stamper: Stamper, target: Named, namespace: string): GapMarker {
  return { type: 'GAP', ...aboutOf(target, namespace, 'forbidden'), ...stamper.stamp() };
}

/** The GAP of a cluster of which the stream has nothing: it cannot be reached, or does not serve the types. */
export function clusterMarker(
  stamper: Stamper,
  cluster: string,
  reason: 'unreachable' | 'unserved' | 'forbidden',
): GapMarker {
  return { type: 'GAP', cluster, reason, ...stamper.stamp() };
}

function aboutOf({ type, namespaces }: Named, scope: string | undefined, reason: string) {
  const namespace = scope && namespaces && namespaces.length > 1 ? { namespace: scope } : {};
  return { gvr: formatGvr(type.gvr), ...clusterOf(type), ...namespace, reason };
}

const clusterOf = ({ cluster }: Named['type']) => (cluster === undefined ? {} : { cluster });

const timeOf = (ms: number) => new Date(ms).toISOString();

export function lossMarker(stamper: Stamper, { how, ...lost }: Loss): GapMarker {
  return { type: 'GAP', reason: how, lost, ...stamper.stamp() };
}

export function endMarker(
  stamper: Stamper,
  {
    reason,
    exitCode,
    summary,
    outages,
  }: { reason: string; exitCode: number; summary: EndCounts; outages: readonly Outage[] },
): EndMarker {
  const disconnected = outages.map(({ target, scope, why, from, since, ms }) => ({
    ...aboutOf(target, scope, why),
    from,
    since: timeOf(since),
    ms: Math.round(ms),
  }));
  return {
    type: 'END',
    reason,
    exitCode,
    summary,
    ...(disconnected.length > 0 ? { disconnected } : {}),
    ...stamper.stamp(),
  };
}

/** The text of a loss: `coalesced 412 updates of 37 objects`, `dropped 12 events`. */
export function lossText(loss: Loss): string {
  if (loss.how === 'dropped') return `dropped ${many(loss.events, 'event')}`;
  return `coalesced ${many(loss.events, 'update')} of ${many(loss.objects, 'object')}`;
}

const many = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;
