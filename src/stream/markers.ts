import type { OrderedContinuity } from '../informer/ledger.ts';
import { formatGvr } from '../model/gvr.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { Loss } from './backlog.ts';

/**
 * Records of a stream that are no events, for readers that must know how far it is to be trusted: `--markers`. They are numbered with the events,
 * by one count without gaps, and stand in the stream where what they tell took place:
 *
 * `SYNCED` behind the last event of a type's first state; `GAP` behind every event that was seen before it; `RELISTED` behind every event that
 * the new list brought, so that from there on the type's events are whole again; `END` last. Between `GAP` and `RELISTED` of a type its changes
 * show as their outcome only, with `cause: "relist"`. Order is kept per object and between the events of one type;
 * between types, and between the namespaces of one, it is that of arrival.
 */
export type Marker = SyncedMarker | GapMarker | RelistedMarker | EndMarker;

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
  /** How the watch ended (`gone`, `too-large`, …), or `dropped` or `coalesced` by --overflow. */
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

/** Nothing follows. */
export interface EndMarker extends Stamped {
  readonly type: 'END';
  readonly reason: string;
  readonly exitCode: number;
  readonly summary: EndCounts;
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

export function continuityMarker(
  stamper: Stamper,
  { type, namespaces }: Named,
  event: Extract<OrderedContinuity, { readonly kind: 'gap' | 'relisted' }>,
): GapMarker | RelistedMarker {
  const { from, why: reason, scope } = event;
  const about = { gvr: formatGvr(type.gvr), ...(scope && (namespaces?.length ?? 0) > 1 ? { namespace: scope } : {}), reason, from };
  if (event.kind === 'gap') return { type: 'GAP', ...about, ...stamper.stamp() };
  return { type: 'RELISTED', ...about, to: event.resourceVersion, objects: event.objects, ...stamper.stamp() };
}

export function lossMarker(stamper: Stamper, { how, ...lost }: Loss): GapMarker {
  return { type: 'GAP', reason: how, lost, ...stamper.stamp() };
}

export function endMarker(stamper: Stamper, end: { reason: string; exitCode: number; summary: EndCounts }): EndMarker {
  return { type: 'END', reason: end.reason, exitCode: end.exitCode, summary: end.summary, ...stamper.stamp() };
}

/** A loss in words: `coalesced 412 updates of 37 objects`, `dropped 12 events`. */
export function lossText(loss: Loss): string {
  if (loss.how === 'dropped') return `dropped ${many(loss.events, 'event')}`;
  return `coalesced ${many(loss.events, 'update')} of ${many(loss.objects, 'object')}`;
}

const many = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;
