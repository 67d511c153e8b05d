import type { Registration, SharedInformer } from '../informer/shared-informer.ts';
import type { ContinuityEvent, OrderedContinuity } from '../informer/watch/ledger.ts';
import { abortable, aborted, type Scope, scope } from '../kit/abort.ts';
import { Bell } from '../kit/bell.ts';
import type { Clock } from '../kit/clock.ts';
import type { ReadonlyObject, UnknownObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { ChangeGate } from './change-gate.ts';
import { changeHandler, type Handler, type TakeChange } from './change-handler.ts';
import type { Waiter, WaitOutcome } from './conditions/waiter.ts';
import { type Enveloper, type EventEnvelope, type ObjectChange, replacementParts } from './envelope.ts';
import { continuityMarker, lossMarker, type Marker, syncedMarker } from './markers.ts';
import type { Loss } from './overflow/backlog.ts';
import { Outlet, type OverflowOptions } from './overflow/overflow.ts';
import type { StreamSummary } from './summary.ts';

/** One type in a stream. The gate and the waiter know it as the same object. */
export interface StreamTarget {
  readonly type: ResourceType;
  readonly informer: SharedInformer<UnknownObject>;
  /** The names that were given; undefined = whatever the selectors give. */
  readonly names?: ReadonlySet<string> | undefined;
  /** Where they are looked for; undefined or '' = everywhere. */
  readonly namespaces?: readonly string[] | undefined;
  /** Resolves when nothing of it may be read: the stream goes on without it. Absent = it may. */
  readonly refused?: Promise<void> | undefined;
}

export interface EventStreamOptions<T extends StreamTarget = StreamTarget> {
  /** In the order in which their first states are shown. */
  readonly targets: readonly T[];
  readonly enveloper: Enveloper;
  /** What is shown; decided before it is numbered. Default: every change is. */
  readonly gate?: ChangeGate | undefined;
  /** What ends the stream. It hears every change that is read at once, shown or not, whatever type is still to be shown. */
  readonly waiter?: Waiter | undefined;
  /** Default `block`. */
  readonly overflow?: (OverflowOptions & { readonly clock: Pick<Clock, 'now' | 'yield'> }) | undefined;
  /** Takes each event. While its promise is open the reader counts as slow: see `overflow`. */
  readonly print: (event: EventEnvelope, target: T) => void | Promise<void>;
  /** Takes the records that are no events, in their places. Absent = there are none, and none are numbered. */
  readonly mark?: ((marker: Marker) => void | Promise<void>) | undefined;
  /** Hears what `overflow` did not show, in its place in the stream: when the reader gets there. */
  readonly onLoss?: ((loss: Loss) => void) | undefined;
  /** Hears at once that it begins to show not everything. `dropped` is lost continuity. */
  readonly onLosing?: ((how: Loss['how']) => void) | undefined;
  /** Is told of what was lost as it happens, and of failed expressions at the end. Events are counted by whoever prints them. */
  readonly summary?: Pick<StreamSummary, 'losses'> | undefined;
  /** Called when the first state of a target has been printed, and before anything else of it, with how many objects it had. */
  readonly onSynced?: ((target: T, objects: number) => void | Promise<void>) | undefined;
  /** The order of a first state; it is held back until it is whole then. Default: as the server gives it. */
  readonly sortInitial?: ((a: ReadonlyObject, b: ReadonlyObject, target: T) => number) | undefined;
  /** Ends after the first state of every target. */
  readonly once?: boolean | undefined;
  /** Called once, when no more events and markers come from here, with what they have not told. */
  readonly onEnd?: ((untold: Untold<T>) => void | Promise<void>) | undefined;
}

/** What an ended stream has not told in its place, because the end came before the reader got there. */
export interface Untold<T extends StreamTarget = StreamTarget> {
  /**
   * Gaps, and outages that last, without a marker, in the order in which they began. A gap that a relist closed before the first state of its
   * target was shown is not among them.
   */
  readonly continuity: readonly { readonly target: T; readonly event: OrderedContinuity }[];
  readonly losses: readonly Loss[];
  /** Changes that had arrived and waited for the reader; filters have not seen all of them. */
  readonly waiting: number;
}

/**
 * Merges informers into one numbered stream: first the states there are, type by type in the order asked for, then every change as it comes.
 * Order is kept per object, and between the events of one type; between types it is that of arrival.
 *
 * Resolves when `once` is done, the waiter's outcome is there and the change that decided it has been printed (nothing behind it is), or the
 * signal aborts; with the outcome, if there is one. Rejects with what `print`, `mark` or `onSynced` threw under an overflow other than `block`;
 * under `block` that is counted by the informer and the stream goes on. The informers are run by the caller.
 */
export async function streamEvents<T extends StreamTarget>(
  options: EventStreamOptions<T>,
  signal: AbortSignal,
): Promise<WaitOutcome | undefined> {
  using ending = scope(signal);
  using stream = new EventStream(options, ending);
  try {
    stream.listen();
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

/** A handler that waits for its reader holds up the informer; behind an outlet, or for a waiter, none waits, and none falls behind. */
const BLOCKING = { policy: 'block' } as const;

type Step = () => void | Promise<void>;

/** How far the waiter has read a target. */
interface Listening {
  registration: Registration | undefined;
  /** The place of the last change it took. */
  sequence: number;
}

/** How far the showing of a target is. */
interface Shown {
  registration: Registration | undefined;
  objects: number;
  /** The first state while it is held back to be sorted, and what came before it was whole. */
  held: { readonly first: ObjectChange[]; readonly later: Step[] } | undefined;
  isSynced: boolean;
  /** The place of the last change that was taken from the queue. */
  sequence: number;
  /** The place of a change that was taken from the queue and waits for the waiter to read up to it. */
  waitingAt: number | undefined;
}

/** Where a stream that has its outcome ends: behind the change that decided it, and behind these first states. */
interface LastStop {
  readonly firstStates: readonly StreamTarget[];
  readonly target: StreamTarget | undefined;
  readonly object: ReadonlyObject | undefined;
  /** The place in the notifications of the target that the waiter had read when it decided. */
  readonly sequence: number;
  isPassed: boolean;
}

class EventStream<T extends StreamTarget> implements Disposable {
  readonly #options: EventStreamOptions<T>;
  readonly #ending: Scope;
  readonly #outlet: Outlet<T> | undefined;
  readonly #listening = new Map<T, Listening>();
  /** Rings at each step of the waiter. */
  readonly #progress = new Bell();
  readonly #shown = new Map<T, Shown>();
  #lastStop: LastStop | undefined;
  #isStopping = false;
  #isLosing = false;
  /** Gaps and outages without a marker so far, and what was lost and came too late to be told. */
  readonly #unmarked = new Map<OrderedContinuity, T>();
  readonly #untold: Loss[] = [];
  readonly #observing: Disposable[];
  failure: { readonly error: unknown } | undefined;

  constructor(options: EventStreamOptions<T>, ending: Scope) {
    this.#options = options;
    this.#ending = ending;
    this.#observing = options.targets.map((target) => target.informer.onContinuity((event) => this.#heard(target, event)));
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

  /** Lets the waiter hear all targets, before any is shown: what it decides about has then not been shown yet. */
  listen(): void {
    const { waiter, targets } = this.#options;
    if (!waiter) return;
    for (const target of targets) this.#listenTo(target, waiter);
    void waiter.outcome.then((outcome) => this.#endWith(outcome)); // the time may decide, too
  }

  /** Shows a target's first state, and from then on its changes. Resolves when its first state has been handed on. */
  async show(target: T): Promise<void> {
    const { sortInitial } = this.#options;
    const { signal } = this.#ending;
    if (signal.aborted) return;
    const held = sortInitial ? { first: [], later: [] } : undefined;
    const shown: Shown = { registration: undefined, objects: 0, held, isSynced: false, sequence: 0, waitingAt: undefined };
    this.#shown.set(target, shown);
    shown.registration = target.informer.addHandler(this.#showing(target, shown), BLOCKING);
    const synced = shown.registration.whenSynced();
    await abortable(target.refused ? Promise.race([synced, target.refused]) : synced, signal);
  }

  /** Everything handed on so far has been written. */
  async written(): Promise<void> {
    if (this.#outlet) await abortable(this.#outlet.reached(), this.#ending.signal);
  }

  /** Lets nothing more out, and gives what has not been told. */
  end(): Untold<T> {
    const waiting = this.#isStopping
      ? 0
      : (this.#outlet?.waiting ?? 0) + sumOf(this.#shown.values(), (shown) => shown.registration?.depth ?? 0);
    this.#ending.abort();
    const last = this.#outlet?.untold;
    return {
      continuity: [...this.#unmarked].map(([event, target]) => ({ target, event })),
      losses: last ? [...this.#untold, last] : [...this.#untold],
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

  // --- showing ---------------------------------------------------------------------------------------------------------------------

  #showing(target: T, shown: Shown): Handler {
    const inStep = (object: ReadonlyObject | undefined, sequence: number, run: Step) => {
      shown.sequence = sequence;
      return this.#isUnread(target, sequence)
        ? this.#untilRead(target, sequence, shown).then(() => this.#taken(target, object, run()))
        : this.#taken(target, object, run());
    };
    const take: TakeChange = (change, sequence) => inStep(change.object, sequence, () => this.#takeOrHold(change, target, shown));
    return {
      ...changeHandler(take, (object, sequence) => inStep(object, sequence, () => {})),
      synced: () => inStep(undefined, shown.sequence, () => this.#firstShown(target, shown)),
      continuity: (event) => inStep(undefined, shown.sequence, () => this.#told(target, event, shown)),
    };
  }

  /** Whether the waiter has not read the notifications of a target up to this place: it may decide on one of them. */
  #isUnread(target: T, sequence: number): boolean {
    return isAtMost(this.#listening.get(target)?.registration?.nextSequence, sequence);
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
    if (!shown.held) return this.#take(change, target);
    if (isFirst) shown.held.first.push(change);
    else shown.held.later.push(() => this.#take(change, target));
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
    return parts ? inTurn(parts, (part) => this.#writeOne(part, target, receivedMs)) : this.#writeOne(change, target, receivedMs);
  }

  /** What is not printed has no number. */
  #writeOne(change: ObjectChange, target: T, receivedMs: number | undefined): void | Promise<void> {
    const { enveloper, print } = this.#options;
    if (this.#ending.signal.aborted) return;
    const [event] = enveloper.envelop(change, target.type, receivedMs);
    if (event) return print(event, target);
  }

  async #firstShown(target: T, shown: Shown): Promise<void> {
    const { sortInitial, onSynced, mark, enveloper } = this.#options;
    const { first = [], later = [] } = shown.held ?? {};
    first.sort((a, b) => sortInitial?.(a.object, b.object, target) ?? 0);
    await inTurn(first, (change) => this.#take(change, target));
    const resourceVersion = versionOf(target);
    await this.#step(() => onSynced?.(target, shown.objects));
    if (mark) await this.#step(() => mark(syncedMarker(enveloper, target, shown.objects, resourceVersion)));
    await inTurn(later, (step) => step());
    shown.held = undefined;
    shown.isSynced = true;
    this.#stopIfThere();
  }

  #told(target: T, event: OrderedContinuity, { held }: Shown): void | Promise<void> {
    const { mark, enveloper } = this.#options;
    if (!mark) return;
    const step = () =>
      this.#step(() => {
        this.#unmarked.delete(event);
        return mark(continuityMarker(enveloper, target, event));
      });
    if (!held) return step();
    held.later.push(step);
  }

  #heard(target: T, event: ContinuityEvent): void {
    if (event.kind === 'gap' || event.kind === 'disconnected') this.#unmarked.set(event, target);
    if (event.kind === 'connected') this.#forget('disconnected', target, event.scope);
    if (event.kind === 'relisted' && !this.#shown.has(target)) this.#forget('gap', target, event.scope);
  }

  /** An outage that is over by the end is no longer worth a record there; nor is a gap of a state that was never shown. */
  #forget(kind: OrderedContinuity['kind'], target: T, scope: string | undefined): void {
    for (const [event, of] of this.#unmarked) {
      if (event.kind === kind && of === target && event.scope === scope) this.#unmarked.delete(event);
    }
  }

  #lost(loss: Loss): void | Promise<void> {
    const { mark, enveloper, onLoss } = this.#options;
    this.#isLosing = false;
    if (this.#ending.signal.aborted) {
      this.#untold.push(loss);
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

  /** Does something in its place in the stream. */
  #step(run: Step): void | Promise<void> {
    const step = () => (this.#ending.signal.aborted ? undefined : run());
    if (this.#outlet) this.#outlet.step(step);
    else return step();
  }

  #fail(error: unknown): void {
    this.failure ??= { error };
    this.#ending.abort();
  }

  // --- ending ----------------------------------------------------------------------------------------------------------------------

  #listenTo(target: T, waiter: Waiter): void {
    const listening: Listening = { registration: undefined, sequence: 0 };
    this.#listening.set(target, listening);
    const step = (run: () => void) => {
      run();
      if (waiter.settled) this.#endWith(waiter.settled);
      this.#progress.wake();
    };
    const hear: TakeChange = (change, sequence) => {
      listening.sequence = sequence;
      step(() => waiter.hear(change, target));
    };
    const handler: Handler = {
      ...changeHandler(hear, () => this.#progress.wake()),
      synced: () => step(() => waiter.synced(target)),
      continuity: () => this.#progress.wake(),
    };
    listening.registration = target.informer.addHandler(handler, BLOCKING);
  }

  /** What has been decided upon is shown first, unless a first state that is not there yet stands before it. */
  #endWith({ kind, by }: WaitOutcome): void {
    if (this.#lastStop) return;
    const { targets } = this.#options;
    const isAboutAll = kind === 'until' || kind === 'for';
    const firstStates = isAboutAll ? targets : targets.slice(0, targets.indexOf(by?.target as T) + 1);
    const target = by?.target as T | undefined;
    const sequence = (target && this.#listening.get(target)?.sequence) ?? 0;
    const isPassed = !by?.object || !target || isShownUpTo(this.#shown.get(target), sequence);
    this.#lastStop = { firstStates, target, object: by?.object, sequence, isPassed };
    if (firstStates.every(({ informer }) => informer.hasSynced)) this.#stopIfThere();
    else this.#stop();
  }

  /** Notices when the last stop is passed. */
  #taken(target: T, object: ReadonlyObject | undefined, result: void | Promise<void>): void | Promise<void> {
    const stop = this.#lastStop;
    if (!stop || stop.target !== target || stop.isPassed) return result;
    stop.isPassed = (object !== undefined && object === stop.object) || isShownUpTo(this.#shown.get(target), stop.sequence);
    if (!result) return this.#stopIfThere();
    return result.finally(() => this.#stopIfThere());
  }

  #stopIfThere(): void {
    const stop = this.#lastStop;
    if (stop?.isPassed && stop.firstStates.every((target) => this.#shown.get(target as T)?.isSynced)) this.#stop();
  }

  #stop(): void {
    this.#isStopping = true;
    if (this.#outlet) this.#outlet.step(() => this.#ending.abort());
    else this.#ending.abort();
  }
}

/** Whether nothing up to this place is still to be shown; so for a target that is not shown yet. */
function isShownUpTo(shown: Shown | undefined, sequence: number): boolean {
  return !isAtMost(shown?.waitingAt, sequence) && !isAtMost(shown?.registration?.nextSequence, sequence);
}

const isAtMost = (place: number | undefined, sequence: number) => place !== undefined && place <= sequence;

const sumOf = <T>(items: Iterable<T>, count: (item: T) => number) => [...items].reduce((sum, item) => sum + count(item), 0);

/** The version of a first state; undefined when it was taken in parts. */
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
