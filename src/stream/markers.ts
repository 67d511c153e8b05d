import type { OrderedContinuity } from '../informer/watch/ledger.ts';
import { formatGvr } from '../model/gvr.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { Outage } from './outage.ts';
import type { Loss } from './overflow/backlog.ts';

/**
 * Records of a stream that are no events, for readers that must know how far it is to be trusted: `--markers`. They are numbered with the events,
 * by one count without gaps, and stand in the stream where what they tell took place:
 *
 * `SYNCED` behind the last event of a type's first state; `GAP` behind every event that was seen before it; `RELISTED` behind every event that
 * the new list brought, so that from there on the type's events are whole again; `DISCONNECTED` behind the last event before a connection was
 * lost; `RESUMED` before the first event of the next one; `END` last. Between `GAP` and `RELISTED` of a type its changes
 * show as their outcome only, with `cause: "relist"`. Order is kept per object and between the events of one type;
 * between types, and between the namespaces of one, it is that of arrival.
 */
export type Marker = SyncedMarker | ContinuityMarker | EndMarker;
export type ContinuityMarker = GapMarker | RelistedMarker | DisconnectedMarker | ResumedMarker;

interface Stamped {
  readonly seq: number;
  readonly time: string;
}

/** A type's first state has been shown. */
export interface SyncedMarker extends Stamped {
  readonly type: 'SYNCED';
  readonly gvr: string;
  /** How many objects it had, shown or not. */
  readonly objects: number;
  /** The version it is of, or an older one; left out of a type that is watched in several namespaces. */
  readonly resourceVersion?: string;
}

/**
 * From here on events may be missing: those of `gvr` until the RELISTED that follows; or, for `dropped`, events that should stand here.
 * `coalesced`: the events up to where the reader caught up tell the outcome of several each.
 */
export interface GapMarker extends Stamped {
  readonly type: 'GAP';
  /** Left out where it is about the stream as a whole. */
  readonly gvr?: string;
  readonly namespace?: string;
  /**
   * How the watch ended (`gone`, `too-large`, …); `dropped` or `coalesced` by --overflow; `disconnected` for a stream that ended while there
   * was no connection; `forbidden` for what may not be read, of which nothing is in the stream.
   */
  readonly reason: string;
  /** The last version seen before it. */
  readonly from?: string;
  /** What is known to be missing. */
  readonly lost?: { readonly events: number; readonly objects?: number };
}

/** The state was listed anew. */
export interface RelistedMarker extends Stamped {
  readonly type: 'RELISTED';
  readonly gvr: string;
  readonly namespace?: string;
  readonly reason: string;
  /** The last version seen before, and the one the list was taken at. */
  readonly from: string;
  readonly to: string;
  readonly objects: number;
}

/** There is no connection: what happens to the type from here on is not seen until the RESUMED that follows, if one does. */
export interface DisconnectedMarker extends Stamped {
  readonly type: 'DISCONNECTED';
  readonly gvr: string;
  readonly namespace?: string;
  /** How the watch ended, or why the next one could not be opened. */
  readonly reason: string;
  /** The last version seen. */
  readonly from: string;
  /** When the watch ended: of one that fell silent, when its last byte came. */
  readonly since: string;
}

/** There is a connection again. */
export interface ResumedMarker extends Stamped {
  readonly type: 'RESUMED';
  readonly gvr: string;
  readonly namespace?: string;
  /** How the watch before it ended. */
  readonly reason: string;
  /** `resume`: at the version where the last one ended; `relist`: behind the RELISTED that stands before. */
  readonly by: 'resume' | 'relist';
  /** The version at which it goes on. */
  readonly from: string;
  /** When the connection was lost, and for how long there was none, ms. */
  readonly since: string;
  readonly downMs: number;
  /** With `resume`: whether it is proven that nothing was missed. False = not known yet. */
  readonly proven?: boolean;
}

/** Nothing follows. */
export interface EndMarker extends Stamped {
  readonly type: 'END';
  readonly reason: string;
  readonly exitCode: number;
  readonly summary: EndCounts;
  /** What had no connection when it ended; left out when everything had one. Nothing of it was seen since then. */
  readonly disconnected?: readonly DisconnectedAtEnd[];
}

