import type { Clock } from '../../kit/clock.ts';
import { RecentMap } from '../../kit/recent-map.ts';
import { changedPaths } from '../../model/changed-paths.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ResourceEvent } from '../resource-event.ts';
import type { CauseNote, EventOrigin } from './causes.ts';

/**
 * The effect of an event on its key.
 * - `queued`: the key went into the line.
 * - `merged`: it waited in the line already.
 * - `sooner`: it waited for a later time, and went into the line at once.
 * - `runs-again`: it was being processed. It runs once more after that.
 * - `unparked`: it was parked, and went into the line.
 * - `ignored`: it is parked, and the event is no change.
 */
export type EventEffect = 'queued' | 'merged' | 'sooner' | 'runs-again' | 'unparked' | 'ignored';

/** An event that led to the key. Several ones in a row with the same effect are one entry. */
export interface EventEntry {
  readonly kind: 'event';
  /** When the last of them came, ms since the Unix epoch. */
  readonly at: number;
  readonly origin: EventOrigin;
  readonly effect: EventEffect;
  /** The number of events. */
  readonly count: number;
  /** The first keys that the event led to, if it led to several ones. */
  readonly keys?: readonly ObjectKey[] | undefined;
  /** The first paths of the fields that the updates changed, at most 10. Absent if they were not compared. */
  readonly changed?: readonly string[] | undefined;
}

/** An event that led to no key. Several ones in a row for the same reason are one entry. */
export interface SkippedEntry {
  readonly kind: 'skipped';
  /** When the last of them came, ms since the Unix epoch. */
  readonly at: number;
  readonly origin: EventOrigin;
  /** A predicate did not pass it, it was mapped to no key, or a predicate or the mapping threw an error. */
  readonly why: SkipReason;
  /** The name of the predicate, or the text of the error. */
  readonly by?: string | undefined;
  /** The number of events. */
  readonly count: number;
  /** The first paths of the fields that the updates changed, at most 10. Absent if they were not compared. */
  readonly changed?: readonly string[] | undefined;
}

/** Why an event of a source led to no key. */
export type SkipReason = 'predicate' | 'no key' | 'error';

/** An event that a source did not turn into a key. */
export interface SkippedEvent {
  readonly origin: EventOrigin;
  readonly event: ResourceEvent;
  readonly why: SkipReason;
  /** The name of the predicate, or the text of the error. */
  readonly by?: string | undefined;
  /** Returns the keys that the event would have led to. Called only for an explanation. Undefined: its own key. */
  readonly leadsTo?: (() => Iterable<ObjectKey>) | undefined;
}

/** How a run ended. `timeout`: it failed after its signal had aborted at `reconcileTimeoutMs`. */
export type RunOutcome = 'success' | 'requeue-after' | 'error' | 'timeout' | 'terminal' | 'stop';

/** Why a key waits for a time. */
export type DelayReason = 'back-off' | 'rate limit' | 'requeue after' | 'asked' | 'hot loop' | 'own write' | 'debounce';

/** One run of the reconciler. */
export interface RunEntry {
  readonly kind: 'run';
  /** When it began, ms since the Unix epoch. */
  readonly at: number;
  /** The number of the run in its controller, as in the log. */
  readonly run: number;
  /** 1 for the first try. */
  readonly attempt: number;
  /** How long the key waited in the line, ms. */
  readonly waitedMs: number;
  /** The number of events that led to it. */
  readonly events: number;
  /** How long it took, ms. Undefined while it runs. */
  readonly tookMs?: number | undefined;
  readonly outcome?: RunOutcome | undefined;
  readonly error?: string | undefined;
  /** Why it did nothing, where the reconciler said so. */
  readonly skipped?: string | undefined;
  /** The exit code of a hook that is a program. */
  readonly exitCode?: number | undefined;
  /** Whether the key was parked. */
  readonly parked?: boolean | undefined;
  /** When it is due again, ms since the Unix epoch, and why then. */
  readonly next?: { readonly at: number; readonly why: DelayReason } | undefined;
}

/** A run that was due and did not begin, because the key was parked: its own writes caused its runs. */
export interface HotLoopEntry {
  readonly kind: 'hot-loop';
  readonly at: number;
  /** The runs in a row that own writes caused. */
  readonly runs: number;
  /** The fields that the last write changed. */
  readonly paths: readonly string[];
}

/** A change of the key by hand: enqueue, release or drop. */
export interface ManualEntry {
  readonly kind: 'enqueued' | 'released' | 'dropped';
  readonly at: number;
}

