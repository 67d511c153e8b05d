import type { Clock, Timer } from '../../kit/clock.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { type ObjectChange, replacementParts } from '../envelope.ts';
import { type CompiledCondition, ConditionJudge } from './condition.ts';
import type { ForCondition } from './for-condition.ts';
import type { WaitRules, WaitTarget } from './wait-rules.ts';
import { dependsOnTime, sumOf, type Tally, WaitSet } from './wait-set.ts';

/**
 * Why the wait is over. `error`: a `--for` expression found a value that it cannot compare, or a rollout has failed;
 * a longer wait would not help.
 */
export type WaitOutcome = (
  | { readonly kind: 'until' | 'until-any' | 'fail-if' | 'for' }
  | { readonly kind: 'error'; readonly error: Error }
) & {
  /**
   * The change that decided it, or the initial list of the target (then there is no object). Undefined when the passing
   * of time decided it.
   */
  readonly by?: { readonly target: WaitTarget; readonly object: ReadonlyObject | undefined } | undefined;
  /** With `until-any` and `fail-if`: at most three of the objects that meet the condition. */
  readonly deciders?: readonly Decider[] | undefined;
  /** With `until-any` and `fail-if`: the number of objects that meet the condition. */
  readonly decided?: number | undefined;
};

/** An object that decided a wait. */
export interface Decider {
  readonly target: WaitTarget;
  readonly key: ObjectKey;
}

/** How far a wait has come. */
export interface WaitProgress {
  /** The number of objects that meet the condition, out of `total`. */
  readonly met: number;
  readonly total: number;
  /**
   * Some of the objects that do not meet it yet: `web-2`; `pods/web-2` when there are several types, `shop/web-2` when
   * there are several namespaces.
   */
  readonly waitingFor: readonly string[];
  /** The word for an object that meets the condition. */
  readonly word: 'met' | 'created' | 'deleted' | 'rolled out';
  /** Whether the first object that meets it ends the wait. */
  readonly isOneEnough: boolean;
  /** How long the condition must stay met, ms. */
  readonly staysMs?: number | undefined;
}

export interface WaiterOptions {
  readonly clock: Clock;
  readonly targets: readonly WaitTarget[];
  /** Called with the first evaluation error of each condition. */
  readonly onError?: ((error: Error, condition: CompiledCondition) => void) | undefined;
  /** Called when `progress()` has new numbers, once the initial lists are complete. At most once per change. */
  readonly onProgress?: (() => void) | undefined;
  /** Called when an object that is waited for by name was deleted, and did not meet the condition before. */
  readonly onGone?: ((object: Decider) => void) | undefined;
  /**
   * Whether all targets are known. While they are not, nothing is decided about all objects: targets are still to be
   * added. Default: they are.
   */
  readonly isComplete?: (() => boolean) | undefined;
}

/**
 * Decides when a stream has what it waits for. It evaluates the conditions after every single change, so that a state
 * between two events is not missed.
 *
 * Promises:
 * - Nothing is decided before the initial list is complete: that of every target for `until` and `for`, that of the
 *   object's target for `untilAny` and `failIf`.
 * - A name that was given counts as an object that meets nothing while there is no such object. For `delete` the
 *   absence is the goal, so a name that never existed has met it, as with kubectl.
 * - With several kinds of rules, the first one that is met ends the wait. `failIf` is evaluated first.
 * - `for` differs from `until` as in kubectl: an object that has met the last condition is done, whatever happens to it
 *   later. A new object with the same name starts from the first condition.
 * - Without names, `delete` waits for the objects of the initial list only.
 * - With `staysMs` no object is ever done: all of them must meet the last condition at the same time, without a break.
 * - An expression that reads `now` is evaluated again every second, unless it reads events too.
 */