export interface DisconnectedAtEnd {
  readonly gvr: string;
  readonly namespace?: string;
  readonly reason: string;
  /** The last version seen. */
  readonly from: string;
  /** When the connection was lost, and how long that is ago, ms. */
  readonly since: string;
  readonly ms: number;
}

/** What a whole stream was made of; see `StreamSummary.counts`. */
export interface EndCounts {
  readonly ADDED: number;
  readonly MODIFIED: number;
  readonly DELETED: number;
  readonly relists: number;
  readonly gaps: number;
  readonly resumed: number;
  /** Changes that a cache did not take. */
  readonly storeErrors: number;
  readonly dropped: number;
  readonly coalesced: number;
  /** Changes that had arrived and waited for a slow reader. */
  readonly unshown: number;
  readonly expressionErrors: number;
  readonly unprintable: number;
}

/** Numbers and dates a record; an `Enveloper` does. */
export interface Stamper {
  stamp(): Stamped;
}

type Named = { readonly type: Pick<ResourceType, 'gvr'>; readonly namespaces?: readonly string[] | undefined };

export function syncedMarker(stamper: Stamper, { type }: Named, objects: number, resourceVersion?: string): SyncedMarker {
  return { type: 'SYNCED', gvr: formatGvr(type.gvr), objects, ...(resourceVersion ? { resourceVersion } : {}), ...stamper.stamp() };
}

/** The record of a continuity event, in its place. */
export function continuityMarker(stamper: Stamper, target: Named, event: OrderedContinuity): ContinuityMarker {
  const about = aboutOf(target, event.scope, event.why);
  switch (event.kind) {
    case 'gap':
      return { type: 'GAP', ...about, from: event.from, ...stamper.stamp() };
    case 'relisted':
      return { type: 'RELISTED', ...about, from: event.from, to: event.resourceVersion, objects: event.objects, ...stamper.stamp() };
    case 'disconnected':
      return { type: 'DISCONNECTED', ...about, from: event.from, since: timeOf(event.disconnectedAt), ...stamper.stamp() };
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

/** The gap of a stream that ended while a source was disconnected: what happened meanwhile was not seen, and will not be. */
export function outageMarker(stamper: Stamper, { target, scope, from }: Outage): GapMarker {
  return { type: 'GAP', ...aboutOf(target, scope, 'disconnected'), from, ...stamper.stamp() };
}

/** The gap of what may not be read (403): none of it is in the stream. */
export function forbiddenMarker(stamper: Stamper, target: Named, namespace: string): GapMarker {
  return { type: 'GAP', ...aboutOf(target, namespace, 'forbidden'), ...stamper.stamp() };
}

function aboutOf({ type, namespaces }: Named, scope: string | undefined, reason: string) {
  return { gvr: formatGvr(type.gvr), ...(scope && (namespaces?.length ?? 0) > 1 ? { namespace: scope } : {}), reason };
}

const timeOf = (ms: number) => new Date(ms).toISOString();

export function lossMarker(stamper: Stamper, { how, ...lost }: Loss): GapMarker {
  return { type: 'GAP', reason: how, lost, ...stamper.stamp() };
}

export function endMarker(
  stamper: Stamper,
  { reason, exitCode, summary, outages }: { reason: string; exitCode: number; summary: EndCounts; outages: readonly Outage[] },
): EndMarker {
  const disconnected = outages.map(({ target, scope, why, from, since, ms }) => ({
    ...aboutOf(target, scope, why),
    from,
    since: timeOf(since),
    ms: Math.round(ms),
  }));
  return { type: 'END', reason, exitCode, summary, ...(disconnected.length > 0 ? { disconnected } : {}), ...stamper.stamp() };
}

/** A loss in words: `coalesced 412 updates of 37 objects`, `dropped 12 events`. */
export function lossText(loss: Loss): string {
  if (loss.how === 'dropped') return `dropped ${many(loss.events, 'event')}`;
  return `coalesced ${many(loss.events, 'update')} of ${many(loss.objects, 'object')}`;
}

const many = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;
