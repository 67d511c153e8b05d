import { shortDuration } from '../kit/duration.ts';
import { changedPaths } from '../model/changed-paths.ts';
import type { ObjectKey } from '../model/key.ts';
import type { QueueSnapshot } from '../workqueue/work-queue.ts';
import type { WriteWait } from './consistency/write-waits.ts';
import type { EventOrigin, ReconcileCause } from './history/causes.ts';
import type { Parked } from './history/parked.ts';
import type { DelayReason, LastEvent, RunEntry, SkippedEntry, Trail, TrailEntry } from './history/trail.ts';
import type { SourceReport } from './sources/source-report.ts';

/**
 * Where a key is.
 * - `processing`: a run is under way.
 * - `queued`: it waits in the line for a worker.
 * - `delayed`: it waits for a time.
 * - `parked`: it waits for a change, or to be released.
 * - `idle`: it waits for nothing. `history` says what happened last.
 * - `unknown`: nothing is known of it: no event of it came, or its history is no longer kept.
 */
export type KeyState = 'processing' | 'queued' | 'delayed' | 'parked' | 'idle' | 'unknown';

/**
 * The phase of a controller's life. No run begins before `running`. `catching up`: it works for a leader that came new,
 * and its caches may not show what the one before wrote.
 */
export type ControllerPhase = 'not started' | 'syncing' | 'catching up' | 'running' | 'draining' | 'ended';

/** The controller of a key. */
export interface ControllerFacts {
  readonly name: string;
  readonly phase: ControllerPhase;
  readonly workers: number;
  /** The runs that are under way. */
  readonly active: number;
  readonly sources: readonly SourceReport[];
}

/** The fields that the last event of a key changed. */
export interface LastChange {
  readonly origin: EventOrigin;
  /** The paths of the fields that differ, at most 50. Empty for an event that is no update. */
  readonly paths: readonly string[];
  /** The resourceVersion before the change. */
  readonly from?: string | undefined;
  /** The resourceVersion after the change. */
  readonly to?: string | undefined;
}

/** Why a key is where it is. Plain JSON: see {@link Controller.explain}. */
export interface KeyExplanation {
  readonly key: ObjectKey;
  /** The moment of the explanation, ms since the Unix epoch. */
  readonly at: number;
  readonly state: KeyState;
  /** The explanation in one sentence, for people. */
  readonly summary: string;
  readonly processing?: { readonly sinceMs: number; readonly attempt: number; readonly runsAgain: boolean } | undefined;
  /** `position` is 1 for the next key, without regard to ageing; `of` is the length of the line. */
  readonly queued?:
    | { readonly position: number; readonly of: number; readonly priority: number; readonly waitedMs: number }
    | undefined;
  readonly delayed?:
    | { readonly dueInMs: number; readonly dueAt: number; readonly priority: number; readonly why: DelayReason }
    | undefined;
  readonly parked?: Omit<Parked, 'key'> | undefined;
  /** The failures in a row, which the next delay depends on. */
  readonly failures: number;
  /** The causes that the next run gets, as far as they are known now. */
  readonly pending: readonly ReconcileCause[];
  /** The steps of the key, oldest first, at most 20. Undefined if the controller keeps no history. */
  readonly history: readonly TrailEntry[] | undefined;
  /** The number of older steps that are not kept. */
  readonly droppedSteps: number;
  /** Whether the history of keys was dropped because others were busier, so that an empty one says little. */
  readonly isHistoryPartial: boolean;
  readonly lastChange?: LastChange | undefined;
  /** Recent events of other objects that a predicate did not pass, and that would have led to this key. */
  readonly skippedElsewhere: readonly SkippedEntry[];
  readonly controller: ControllerFacts;
}

/** Where the key is, and what is said of that. */
type Place = Pick<KeyExplanation, 'state' | 'summary' | 'processing' | 'queued' | 'delayed' | 'parked'>;

