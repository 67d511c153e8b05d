import type { Clock } from '../../kit/clock.ts';
import { RecentMap } from '../../kit/recent-map.ts';
import { changedPaths } from '../../model/changed-paths.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { KeyPlace } from '../../workqueue/work-queue.ts';
import type { ResourceEvent } from '../resource-event.ts';
import type { CauseNote } from './causes.ts';
import type { OwnWrites } from './own-writes.ts';

/** A key that its own writes run again and again. */
export interface HotLoop {
  /**
   * `own`: each run was caused only by writes of the program. `suspected`: each run was caused only by a change that
   * came while the run before it was under way, in the same fields; the writer is not known.
   */
  readonly kind: 'own' | 'suspected';
  /** The runs in a row. */
  readonly runs: number;
  /** The time of these runs, ms. */
  readonly withinMs: number;
  /** The fields that the last write changed, at most 10. */
  readonly paths: readonly string[];
  /** The objects that were written, if they are not the reconciled one, at most 10. */
  readonly objects: readonly ObjectKey[];
  /** After a loop by own writes: no event runs the key within this time, ms. 0 for the first loop. */
  readonly holdMs: number;
}

export interface HotLoopOptions {
  clock: Clock;
  /** The runs in a row that are a loop. */
  runs: number;
  ownWrites: OwnWrites | undefined;
}

/** The runs in a row that are a loop by default. */
export const HOT_LOOP_RUNS = 10;

/** Runs in a row count if all of them began within this time. A slower loop does little harm, and may be intended. */
const WINDOW_MS = 60_000;

/** The keys that are followed: at least this many, at most twice as many. */
const KEPT_CHAINS = 1_024;

/** The most events of one run that are compared. With more than these, the run is not counted. */
const MOST_EVENTS = 16;

const MOST_LISTED = 10;

/** A key whose next loop comes within this time of the last hold loops again. */
const REPEATS_WITHIN_MS = 600_000;
const FIRST_HOLD_MS = 1_000;
const LONGEST_HOLD_MS = 300_000;

/** The loops of one key, one after another. */
interface Repeats {
  readonly times: number;
  /** When an event may run the key again, monotonic ms. */
  readonly heldUntil: number;
}

interface Pending {
  readonly notes: CauseNote[];
  isForeign: boolean;
  /** Whether all of them came while the key was being processed. */
  isDuring: boolean;
}

/** Runs in a row of one key. */
interface Chain {
  pending: Pending | undefined;
  /** When the counted runs began, monotonic ms. */
  readonly own: number[];
  readonly suspected: number[];
  /** The objects that own writes of this chain changed. */
  readonly written: Set<string>;
  /** The fields that changed before each suspected run. */
  paths: string;
  isReported: boolean;
}

/**
 * Recognises a key whose runs cause each other.
 *
 * A run counts if all events that led to it are effects of own writes to the reconciled object, or to another object
 * that an earlier write of the chain had changed. Any other cause ends the chain: a change by another writer, a timer,
 * a manual enqueue. So a hook that converges, or that writes once for each timer, is never a loop, and one that creates
 * many objects is not either.
 *
 * Another writer that reacts to each own write ends the chain again and again: a hook that annotates a Deployment also
 * changes what the deployment controller writes. So a key that loops once more is delayed: its next events run it 1 s
 * later, after each further loop twice as late, at most 5 min.
 *
 * The writes of a program that is not given the register (kubectl in a hook) cannot be recognised. For them a loop is
 * only suspected, from changes of the same fields that come while each run is under way.
 */
export class HotLoops {
  readonly #clock: Clock;
  readonly #runs: number;
  readonly #own: OwnWrites | undefined;
  readonly #chains = new RecentMap<ObjectKey, Chain>(KEPT_CHAINS);
  readonly #repeats = new RecentMap<ObjectKey, Repeats>(KEPT_CHAINS);

  constructor({ clock, runs, ownWrites }: HotLoopOptions) {
    this.#clock = clock;
    this.#runs = runs;
    this.#own = ownWrites;
  }

  /** Whether an event is the effect of an own write. */
  isOwn({ event }: CauseNote): boolean {
    return event !== undefined && this.#own?.has(event) === true;
  }

  /** Notes an event for a key that is at `place`. */
  came(key: ObjectKey, note: CauseNote, place: KeyPlace | undefined): void {
    if (!note.isChange) return;
    const isDuring = place === 'processing' || place === 'runs-again';
    let chain = this.#chains.use(key);
    if (!chain) {
      if (!isDuring && !this.isOwn(note)) return;
      chain = newChain(place === 'queued');
      this.#chains.set(key, chain);
    }
    chain.pending ??= newPending(place === 'queued');
    const { pending } = chain;
    if (!note.event || pending.notes.length === MOST_EVENTS) pending.isForeign = true;
    else pending.notes.push(note);
    pending.isDuring &&= isDuring;
  }

