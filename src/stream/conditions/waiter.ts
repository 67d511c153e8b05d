import type { Clock, Timer } from '../../kit/clock.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { type ObjectChange, replacementParts } from '../envelope.ts';
import { type CompiledCondition, ConditionJudge } from './condition.ts';
import type { ForCondition } from './for-condition.ts';
import type { WaitRules, WaitTarget } from './wait-rules.ts';
import { dependsOnTime, sumOf, type Tally, WaitSet } from './wait-set.ts';

/** Why the waiting is over. `error`: a `--for` expression finds what it cannot compare, so that waiting on would be in vain. */
export type WaitOutcome = (
  | { readonly kind: 'until' | 'until-any' | 'fail-if' | 'for' }
  | { readonly kind: 'error'; readonly error: Error }
) & {
  /** What decided it: a change, or without an object the first state of the target; undefined when the time did. */
  readonly by?: { readonly target: WaitTarget; readonly object: ReadonlyObject | undefined } | undefined;
  /** Of `until-any` and `fail-if`: the objects that meet it. At most three of them. */
  readonly deciders?: readonly Decider[] | undefined;
  /** How many objects meet it, named or not. */
  readonly decided?: number | undefined;
};

export interface Decider {
  readonly target: WaitTarget;
  readonly key: ObjectKey;
}

export interface WaitProgress {
  readonly met: number;
  readonly total: number;
  /** A few of those that do not meet it yet: `web-2`; `pods/web-2` of several types, `shop/web-2` of several namespaces. */
  readonly waitingFor: readonly string[];
  /** What those that meet it are. */
  readonly word: 'met' | 'created' | 'deleted' | 'rolled out';
  /** The first object that meets it ends the waiting. */
  readonly isOneEnough: boolean;
  /** How long it must stay so, ms. */
  readonly staysMs?: number | undefined;
}

export interface WaiterOptions {
  readonly clock: Clock;
  readonly targets: readonly WaitTarget[];
  /** Hears of the first evaluation error of each condition. */
  readonly onError?: ((error: Error, condition: CompiledCondition) => void) | undefined;
  /** Called when `progress()` has new numbers, after the first states; not more often than changes come. */
  readonly onProgress?: (() => void) | undefined;
}

/**
 * Judges after every single change whether what a stream waits for has come, so that a state that lasts from one event to the next is seen.
 *
 * Promises: nothing is judged before a first state is whole: for `until` and `for` that of every target, for `untilAny` and `failIf` that of the
 * target. A name that was given counts as an object that meets nothing while there is none of it; for `delete` its absence is what is waited for,
 * so one that never existed has met it, as with kubectl. With several kinds of rules the first to be met ends the waiting; `failIf` goes first.
 *
 * `for` differs from `until` as kubectl does: an object that met the last condition is done with, whatever becomes of it; another one under its
 * name begins anew. Without names, `delete` waits for the objects of the first state, those that come later are not asked for. With
 * `staysMs` nothing is done with: all of them must meet the last condition at one time, and go on to.
 * An expression that names `now` is judged again every second, unless it reads events too.
 */
export class Waiter implements Disposable {
  readonly outcome: Promise<WaitOutcome>;
  readonly #rules: WaitRules;
  readonly #clock: Clock;
  readonly #judge: ConditionJudge;
  readonly #sets: ReadonlyMap<WaitTarget, WaitSet>;
  readonly #timers = new Map<WaitOutcome['kind'], Timer>();
  readonly #onProgress: (() => void) | undefined;
  #last: Tally = { met: -1, total: -1 };
  #tick: Timer | undefined;
  #isBlind = false;
  /** Runs while what was missed is still to come. */
  #catchingUp: Timer | undefined;
  /** What has stayed for long enough as far as anybody knows. */
  readonly #overdue = new Set<'until' | 'until-any' | 'for'>();
  #settle: (outcome: WaitOutcome) => void = () => {};
  #settled: WaitOutcome | undefined;