/** One step of the history of a key. It is plain JSON. */
export type TrailEntry = EventEntry | SkippedEntry | RunEntry | HotLoopEntry | ManualEntry;

/** The last event that was a change, with its objects. */
export interface LastEvent {
  readonly origin: EventOrigin;
  readonly event: ResourceEvent;
}

/** The kept steps of a key, oldest first. */
export interface KeyTrail {
  readonly entries: readonly TrailEntry[];
  /** The number of older steps that are not kept. */
  readonly dropped: number;
}

/** The most steps that are kept for one key. */
const KEPT_STEPS = 20;

/** The steps that are kept for all keys: at least this many of the last ones, at most about twice as many. */
const KEPT_STEPS_IN_ALL = 10_000;

/** The keys of which the last event is kept with its objects: at least this many, at most twice as many. */
const KEPT_EVENTS = 128;

/** The skipped events of other objects that are kept, with the objects. */
const KEPT_ELSEWHERE = 128;

/** The most keys of one event that an entry lists. */
const LISTED_KEYS = 10;

/** The longest text of an error in an entry. */
const LONGEST_ERROR = 500;

/** A skipped event of another object. */
interface Elsewhere {
  readonly skip: SkippedEvent;
  readonly leadsTo: () => Iterable<ObjectKey>;
  readonly at: number;
}

interface Page {
  readonly entries: TrailEntry[];
  dropped: number;
}

/** The most changed paths of an entry. */
const KEPT_PATHS = 10;

/** Updates are compared for their entries in at most this part of the time, beyond the first few ms. */
const COMPARING_SHARE = 0.01;
const COMPARING_MS = 20;