/** The state of a key in a controller. */
export interface KeyView {
  readonly key: ObjectKey;
  readonly now: number;
  readonly queue: QueueSnapshot;
  readonly parked: Parked | undefined;
  readonly attempt: number;
  readonly failures: number;
  readonly pending: readonly ReconcileCause[];
  readonly whyDelayed: DelayReason | undefined;
  readonly writeWait?: WriteWait | undefined;
  readonly trail: Trail | undefined;
  readonly controller: ControllerFacts;
}

/** The most changed paths of an explanation. */
const MOST_PATHS = 50;

/** Explains a key. */
export function explain(view: KeyView): KeyExplanation {
  const { key, now, failures, pending, controller } = view;
  const history = historyOf(view);
  const { summary, ...place } = placeOf(view) ?? nowhere(view, history);
  return { key, at: now, ...place, failures, pending, ...history, controller, summary };
}

/** The one place of the key; undefined if it waits nowhere. */
function placeOf(view: KeyView): Place | undefined {
  const { key, now, queue, parked, attempt, failures, controller, whyDelayed: why = 'asked' } = view;
  const run = queue.processing.find((item) => item.key === key);
  if (run) {
    const processing = { sinceMs: run.heldMs, attempt, runsAgain: run.isDirty };
    const again = run.isDirty ? '; it runs again after that, because something came meanwhile' : '';
    const summary = `a run has been under way for ${shortDuration(run.heldMs)} (attempt ${attempt})${again}`;
    return { state: 'processing', processing, summary };
  }
  // also while a resync of it is in line, which leads to no run
  if (parked) return { state: 'parked', parked: withoutKey(parked), summary: parkedText(parked, now) };
  const at = queue.queued.findIndex((item) => item.key === key);
  const item = queue.queued[at];
  if (item) {
    const { priority, waitedMs } = item;
    const queued = { position: at + 1, of: queue.queued.length, priority, waitedMs };
    const where = `at position ${queued.position} of ${queued.of}`;
    const summary = `waits in line for ${shortDuration(waitedMs)}, ${where}${whyWaiting(controller)}`;
    return { state: 'queued', queued, summary };
  }
  const later = queue.delayed.find((each) => each.key === key);
  if (!later) return undefined;
  const { dueInMs, priority } = later;
  const delayed = { dueInMs, dueAt: now + dueInMs, priority, why };
  const waits = why === 'own write' && view.writeWait && waitText(view.writeWait);
  return {
    state: 'delayed',
    delayed,
    summary: waits || `due in ${shortDuration(dueInMs)}: ${delayText(why, failures)}`,
  };
}

/** A key that waits nowhere. */
function nowhere({ now, controller }: KeyView, { history, ...found }: KeyHistory): Place {
  const last = history?.at(-1);
  if (last) return { state: 'idle', summary: `not queued: ${lastStepText(last, now)}${nextText(controller, now)}` };
  const why = () => {
    const elsewhere = found.skippedElsewhere.at(-1);
    if (elsewhere) return skippedText(elsewhere);
    if (controller.phase === 'not started') return 'the controller has not started';
    if (history === undefined) return 'the controller keeps no history that would say why';
    if (found.isHistoryPartial) return 'none of its events is among the last ones that are kept';
    return 'no event has led to it';
  };
  return { state: 'unknown', summary: `not queued: ${why()}` };
}

function withoutKey({ key: _, ...parked }: Parked): Omit<Parked, 'key'> {
  return parked;
}

type KeyHistory = Pick<
  KeyExplanation,
  'history' | 'droppedSteps' | 'isHistoryPartial' | 'lastChange' | 'skippedElsewhere'
>;

function historyOf({ key, trail }: KeyView): KeyHistory {
  const { entries = [], dropped = 0 } = trail?.of(key) ?? {};
  const last = trail?.lastEvent(key);
  return {
    history: trail && structuredClone(entries),
    droppedSteps: dropped,
    isHistoryPartial: trail?.hasDropped === true,
    lastChange: last && lastChangeOf(last),
    skippedElsewhere: trail?.skippedElsewhere(key) ?? [],
  };
}