  /** How long no event may run the key, because it looped more than once, ms. */
  holdMs(key: ObjectKey): number {
    const { heldUntil = 0 } = this.#repeats.peek(key) ?? {};
    return Math.max(0, heldUntil - this.#clock.monotonic());
  }

  /** Notes that the key was queued by hand. */
  queuedByHand(key: ObjectKey): void {
    this.#chains.delete(key);
  }

  /** Called when a run of the key is due. Returns the loop, if its runs are one. */
  due(key: ObjectKey): HotLoop | undefined {
    const chain = this.#chains.use(key);
    if (!chain) return undefined;
    const { pending } = chain;
    chain.pending = undefined;
    if (pending && !pending.isForeign && this.#counts(chain, pending)) return this.#found(key, chain, pending);
    this.#chains.delete(key);
    return undefined;
  }

  /** Whether a run belongs to the chain, and notes it there if it counts. */
  #counts(chain: Chain, { notes, isDuring }: Pending): boolean {
    const now = this.#clock.monotonic();
    if (notes.every((note) => this.isOwn(note))) {
      chain.suspected.length = 0;
      const isRepeated = notes.some(({ cause }) => cause.key === undefined || chain.written.has(objectOf(cause)));
      for (const { cause } of notes) if (chain.written.size < 1000) chain.written.add(objectOf(cause));
      if (isRepeated) addWithin(chain.own, now);
      return true;
    }
    const paths = isDuring ? pathsOf(notes).join(' ') : '';
    if (paths === '') return false;
    if (paths !== chain.paths) chain.suspected.length = 0;
    chain.paths = paths;
    chain.own.length = 0;
    addWithin(chain.suspected, now);
    return true;
  }

  #found(key: ObjectKey, chain: Chain, { notes }: Pending): HotLoop | undefined {
    const [kind, times] =
      chain.own.length > 0 ? (['own', chain.own] as const) : (['suspected', chain.suspected] as const);
    if (times.length < this.#runs || (kind === 'suspected' && chain.isReported)) return undefined;
    if (kind === 'own') this.#chains.delete(key);
    chain.isReported = true;
    const holdMs = kind === 'own' ? this.#repeated(key) : 0;
    const objects = new Set(notes.flatMap(({ cause }) => cause.key ?? []));
    return {
      kind,
      runs: times.length,
      withinMs: this.#clock.monotonic() - (times[0] as number),
      paths: pathsOf(notes).slice(0, MOST_LISTED),
      objects: [...objects].slice(0, MOST_LISTED),
      holdMs,
    };
  }

  /** Counts a loop of the key, and returns how long it is delayed, ms. */
  #repeated(key: ObjectKey): number {
    const now = this.#clock.monotonic();
    const { times = 0, heldUntil = 0 } = this.#repeats.use(key) ?? {};
    const again = times > 0 && now - heldUntil <= REPEATS_WITHIN_MS ? times : 0;
    const holdMs = again === 0 ? 0 : Math.min(FIRST_HOLD_MS * 2 ** (again - 1), LONGEST_HOLD_MS);
    this.#repeats.set(key, { times: again + 1, heldUntil: now + holdMs });
    return holdMs;
  }
}

function newChain(isForeign: boolean): Chain {
  const pending = newPending(isForeign);
  return { pending, own: [], suspected: [], written: new Set(), paths: '', isReported: false };
}

/** Other causes may have come before those that are noted, so that the run is not counted. */
function newPending(isForeign: boolean): Pending {
  return { notes: [], isForeign, isDuring: true };
}

function addWithin(times: number[], now: number): void {
  times.push(now);
  while (now - (times[0] as number) > WINDOW_MS) times.shift();
}

const objectOf = ({ source, key = '' }: CauseNote['cause']) => `${source} ${key}`;

/** The fields that the events changed, of which none is new or gone. */
function pathsOf(notes: readonly CauseNote[]): string[] {
  const paths = new Set(notes.flatMap(({ event }) => (event ? pathsOfEvent(event) : [])));
  return [...paths].sort();
}

function pathsOfEvent({ object, oldObject }: ResourceEvent): string[] {
  return object && oldObject ? changedPaths(oldObject, object) : [];
}

/** A loop in words: `10 runs in 3s, each caused only by its own write, which changed .metadata.annotations.t`. */
export function loopText({ kind, runs, withinMs, paths, objects }: HotLoop): string {
  const seconds = `${(withinMs / 1000).toFixed(1)}s`;
  const fields = paths.length === 0 ? '' : ` ${paths.join(' ')}`;
  const of = objects.length === 0 ? '' : ` of ${objects.join(', ')}`;
  if (kind === 'own') return `${runs} runs in ${seconds}, each caused only by own writes, which changed${fields}${of}`;
  return `${runs} runs in ${seconds}, each caused by a change of${fields}${of} while the run before it was under way`;
}