/** A repeated step: its latest event replaces the earlier ones, and the fields of all are kept. */
function repeat(step: Writable<EventEntry | SkippedEntry>, at: number, origin: EventOrigin, changed?: string[]): void {
  step.at = at;
  step.origin = origin;
  step.count++;
  if (changed) step.changed = [...new Set([...(step.changed ?? []), ...changed])].slice(0, KEPT_PATHS);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const weightOf = ({ entries }: Page) => entries.length;

/**
 * The latest steps of each key: events, skipped events, runs and their outcomes. For {@link Controller.explain}.
 *
 * Promises: it keeps at most 20 steps for a key, about 20,000 for all keys, and the objects of the last event of at
 * most 256 keys and of 128 skipped events. Each step takes constant time, but for the comparison of an update, which is
 * left out when comparing has taken more than a hundredth of the time. Keys without steps for a long time are dropped
 * first.
 */
export class Trail {
  readonly #clock: Clock;
  readonly #pages = new RecentMap<ObjectKey, Page>(KEPT_STEPS_IN_ALL);
  readonly #events = new RecentMap<ObjectKey, LastEvent>(KEPT_EVENTS);
  readonly #elsewhere: Elsewhere[] = [];
  #nextElsewhere = 0;
  #comparedMs = 0;
  #comparedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether keys were dropped, so that a key without steps may have had some. */
  get hasDropped(): boolean {
    return this.#pages.hasDropped;
  }

  of(key: ObjectKey): KeyTrail | undefined {
    return this.#pages.peek(key);
  }

  /** The last event of the key that is no resync, if its objects are still kept. */
  lastEvent(key: ObjectKey): LastEvent | undefined {
    return this.#events.peek(key);
  }

  /** Notes an event that led to the key, and what it did. */
  came(key: ObjectKey, effect: EventEffect, { cause: origin, event, keys }: CauseNote): void {
    if (event && event.cause !== 'resync') this.#events.set(key, { origin, event });
    const changed = event && this.#changedBy(event);
    const page = this.#pageOf(key);
    const last = page.entries.at(-1);
    if (last?.kind === 'event' && last.effect === effect && isAlike(last.origin, origin)) {
      repeat(last, this.#clock.now(), origin, changed);
      return;
    }
    const entry: Writable<EventEntry> = { kind: 'event', at: this.#clock.now(), origin, effect, count: 1 };
    if (keys && keys.length > 1) entry.keys = keys.slice(0, LISTED_KEYS);
    if (changed) entry.changed = changed;
    this.#add(page, entry);
  }

  /** Notes an event that led to no key: with its own key, or with those that it would have led to. */
  skipped(skip: SkippedEvent): void {
    const { origin, why, event, leadsTo } = skip;
    if (leadsTo) {
      this.#elsewhere[this.#nextElsewhere] = { skip, leadsTo, at: this.#clock.now() };
      this.#nextElsewhere = (this.#nextElsewhere + 1) % KEPT_ELSEWHERE;
      return;
    }
    const by = shortened(skip.by);
    if (event.cause !== 'resync') this.#events.set(event.key, { origin, event });
    const changed = this.#changedBy(event);
    const page = this.#pageOf(event.key);
    const last = page.entries.at(-1);
    if (last?.kind === 'skipped' && last.why === why && last.by === by && isAlike(last.origin, origin)) {
      repeat(last, this.#clock.now(), origin, changed);
      return;
    }
    const entry: Writable<SkippedEntry> = { kind: 'skipped', at: this.#clock.now(), origin, why, by, count: 1 };
    if (changed) entry.changed = changed;
    this.#add(page, entry);
  }

  /** The skipped events of other objects that would have led to the key, oldest first. */
  skippedElsewhere(key: ObjectKey): SkippedEntry[] {
    const inOrder = [...this.#elsewhere.slice(this.#nextElsewhere), ...this.#elsewhere.slice(0, this.#nextElsewhere)];
    return inOrder
      .filter(({ leadsTo }) => wouldLeadTo(key, leadsTo))
      .map(({ skip: { origin, why, by }, at }) => ({ kind: 'skipped', at, origin, why, by: shortened(by), count: 1 }));
  }

  /** Notes that a run begins. Returns the step, for {@link ended}. */
  began(
    key: ObjectKey,
    { run, attempt, waitedMs, events }: Pick<RunEntry, 'run' | 'attempt' | 'waitedMs' | 'events'>,
  ): RunEntry {
    const entry: RunEntry = { kind: 'run', at: this.#clock.now(), run, attempt, waitedMs, events };
    this.#add(this.#pageOf(key), entry);
    return entry;
  }

  /** Notes the end of a run in its step. */
  ended(
    step: RunEntry,
    end: Pick<RunEntry, 'tookMs' | 'outcome' | 'error' | 'skipped' | 'exitCode' | 'parked' | 'next'>,
  ): void {
    Object.assign(step, end);
  }

  hotLoop(key: ObjectKey, { runs, paths }: Pick<HotLoopEntry, 'runs' | 'paths'>): void {
    this.#add(this.#pageOf(key), { kind: 'hot-loop', at: this.#clock.now(), runs, paths });
  }

  manual(key: ObjectKey, kind: ManualEntry['kind']): void {
    this.#add(this.#pageOf(key), { kind, at: this.#clock.now() });
  }

  /** The first paths that an update changed; undefined for another event, and if comparing has taken too long. */
  #changedBy({ cause, object, oldObject }: ResourceEvent): string[] | undefined {
    if (cause === 'resync' || !object || !oldObject) return undefined;
    const startedAt = this.#clock.monotonic();
    this.#comparedMs = Math.max(0, this.#comparedMs - (startedAt - this.#comparedAt) * COMPARING_SHARE);
    this.#comparedAt = startedAt;
    if (this.#comparedMs > COMPARING_MS) return undefined;
    const paths = changedPaths(oldObject, object).slice(0, KEPT_PATHS);
    this.#comparedMs += this.#clock.monotonic() - startedAt;
    return paths;
  }

  #pageOf(key: ObjectKey): Page {
    const known = this.#pages.use(key, weightOf);
    if (known) return known;
    const page: Page = { entries: [], dropped: 0 };
    this.#pages.set(key, page, 0);
    return page;
  }

  #add(page: Page, entry: TrailEntry): void {
    page.entries.push(entry);
    if (page.entries.length <= KEPT_STEPS) {
      this.#pages.grow(1);
    } else {
      page.entries.shift();
      page.dropped++;
    }
  }
}

/** The text of an error, of a length that can be kept. */
export function shortened(text: string): string;
export function shortened(text: string | undefined): string | undefined;
export function shortened(text: string | undefined): string | undefined {
  return text !== undefined && text.length > LONGEST_ERROR ? `${text.slice(0, LONGEST_ERROR)}…` : text;
}

function wouldLeadTo(key: ObjectKey, leadsTo: Elsewhere['leadsTo']): boolean {
  let keys: readonly ObjectKey[] = [];
  try {
    keys = [...leadsTo()];
  } catch {
    // a mapping that fails leads to no key; the failure was logged when the event came
  }
  return keys.includes(key);
}

function isAlike(a: EventOrigin, b: EventOrigin): boolean {
  return a.source === b.source && a.reason === b.reason && a.via === b.via && a.key === b.key;
}