function lastChangeOf({ origin, event: { object, oldObject } }: LastEvent): LastChange {
  return {
    origin,
    paths: object && oldObject ? changedPaths(oldObject, object).slice(0, MOST_PATHS) : [],
    from: oldObject?.metadata.resourceVersion,
    to: object?.metadata.resourceVersion,
  };
}

function parkedText({ reason, error, attempts, since }: Parked, now: number): string {
  const ago = `parked ${shortDuration(now - since)} ago`;
  if (reason === 'hot-loop') return `${ago}, until another writer changes it or it is released: ${error}`;
  return `${ago}, after ${attempts} attempt${attempts === 1 ? '' : 's'}, until it changes or is released: ${error}`;
}

function whyWaiting({ phase, workers, active, sources }: ControllerFacts): string {
  const unsynced = sources.filter(({ hasSynced }) => !hasSynced).map(({ name }) => name);
  if (phase === 'not started') return '; the controller has not started';
  if (phase === 'catching up') return '; no run begins before the caches show what an earlier leader wrote';
  if (phase === 'syncing') return `; no run begins before the initial sync of ${unsynced.join(', ')}`;
  if (phase !== 'running') return '; the controller ends, and starts no more runs';
  return active < workers ? '' : `; ${workers === 1 ? 'the worker is' : `all ${workers} workers are`} busy`;
}

/** The timer or schedule that is due first. */
function nextText({ sources }: ControllerFacts, at: number): string {
  const timed = sources.flatMap(({ name, nextAt }) => (nextAt === undefined ? [] : { name, nextAt }));
  const [first] = timed.sort((a, b) => a.nextAt - b.nextAt);
  return first ? `; ${first.name} queues all keys in ${shortDuration(first.nextAt - at)}` : '';
}

function waitText({ waitedMs, types }: WriteWait): string {
  return `waits ${shortDuration(waitedMs)} for its own write of ${types.join(', ')}`;
}

function delayText(why: DelayReason, failures: number): string {
  const failed = failures === 1 ? '1 failure' : `${failures} failures in a row`;
  if (why === 'back-off') return `back-off after ${failed}`;
  if (why === 'rate limit') return `the rate limit of all retries, after ${failed}`;
  if (why === 'hot loop')
    return 'its own writes ran it in a loop again and again, so its changes run it later and later';
  if (why === 'debounce') return 'it waits until its events have been quiet (debounceMs)';
  if (why === 'own write') return 'the caches do not show its own writes yet';
  return why === 'requeue after' ? 'the last run asked for it (requeueAfter)' : 'it was queued by hand for that time';
}

function lastStepText(step: TrailEntry, at: number): string {
  const ago = `${shortDuration(at - step.at)} ago`;
  switch (step.kind) {
    case 'skipped':
      return `${skippedText(step)}, ${ago}`;
    case 'run':
      return `${runText(step)}, ${ago}, and nothing came since`;
    case 'dropped':
      return `it was dropped by hand ${ago}; its next change queues it`;
    default:
      return `the last step was ${step.kind === 'event' ? originText(step.origin) : step.kind}, ${ago}`;
  }
}

function skippedText({ origin, why, by }: SkippedEntry): string {
  const event = `the event ${originText(origin)}`;
  if (why === 'predicate') return `${event} did not pass: ${by}`;
  return why === 'no key' ? `${event} was mapped to no key` : `${event} could not be mapped: ${by}`;
}

function runText({ outcome, error, skipped }: RunEntry): string {
  if (skipped !== undefined) return `its last run did nothing (${skipped})`;
  if (outcome === 'success') return 'its last run succeeded';
  return error === undefined ? 'its last run ended' : `its last run failed (${error})`;
}

function originText({ reason, source, key, resourceVersion }: EventOrigin): string {
  const of = [source, key].filter((part) => part !== undefined).join(' ');
  return `"${reason}"${of === '' ? '' : ` of ${of}`}${resourceVersion ? ` at version ${resourceVersion}` : ''}`;
}