  constructor(rules: WaitRules, { clock, targets, onError, onProgress }: WaiterOptions) {
    this.#rules = rules;
    this.#clock = clock;
    this.#onProgress = onProgress;
    this.#judge = new ConditionJudge(onError);
    this.#sets = new Map(targets.map((target) => [target, new WaitSet(target, rules, this.#judge, clock)]));
    this.outcome = new Promise((resolve) => (this.#settle = resolve));
  }

  /** The outcome, once there is one. */
  get settled(): WaitOutcome | undefined {
    return this.#settled;
  }

  /** Evaluations that failed; each counted as not met. */
  get errors(): number {
    return this.#judge.errors;
  }

  /** Every change of every object, in order, the first state's too. */
  hear(change: ObjectChange, target: WaitTarget): void {
    const set = this.#sets.get(target);
    if (this.#settled || !set) return;
    const by = { target, object: change.object };
    const [deleted, last] = replacementParts(change) ?? [undefined, change];
    if (deleted) {
      set.hear(deleted);
      if (set.isSynced) this.#passThrough(by);
    }
    if (this.#settled) return;
    set.hear(last);
    if (set.isSynced) this.#decide(by);
  }

  /**
   * Says whether everything that is waited for is seen as it happens. While it is not, time decides nothing: what was last seen may have
   * changed since. What became due meanwhile is decided a second after it is seen again.
   */
  see(isSeen: boolean): void {
    if (isSeen !== this.#isBlind || this.#settled) return;
    this.#isBlind = !isSeen;
    this.#catchingUp?.cancel();
    this.#catchingUp = undefined;
    if (isSeen) this.#catchingUp = this.#clock.after(CATCH_UP_MS, () => this.#caughtUp());
  }

  /** The first state of a target is whole. */
  synced(target: WaitTarget): void {
    const set = this.#sets.get(target);
    if (this.#settled || !set || set.isSynced) return;
    set.synced();
    if (dependsOnTime(this.#rules)) this.#tickLater();
    this.#decide({ target, object: undefined });
  }

  /** How far `until` is; else `for`; else `untilAny`. `most` bounds the names. */
  progress(most = 3): WaitProgress {
    const { kind, tally } = this.#foremost();
    const waitingFor: string[] = [];
    for (const set of this.#sets.values()) {
      if (waitingFor.length >= most) break;
      waitingFor.push(...set.unmet(kind, most - waitingFor.length).map((key) => this.#nameOf(set, key)));
    }
    return {
      met: tally.met,
      total: tally.total,
      waitingFor,
      word: this.#word(kind),
      isOneEnough: kind === 'any',
      staysMs: this.#rules.staysMs,
    };
  }

  /**
   * What to say when time runs out, in kubectl's words: `timed out waiting for the condition on pods/web-2`; when there was no time but for
   * one look, `condition not met for pods/web-2`.
   */
  timeoutText(isOneLook = false): string {
    const [words, before] = isOneLook ? ['condition not met', 'for'] : ['timed out waiting for the condition', 'on'];
    const { kind, tally } = this.#foremost();
    const names = [...this.#sets.values()].flatMap((set) => {
      const resource = set.target.type.gvr.resource;
      return set.unmet(kind, MOST_NAMED).map((key) => `${resource}/${key.slice(key.lastIndexOf('/') + 1)}`);
    });
    if (names.length === 0) return `${words}: ${tally.total === 0 ? 'no matching resources found' : 'it did not stay'}`;
    const others = tally.total - tally.met - Math.min(names.length, MOST_NAMED);
    return `${words} ${before} ${names.slice(0, MOST_NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#tick?.cancel();
    this.#catchingUp?.cancel();
  }

  #caughtUp(): void {
    this.#catchingUp = undefined;
    for (const kind of this.#overdue) this.#end({ kind });
  }

  /** Whether a change may decide: of several targets one that is not seen may have changed as well. */
  #isKnown(kind: 'until' | 'until-any' | 'for'): boolean {
    return this.#isSeeing || this.#sets.size === 1 || kind === 'until-any';
  }

  get #isSeeing(): boolean {
    return !this.#isBlind && !this.#catchingUp;
  }

  #tickLater(): void {
    this.#tick?.cancel();
    this.#tick = this.#clock.after(TICK_MS, () => {
      if (!this.#isSeeing) return this.#tickLater();
      for (const set of this.#sets.values()) if (set.isSynced) set.again();
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
   * An object has gone, and another one is in its place. What asks for a deletion has got it, and what had to stay has not; but that the others
   * are all there are is nothing to end by.
   */
  #passThrough(by: WaitOutcome['by']): void {
    const synced = [...this.#sets.values()].filter((set) => set.isSynced);
    if (synced.some((set) => set.hasFailed())) this.#end({ kind: 'fail-if', by });
    else if (this.#rules.untilAny) this.#hold('until-any', sumOf(synced, 'any').met > 0, by);
    for (const kind of ['until', 'for'] as const) if (!isComplete(sumOf(synced, kind))) this.#stopTimer(kind);
  }

  #progressed(tell: () => void): void {
    const { met, total } = this.#last;
    this.#last = this.#foremost().tally;
    if (met !== this.#last.met || total !== this.#last.total) tell();
  }

  #weigh(sets: readonly WaitSet[], synced: readonly WaitSet[], by: WaitOutcome['by']): void {
    const { until, untilAny } = this.#rules;
    const isWhole = synced.length === sets.length;
    if (until) this.#hold('until', isWhole && isComplete(sumOf(sets, 'until')), by);
    if (this.#rules.for) this.#hold('for', isWhole && this.#isForMet(sumOf(sets, 'for')), by);
    if (untilAny) this.#hold('until-any', sumOf(synced, 'any').met > 0, by);
  }

  #isForMet(tally: Tally): boolean {
    return isComplete(tally) || (tally.total === 0 && this.#rules.for?.[0]?.kind === 'delete');
  }

  /** Ends the waiting when something holds, or has held for long enough. */
  #hold(kind: 'until' | 'until-any' | 'for', isMet: boolean, by: WaitOutcome['by']): void {
    const { staysMs = 0 } = this.#rules;
    const timer = this.#timers.get(kind);
    if (isMet && staysMs <= 0 && this.#isKnown(kind)) this.#end({ kind, by });
    else if (isMet && staysMs <= 0) this.#overdue.add(kind);
    else if (isMet && !timer)
      this.#timers.set(
        kind,
        this.#clock.after(staysMs, () => this.#stayed(kind)),
      );
    else if (!isMet) this.#stopTimer(kind);
  }

  #stayed(kind: 'until' | 'until-any' | 'for'): void {
    if (this.#isSeeing) this.#end({ kind });
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
    return this.#sets.size > 1 ? `${target.type.gvr.resource}/${name}` : name;
  }
}

const MOST_NAMED = 3;
const WORDS: Partial<Record<ForCondition['kind'], WaitProgress['word']>> = { create: 'created', delete: 'deleted', rollout: 'rolled out' };
const TICK_MS = 1000;
const CATCH_UP_MS = 1000;

const isComplete = ({ met, total }: Tally) => total > 0 && met === total;
