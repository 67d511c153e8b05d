import type { Registration } from '../informer/handlers/registration.ts';
import type { SharedInformer } from '../informer/shared-informer.ts';
import type { ContinuityEvent, OrderedContinuity } from '../informer/watch/continuity-ledger.ts';
import { abortable, aborted, type Scope, scope } from '../kit/abort.ts';
import { Bell } from '../kit/bell.ts';
import type { Clock } from '../kit/clock.ts';
import type { ReadonlyObject, UnknownObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { Waiter, WaitOutcome } from './conditions/waiter.ts';
import {
  changeHandler,
  type Enveloper,
  type EventEnvelope,
  type Handler,
  type ObjectChange,
  replacementParts,
  type TakeChange,
} from './envelope.ts';
import type { FilterGate } from './filter-gate.ts';
import { continuityMarker, lossMarker, type Marker, syncedMarker } from './markers.ts';
import type { Loss } from './overflow/backlog.ts';
import { Outlet, type OverflowOptions } from './overflow/overflow.ts';
import type { StreamSummary } from './summary.ts';

/** One type in a stream. Pass the same object to the gate and to the waiter. */
export interface StreamTarget {
  readonly type: ResourceType;
  readonly informer: SharedInformer<UnknownObject>;
  /** The names that were given; undefined = all objects of the selectors. */
  readonly names?: ReadonlySet<string> | undefined;
  /** The namespaces that are watched; undefined or '' = all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  /**
   * Resolves when the server refuses every read of the type: the stream continues without it. Absent = it never does.
   */
  readonly refused?: Promise<void> | undefined;
  /**
   * Resolves when the targets after it are shown without waiting for its initial list, which is then shown whenever it
   * is there. Absent = they wait. It counts for streams that continue.
   */
  readonly overdue?: Promise<void> | undefined;
}

export interface EventStreamOptions<T extends StreamTarget = StreamTarget> {
  /** The types. Their initial lists are shown in this order. */
  readonly targets: readonly T[];
  readonly enveloper: Enveloper;
  /** Decides which changes are shown, before they get a number. Default: all changes. */
  readonly gate?: FilterGate | undefined;
  /** Decides when the stream ends. It gets every change as soon as it is read, shown or not. */
  readonly waiter?: Waiter | undefined;
  /** Default `block`. */
  readonly overflow?: (OverflowOptions & { readonly clock: Pick<Clock, 'now' | 'yield'> }) | undefined;
  /** Prints an event. While its promise is pending, the reader counts as slow: see `overflow`. */
  readonly print: (event: EventEnvelope, target: T) => void | Promise<void>;
  /** Prints a marker, at its position in the stream. Absent = there are no markers, and they take no numbers. */
  readonly mark?: ((marker: Marker) => void | Promise<void>) | undefined;
  /** Called with a loss of `overflow` at its position in the stream: when the reader gets there. */
  readonly onLoss?: ((loss: Loss) => void) | undefined;
  /** Called as soon as events start being dropped or coalesced. `dropped` is a loss of continuity. */
  readonly onLosing?: ((how: Loss['how']) => void) | undefined;
  /**
   * Gets the losses as they happen, and the failed evaluations at the end. Events are counted by the caller, in
   * `print`.
   */
  readonly summary?: Pick<StreamSummary, 'losses'> | undefined;
  /**
   * Called with the number of its objects when the initial list of a target has been printed, before its other events.
   */
  readonly onSynced?: ((target: T, objects: number) => void | Promise<void>) | undefined;
  /**
   * The order of an initial list, which is buffered until it is complete. Default: the order in which the server sends
   * it.
   */
  readonly sortInitial?: ((a: ReadonlyObject, b: ReadonlyObject, target: T) => number) | undefined;
  /**
   * Called once, at the start, with a function that adds a target later. The initial list of such a target is shown
   * when it is there, among the events of the others. With `once` the stream does not wait for it.
   */
  readonly onJoinable?: ((join: (target: T) => void) => void) | undefined;
  /** Ends the stream after the initial list of every target. */
  readonly once?: boolean | undefined;
  /** Called once, after the last event and the last marker, with what they have not reported. */
  readonly onEnd?: ((unreported: Unreported<T>) => void | Promise<void>) | undefined;
}

/** Markers and losses that the reader had not reached when the stream ended. */
export interface Unreported<T extends StreamTarget = StreamTarget> {
  /**
   * Gaps and open outages without a marker, in the order in which they began. A gap that a relist closed before the
   * initial list of its target was shown is not included.
   */
  readonly continuity: readonly { readonly target: T; readonly event: OrderedContinuity }[];
  readonly losses: readonly Loss[];
  /** The number of changes that had arrived and waited for the reader. Not all of them have passed the filters. */
  readonly waiting: number;
}

/**
 * Merges informers into one numbered stream: first their initial lists, type by type in the order of `targets`, then
 * every change in the order of arrival. Order is kept per object, and between the events of one type. The caller runs
 * the informers.
 *
 * Resolves in one of three cases, with the outcome of the waiter if there is one:
 * - with `once`, after the last initial list;
 * - when the waiter has an outcome and the change that decided it has been printed (no later change is printed);
 * - when the signal aborts.
 *
 * With an overflow policy other than `block` it rejects with the error of `print`, `mark` or `onSynced`. With `block`
 * the informer counts such an error, and the stream continues.
 */
export async function streamEvents<T extends StreamTarget>(
  options: EventStreamOptions<T>,
  signal: AbortSignal,
): Promise<WaitOutcome | undefined> {
  using ending = scope(signal);
  using stream = new EventStream(options, ending);
  try {
    stream.listen();
    options.onJoinable?.((target) => stream.join(target));
    for (const target of options.targets) await stream.show(target);
    if (options.once) await stream.written();
    else await aborted(ending.signal);
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  }
  await options.onEnd?.(stream.end());
  if (stream.failure) throw stream.failure.error;
  return options.waiter?.settled;
}

/**
 * With this policy a slow reader makes the informer wait. Behind an outlet, and for a waiter, no handler is ever slow.
 */
const BLOCKING = { policy: 'block' } as const;

type Step = () => void | Promise<void>;

/** How far the waiter has read a target. */
interface Listening {
  registration: Registration | undefined;
  /** The sequence number of the last change that it took. */
  sequence: number;
}

/** How far a target has been shown. */
interface Shown {
  registration: Registration | undefined;
  objects: number;
  /** The initial list while it is buffered to be sorted, and the steps that arrived before it was complete. */
  buffered: { readonly first: ObjectChange[]; readonly later: Step[] } | undefined;
  isSynced: boolean;
  /** The sequence number of a change that was taken from the queue and waits until the waiter has read it. */
  waitingAt: number | undefined;
}

/** The end of a stream that has its outcome: after the change that decided it, and after these initial lists. */
interface LastStop {
  readonly initialLists: readonly StreamTarget[];
  readonly target: StreamTarget | undefined;
  readonly object: ReadonlyObject | undefined;
  /** The sequence number up to which the waiter had read the target when it decided. */
  readonly sequence: number;
  isPassed: boolean;
}

class EventStream<T extends StreamTarget> implements Disposable {
  readonly #options: EventStreamOptions<T>;
  readonly #ending: Scope;
  readonly #outlet: Outlet<T> | undefined;
  readonly #listening = new Map<T, Listening>();
  /** Wakes the handlers that wait for the waiter, at each of its steps. */
  readonly #progress = new Bell();
  readonly #shown = new Map<T, Shown>();
  #lastStop: LastStop | undefined;
  #isStopping = false;
  #isLosing = false;
  /** Gaps and outages that have no marker yet. */
  readonly #unmarked = new Map<OrderedContinuity, T>();
  /** Losses whose position was reached after the end. */
  readonly #unreported: Loss[] = [];
  readonly #observing: Disposable[] = [];
  /** In the order of `targets`, then those that joined. */
  readonly #targets: T[] = [];
  failure: { readonly error: unknown } | undefined;

  constructor(options: EventStreamOptions<T>, ending: Scope) {
    this.#options = options;
    this.#ending = ending;
    for (const target of options.targets) this.#observe(target);
    const { overflow } = options;
    if (!overflow || overflow.policy === 'block') return;
    this.#outlet = new Outlet<T>(overflow, {
      clock: overflow.clock,
      write: (change, target, receivedMs) => this.#write(change, target, receivedMs),
      lost: (loss) => this.#lost(loss),
      onLost: (how, events) => this.#counted(how, events),
      onError: (error) => this.#fail(error),
    });
  }

  /**
   * Connects the waiter with all targets. This comes first, so that the waiter reads each change before it is shown.
   */
  listen(): void {
    const { waiter, targets } = this.#options;
    if (!waiter) return;
    for (const target of targets) this.#listenTo(target, waiter);
    void waiter.outcome.then((outcome) => this.#endWith(outcome)); // the passing of time may decide, too
  }

  /** Adds a target, unless the stream has ended. */
  join(target: T): void {
    if (this.#ending.signal.aborted || this.#isStopping) return;
    const { waiter } = this.#options;
    this.#observe(target);
    waiter?.add(target);
    if (waiter) this.#listenTo(target, waiter);
    void this.show(target).catch(() => {}); // the stream has ended
  }

  #observe(target: T): void {
    this.#targets.push(target);
    this.#observing.push(target.informer.onContinuity((event) => this.#rememberContinuity(target, event)));
  }

  /** Shows the initial list of a target, and its changes from then on. Resolves when the list has been passed on. */
  async show(target: T): Promise<void> {
    const { sortInitial } = this.#options;
    const { signal } = this.#ending;
    if (signal.aborted || target.informer.isStopped) return; // the cluster of the target has ended
    const buffered = sortInitial ? { first: [], later: [] } : undefined;
    const shown: Shown = {
      registration: undefined,
      objects: 0,
      buffered,
      isSynced: false,
      waitingAt: undefined,
    };
    this.#shown.set(target, shown);
    shown.registration = target.informer.addHandler(this.#showing(target, shown), BLOCKING);
    const synced = shown.registration.whenSynced();
    const turns = [synced, target.refused, target.overdue].filter((each) => each !== undefined);
    await abortable(Promise.race(turns), signal);
  }

  /** Resolves when everything that was passed on so far has been written. */
  async written(): Promise<void> {
    if (this.#outlet) await abortable(this.#outlet.reached(), this.#ending.signal);
  }

  /** Ends the stream: nothing more is printed. Returns what was not reported. */
  end(): Unreported<T> {
    const waiting = this.#isStopping
      ? 0
      : (this.#outlet?.waiting ?? 0) + sumOf(this.#shown.values(), (shown) => shown.registration?.depth ?? 0);
    this.#ending.abort();
    const last = this.#outlet?.unreported;
    return {
      continuity: [...this.#unmarked].map(([event, target]) => ({ target, event })),
      losses: last ? [...this.#unreported, last] : [...this.#unreported],
      waiting,
    };
  }

  [Symbol.dispose](): void {
    const { summary, gate, waiter } = this.#options;
    if (summary) summary.losses.expressionErrors += (gate?.errors ?? 0) + (waiter?.errors ?? 0);
    this.#ending.abort();
    for (const each of this.#observing) each[Symbol.dispose]();
    for (const { registration } of this.#listening.values()) registration?.remove();
    for (const { registration } of this.#shown.values()) registration?.remove();
  }

  // --- showing ---

  #showing(target: T, shown: Shown): Handler {
    const take = (change: ObjectChange) => this.#taken(target, change.object, this.#takeOrHold(change, target, shown));
    const takeWhenRead: TakeChange = (change, sequence) =>
      this.#isUnread(target, sequence)
        ? this.#untilRead(target, sequence, shown).then(() => take(change))
        : take(change);
    return {
      ...changeHandler(takeWhenRead),
      synced: () => this.#taken(target, undefined, this.#initialListShown(target, shown)),
      continuity: (event) => this.#taken(target, undefined, this.#reportContinuity(target, event, shown)),
    };
  }

  /** Whether the waiter has not yet read the notification with this sequence number; it may end the stream with it. */
  #isUnread(target: T, sequence: number): boolean {
    return nextOf(this.#listening.get(target)) <= sequence;
  }

  async #untilRead(target: T, sequence: number, shown: Shown): Promise<void> {
    shown.waitingAt = sequence;
    const { signal } = this.#ending;
    while (!signal.aborted && this.#isUnread(target, sequence)) await this.#progress.wait(signal).catch(() => {});
    shown.waitingAt = undefined;
  }

  #takeOrHold(change: ObjectChange, target: T, shown: Shown): void | Promise<void> {
    const isFirst = change.cause === 'initial' && change.type === 'added';
    if (isFirst) shown.objects++;
    if (!shown.buffered) return this.#take(change, target);
    if (isFirst) shown.buffered.first.push(change);
    else shown.buffered.later.push(() => this.#take(change, target));
  }

  #take(change: ObjectChange, target: T): void | Promise<void> {
    if (this.#isStopping || this.#ending.signal.aborted) return;
    const { gate } = this.#options;
    const passed = gate ? gate.pass(change, target) : change;
    if (!passed) return;
    if (this.#outlet) this.#outlet.change(passed, target);
    else return this.#write(passed, target);
  }

  #write(change: ObjectChange, target: T, receivedMs?: number): void | Promise<void> {
    const parts = replacementParts(change);
    return parts
      ? inTurn(parts, (part) => this.#writeOne(part, target, receivedMs))
      : this.#writeOne(change, target, receivedMs);
  }

  /** Prints one event, unless the stream has ended: an event that is not printed takes no number. */
  #writeOne(change: ObjectChange, target: T, receivedMs: number | undefined): void | Promise<void> {
    const { enveloper, print } = this.#options;
    if (this.#ending.signal.aborted) return;
    const [event] = enveloper.envelop(change, target.type, receivedMs);
    if (event) return print(event, target);
  }

  async #initialListShown(target: T, shown: Shown): Promise<void> {
    const { sortInitial, onSynced, mark, enveloper } = this.#options;
    const { first = [], later = [] } = shown.buffered ?? {};
    if (sortInitial) first.sort((a, b) => sortInitial(a.object, b.object, target));
    await inTurn(first, (change) => this.#take(change, target));
    const resourceVersion = versionOf(target);
    await this.#step(() => onSynced?.(target, shown.objects));
    if (mark) await this.#step(() => mark(syncedMarker(enveloper, target, shown.objects, resourceVersion)));
    await inTurn(later, (step) => step());
    shown.buffered = undefined;
    shown.isSynced = true;
    this.#stopIfThere();
  }

  #reportContinuity(target: T, event: OrderedContinuity, { buffered }: Shown): void | Promise<void> {
    const { mark, enveloper } = this.#options;
    if (!mark) return;
    const step = () =>
      this.#step(() => {
        this.#unmarked.delete(event);
        return mark(continuityMarker(enveloper, target, event));
      });
    if (!buffered) return step();
    buffered.later.push(step);
  }

  #rememberContinuity(target: T, event: ContinuityEvent): void {
    if (event.kind === 'gap' || event.kind === 'disconnected') this.#unmarked.set(event, target);
    if (event.kind === 'connected') this.#forget('disconnected', target, event.scope);
    if (event.kind === 'relisted' && !this.#shown.has(target)) this.#forget('gap', target, event.scope);
  }

  /** Removes an outage that is over, or a gap of a list that was never shown: they need no report at the end. */
  #forget(kind: OrderedContinuity['kind'], target: T, scope: string | undefined): void {
    for (const [event, of] of this.#unmarked) {
      if (event.kind === kind && of === target && event.scope === scope) this.#unmarked.delete(event);
    }
  }

  #lost(loss: Loss): void | Promise<void> {
    const { mark, enveloper, onLoss } = this.#options;
    this.#isLosing = false;
    if (this.#ending.signal.aborted) {
      this.#unreported.push(loss);
      return;
    }
    onLoss?.(loss);
    return mark?.(lossMarker(enveloper, loss));
  }

  #counted(how: Loss['how'], events: number): void {
    const { summary, onLosing } = this.#options;
    if (summary) summary.losses[how] += events;
    if (this.#isLosing) return;
    this.#isLosing = true;
    onLosing?.(how);
  }

  /** Runs a step at its position in the stream. */
  #step(run: Step): void | Promise<void> {
    const step = () => (this.#ending.signal.aborted ? undefined : run());
    if (this.#outlet) this.#outlet.step(step);
    else return step();
  }

  #fail(error: unknown): void {
    this.failure = { error };
    this.#ending.abort();
  }

  // --- ending ---

  #listenTo(target: T, waiter: Waiter): void {
    const listening: Listening = { registration: undefined, sequence: 0 };
    this.#listening.set(target, listening);
    const step = (run: () => void) => {
      try {
        run();
        if (waiter.settled) this.#endWith(waiter.settled);
      } finally {
        this.#progress.wake(); // a waiter that fails has read the change all the same
      }
    };
    const hear: TakeChange = (change, sequence) => {
      listening.sequence = sequence;
      step(() => waiter.handle(change, target));
    };
    const handler: Handler = {
      ...changeHandler(hear, () => this.#progress.wake()),
      synced: () => step(() => waiter.synced(target)),
      continuity: () => this.#progress.wake(),
    };
    listening.registration = target.informer.addHandler(handler, BLOCKING);
  }

  /**
   * Ends the stream after the change that decided it was shown; at once if an initial list before it is not complete.
   */
  #endWith({ kind, by }: WaitOutcome): void {
    if (this.#lastStop) return;
    const targets = this.#targets;
    const isAboutAll = kind === 'until' || kind === 'for';
    const initialLists = isAboutAll ? targets : targets.slice(0, targets.indexOf(by?.target as T) + 1);
    const target = by?.target as T | undefined;
    const sequence = (target && this.#listening.get(target)?.sequence) ?? 0;
    const isPassed = !by?.object || !target || isShownUpTo(this.#shown.get(target), sequence);
    this.#lastStop = { initialLists, target, object: by?.object, sequence, isPassed };
    if (initialLists.every(({ informer }) => informer.hasSynced)) this.#stopIfThere();
    else this.#stop();
  }

  /** Ends the stream when its last stop has been passed. */
  #taken(target: T, object: ReadonlyObject | undefined, result: void | Promise<void>): void | Promise<void> {
    const stop = this.#lastStop;
    if (!stop || stop.target !== target || stop.isPassed) return result;
    stop.isPassed =
      (object !== undefined && object === stop.object) || isShownUpTo(this.#shown.get(target), stop.sequence);
    if (!result) return this.#stopIfThere();
    return result.finally(() => this.#stopIfThere());
  }

  #stopIfThere(): void {
    const stop = this.#lastStop;
    if (stop?.isPassed && stop.initialLists.every((target) => this.#shown.get(target as T)?.isSynced)) this.#stop();
  }

  #stop(): void {
    this.#isStopping = true;
    if (this.#outlet) this.#outlet.step(() => this.#ending.abort());
    else this.#ending.abort();
  }
}

/** Whether everything up to this sequence number has been shown. True for a target that has no registration yet. */
function isShownUpTo(shown: Shown | undefined, sequence: number): boolean {
  return Math.min(shown?.waitingAt ?? Number.POSITIVE_INFINITY, nextOf(shown)) > sequence;
}

/** The number of the notification that comes next; Infinity if there is none. */
const nextOf = (of: Pick<Shown, 'registration'> | undefined) =>
  of?.registration?.nextSequence ?? Number.POSITIVE_INFINITY;

const sumOf = <T>(items: Iterable<T>, count: (item: T) => number) =>
  [...items].reduce((sum, item) => sum + count(item), 0);

/** The version of an initial list; undefined if it consists of several lists. */
function versionOf({ informer }: StreamTarget): string | undefined {
  const [only, ...more] = informer.continuity;
  return more.length > 0 ? undefined : only?.stretches.findLast(({ by }) => by === 'initial' || by === 'relist')?.to;
}

async function inTurn<T>(items: readonly T[], step: (item: T) => void | Promise<void>): Promise<void> {
  for (const item of items) {
    const pending = step(item);
    if (pending) await pending;
  }
}