export class Waiter implements Disposable {
  readonly outcome: Promise<WaitOutcome>;
  readonly #rules: WaitRules;
  readonly #clock: Clock;
  readonly #judge: ConditionJudge;
  readonly #sets: Map<WaitTarget, WaitSet>;
  readonly #timers = new Map<WaitOutcome['kind'], Timer>();
  readonly #onProgress: (() => void) | undefined;
  readonly #onGone: ((object: Decider) => void) | undefined;
  readonly #isComplete: () => boolean;
  #last: Tally | undefined;
  #tick: Timer | undefined;
  #isDisconnected = false;
  /** Runs after a reconnection, while missed changes may still arrive. */
  #catchingUp: Timer | undefined;
  /** Rules that were met for long enough by the last known states, while it was not known whether these are current. */
  readonly #overdue = new Set<'until' | 'until-any' | 'for'>();
  #settle: (outcome: WaitOutcome) => void = () => {};
  #settled: WaitOutcome | undefined;

  constructor(rules: WaitRules, options: WaiterOptions) {
    const { clock, targets, onError, onProgress, onGone, isComplete = () => true } = options;
    this.#rules = rules;
    this.#clock = clock;
    this.#onProgress = onProgress;
    this.#onGone = onGone;
    this.#isComplete = isComplete;
    this.#judge = new ConditionJudge(onError);
    this.#sets = new Map(targets.map((target) => [target, new WaitSet(target, rules, this.#judge, clock)]));
    this.outcome = new Promise((resolve) => (this.#settle = resolve));
  }

  /** The outcome; undefined while the wait goes on. */
  get settled(): WaitOutcome | undefined {
    return this.#settled;
  }

  /** Evaluations that failed; each counted as not met. */
  get errors(): number {
    return this.#judge.errors;
  }

  /** Adds a target. Nothing about all objects is decided before its initial list is complete. */
  add(target: WaitTarget): void {
    this.#sets.set(target, new WaitSet(target, this.#rules, this.#judge, this.#clock));
  }

  /** Takes a change. The caller must pass every change of every object, in order, and those of the initial list too. */
  handle(change: ObjectChange, target: WaitTarget): void {
    const set = this.#sets.get(target);
    if (this.#settled || !set) return;
    const by = { target, object: change.object };
    const [deleted, last] = replacementParts(change) ?? [undefined, change];
    if (deleted) {
      set.handle(deleted);
      if (set.isSynced) this.#passThrough(by);
    }
    if (this.#settled) return;
    set.handle(last);
    if (!set.isSynced) return;
    this.#decide(by);
    if (last.type === 'deleted' && !this.#settled) this.#gone(set, keyOf(last.object));
  }

  /**
   * Sets whether every target has a connection. Without one, the passing of time decides nothing, because the last
   * known states may be out of date. What became due meanwhile is decided one second after the reconnection.
   */
  setConnected(isConnected: boolean): void {
    if (isConnected !== this.#isDisconnected || this.#settled) return;
    this.#isDisconnected = !isConnected;
    this.#catchingUp?.cancel();
    if (isConnected) this.#catchingUp = this.#clock.after(CATCH_UP_MS, () => this.#caughtUp());
  }

  /** Must be called when the initial list of a target is complete. */
  synced(target: WaitTarget): void {
    const set = this.#sets.get(target);
    if (this.#settled || !set) return;
    set.synced();
    if (dependsOnTime(this.#rules)) this.#tickLater();
    this.#decide({ target, object: undefined });
  }

  /** The progress of `until`; without it of `for`; without that of `untilAny`. It has at most `most` names. */
  progress(most = 3): WaitProgress {
    const { kind, tally } = this.#foremost();
    const unmet = [...this.#sets.values()].flatMap((set) => set.unmet(kind, most).map((key) => this.#nameOf(set, key)));
    return {
      met: tally.met,
      total: tally.total,
      waitingFor: unmet.slice(0, most),
      word: this.#word(kind),
      isOneEnough: kind === 'any',
      staysMs: this.#rules.staysMs,
    };
  }

  /**
   * The message for a timeout, in kubectl's words: `timed out waiting for the condition on pods/web-2`. For a timeout
   * of 0, which looks once: `condition not met for pods/web-2`.
   */
  timeoutText(isOneLook = false): string {
    const [words, before] = isOneLook ? ['condition not met', 'for'] : ['timed out waiting for the condition', 'on'];
    const { kind, tally } = this.#foremost();
    const names = [...this.#sets.values()].flatMap((set) => {
      const resource = set.target.type.gvr.resource;
      const cluster = inCluster(set.target);
      return set.unmet(kind, MOST_NAMED).map((key) => `${resource}/${key.slice(key.lastIndexOf('/') + 1)}${cluster}`);
    });
    if (names.length === 0 && !this.#isComplete()) return `${words}: not every cluster has answered`;
    if (names.length === 0) return `${words}: ${tally.total === 0 ? 'no matching resources found' : 'it did not stay'}`;
    const others = tally.total - tally.met - Math.min(names.length, MOST_NAMED);
    return `${words} ${before} ${names.slice(0, MOST_NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#tick?.cancel();
    this.#catchingUp?.cancel();
  }

  #caughtUp(): void {
    this.#catchingUp = undefined;
    for (const kind of this.#overdue) this.#end({ kind });
  }

  /** Whether a change may decide. With several targets, one without a connection may have changed too. */
  #isKnown(kind: 'until' | 'until-any' | 'for'): boolean {
    return this.#seesEverything || (this.#sets.size === 1 && this.#isComplete()) || kind === 'until-any';
  }

  get #seesEverything(): boolean {
    return !this.#isDisconnected && !this.#catchingUp;
  }

  #tickLater(): void {
    this.#tick?.cancel();
    this.#tick = this.#clock.after(TICK_MS, () => {
      if (!this.#seesEverything) return this.#tickLater();
      for (const set of this.#sets.values()) if (set.isSynced) set.askAgain();
      this.#decide(undefined);
      if (!this.#settled) this.#tickLater();
    });
  }

  #decide(by: WaitOutcome['by']): void {
    const sets = [...this.#sets.values()];
    const synced = sets.filter((set) => set.isSynced);
    const error = synced.find((set) => set.error)?.error;
    if (synced.some((set) => set.hasFailed())) this.#end({ kind: 'fail-if', by });
    else if (error) this.#end({ kind: 'error', error, by });
    else this.#weigh(sets, synced, by);
    if (this.#onProgress && synced.length === sets.length) this.#progressed(this.#onProgress);
  }

  /**
   * Decides between the two halves of a replacement: an object was deleted, and another one of the same name follows at
   * once. `failIf` and `untilAny` may be met by the deletion. A goal about all objects is not decided here, because the
   * set of objects is not complete.
   */
  #passThrough(by: WaitOutcome['by']): void {
    const synced = [...this.#sets.values()].filter((set) => set.isSynced);
    if (synced.some((set) => set.hasFailed())) this.#end({ kind: 'fail-if', by });
    else if (this.#rules.untilAny) this.#hold('until-any', sumOf(synced, 'any').met > 0, by);
    for (const kind of ['until', 'for'] as const) if (!isComplete(sumOf(synced, kind))) this.#stopTimer(kind);
  }

  #gone(set: WaitSet, key: ObjectKey): void {
    if (set.isAwaited(this.#foremost().kind, key)) this.#onGone?.({ target: set.target, key });
  }

  #progressed(report: () => void): void {
    const last = this.#last;
    this.#last = this.#foremost().tally;
    if (last?.met !== this.#last.met || last.total !== this.#last.total) report();
  }

  #weigh(sets: readonly WaitSet[], synced: readonly WaitSet[], by: WaitOutcome['by']): void {
    const { until, untilAny } = this.#rules;
    const isWhole = synced.length === sets.length && this.#isComplete();
    if (until) this.#hold('until', isWhole && isComplete(sumOf(sets, 'until')), by);
    if (this.#rules.for) this.#hold('for', isWhole && this.#isForMet(sumOf(sets, 'for')), by);
    if (untilAny) this.#hold('until-any', sumOf(synced, 'any').met > 0, by);
  }

  #isForMet(tally: Tally): boolean {
    return isComplete(tally) || (tally.total === 0 && this.#rules.for?.[0]?.kind === 'delete');
  }

  /** Ends the wait when a rule is met, or has been met for `staysMs`. */
  #hold(kind: 'until' | 'until-any' | 'for', isMet: boolean, by: WaitOutcome['by']): void {
    const { staysMs } = this.#rules;
    if (!isMet) this.#stopTimer(kind);
    else if (staysMs) this.#startTimer(kind, staysMs);
    else if (this.#isKnown(kind)) this.#end({ kind, by });
    else this.#overdue.add(kind);
  }

  #startTimer(kind: 'until' | 'until-any' | 'for', staysMs: number): void {
    if (this.#timers.has(kind)) return;
    const timer = this.#clock.after(staysMs, () => this.#stayed(kind));
    this.#timers.set(kind, timer);
  }

  #stayed(kind: 'until' | 'until-any' | 'for'): void {
    if (this.#seesEverything) this.#end({ kind });
    else this.#overdue.add(kind);
  }

  #stopTimer(kind: 'until' | 'until-any' | 'for'): void {
    this.#overdue.delete(kind);
    this.#timers.get(kind)?.cancel();
    this.#timers.delete(kind);
  }

  #end(outcome: WaitOutcome): void {
    if (this.#settled) return;
    this.#settled = { ...outcome, ...this.#decidersOf(outcome) };
    this[Symbol.dispose]();
    this.#settle(this.#settled);
  }

  #decidersOf({ kind, by }: WaitOutcome): Pick<WaitOutcome, 'deciders' | 'decided'> {
    if (kind !== 'until-any' && kind !== 'fail-if') return {};
    if (by?.object) return { deciders: [{ target: by.target, key: keyOf(by.object) }], decided: 1 };
    const synced = [...this.#sets.values()].filter((set) => set.isSynced);
    const keys = synced.map((set) => ({ target: set.target, keys: set.meeting(kind) }));
    const all = keys.flatMap(({ target, keys: each }) => each.map((key) => ({ target, key })));
    return { deciders: all.slice(0, MOST_NAMED), decided: all.length };
  }

  #foremost(): { kind: 'until' | 'for' | 'any'; tally: Tally } {
    const kind = this.#rules.until ? 'until' : this.#rules.for ? 'for' : 'any';
    return { kind, tally: sumOf([...this.#sets.values()], kind) };
  }

  #word(kind: 'until' | 'for' | 'any'): WaitProgress['word'] {
    const last = kind === 'for' ? this.#rules.for?.at(-1)?.kind : undefined;
    return (last && WORDS[last]) ?? 'met';
  }

  #nameOf({ target }: WaitSet, key: ObjectKey): string {
    const isOneNamespace = target.namespaces?.length === 1 && target.namespaces[0] !== '';
    const name = isOneNamespace ? key.slice(key.lastIndexOf('/') + 1) : key;
    return this.#sets.size > 1 ? `${target.type.gvr.resource}/${name}${inCluster(target)}` : name;
  }
}

/** ` in east`, for a target that names its cluster. */
const inCluster = ({ type: { cluster } }: WaitTarget) => (cluster === undefined ? '' : ` in ${cluster}`);

const MOST_NAMED = 3;
const WORDS: Partial<Record<ForCondition['kind'], WaitProgress['word']>> = {
  create: 'created',
  delete: 'deleted',
  rollout: 'rolled out',
};
const TICK_MS = 1000;
const CATCH_UP_MS = 1000;

const isComplete = ({ met, total }: Tally) => total > 0 && met === total;
