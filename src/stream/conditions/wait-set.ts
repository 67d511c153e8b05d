import type { Clock } from '../../kit/clock.ts';
import { joinKey, keyOf, type ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ObjectChange } from '../envelope.ts';
import { type CompiledCondition, type ConditionJudge, type EventVariables, variablesOf } from './condition.ts';
import type { ForCondition } from './for-condition.ts';
import type { WaitRules, WaitTarget } from './wait-rules.ts';

/** How many objects meet a rule, out of how many. */
export interface Tally {
  readonly met: number;
  readonly total: number;
}

/** An object, or a given name of which there is no object. */
interface Member {
  isPresent: boolean;
  /** The latest state. It is kept only if an answer depends on the time. */
  object: ReadonlyObject | undefined;
  /** Whether the user gave its name, so that it counts while it is absent. */
  readonly isNamed: boolean;
  until: boolean;
  any: boolean;
  hasFailed: boolean;
  /** Whether `for` waits for it. */
  inFor: boolean;
  /** The number of conditions of `for` that it has met. */
  stage: number;
}

type Kind = 'until' | 'for' | 'any';

/**
 * The objects of one type in a wait, and which rules each of them meets. The tallies are updated with each change, so
 * that the cost of a change does not depend on the number of objects.
 */
export class WaitSet {
  readonly target: WaitTarget;
  readonly #rules: WaitRules;
  readonly #judge: ConditionJudge;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #members = new Map<ObjectKey, Member>();
  /** The conditions of `for`. */
  readonly #steps: readonly ForCondition[];
  readonly #hasDelete: boolean;
  readonly #keepsObjects: boolean;
  readonly tallies: Readonly<Record<Kind, { met: number; total: number }>> = {
    until: { met: 0, total: 0 },
    for: { met: 0, total: 0 },
    any: { met: 0, total: 0 },
  };
  #failed = 0;
  isSynced = false;
  /** The error of a `for` condition that cannot be evaluated. */
  error: Error | undefined;

  constructor(target: WaitTarget, rules: WaitRules, judge: ConditionJudge, clock: Pick<Clock, 'now'>) {
    this.target = target;
    this.#rules = rules;
    this.#judge = judge;
    this.#clock = clock;
    this.#steps = rules.for ?? [];
    this.#hasDelete = this.#steps.some(({ kind }) => kind === 'delete');
    this.#keepsObjects = dependsOnTime(rules);
    for (const key of namedKeys(target)) this.#put(key, absent(true, this.#steps.length > 0));
  }

  /** Whether some object meets `failIf`, or met it in its final state. */
  hasFailed(): boolean {
    return this.#failed > 0;
  }

  /** The keys of at most `most` objects that do not meet the rule. */
  unmet(kind: Kind, most: number): ObjectKey[] {
    const out: ObjectKey[] = [];
    for (const [key, member] of this.#members) {
      if (out.length >= most) break;
      if (this.#counts(member, kind) && !this.#isMet(member, kind)) out.push(key);
    }
    return out;
  }

  /** Whether a given name still waits for an object that meets the rule. Without a namespace it may be in any. */
  isAwaited(kind: Kind, key: ObjectKey): boolean {
    if (kind === 'for' && this.#hasDelete) return false;
    return [key, key.slice(key.lastIndexOf('/') + 1)].some((each) => {
      const member = this.#members.get(each);
      return member?.isNamed === true && this.#counts(member, kind) && !this.#isMet(member, kind);
    });
  }

  /** The keys of the objects that meet `failIf`, or `untilAny`. */
  meeting(kind: 'fail-if' | 'until-any'): ObjectKey[] {
    return [...this.#members]
      .filter(([, { hasFailed, any }]) => (kind === 'fail-if' ? hasFailed : any))
      .map(([key]) => key);
  }

  /** Must be called when the initial list is complete. A given name that is not in it is absent from then on. */
  synced(): void {
    this.isSynced = true;
    for (const [key, member] of this.#members)
      if (!member.isPresent) this.#change(key, member, () => this.#advance(member, undefined));
  }

  /** Evaluates again the conditions that depend on the time. The answers of conditions that read events stay. */
  askAgain(): void {
    for (const [key, member] of this.#members) {
      const { object } = member;
      if (!object) continue;
      const variables = variablesOf(
        { type: 'updated', object, oldObject: object, cause: 'resync' },
        this.#clock.now(),
        this.target.type,
      );
      this.#change(key, member, () => this.#askMemberAgain(member, variables));
    }
  }

  /** Takes a change. If names were given, changes of objects with other names are ignored. */
  handle(change: ObjectChange): void {
    const { type, object } = change;
    const name = object.metadata.name ?? '';
    const { names } = this.target;
    if (names && !names.has(name)) return;
    const variables = this.#readsVariables ? variablesOf(change, this.#clock.now(), this.target.type) : undefined;
    const key = keyOf(object);
    if (type === 'deleted') this.#remove(key, name, variables);
    else this.#update(key, name, object, variables);
  }

  get #readsVariables(): boolean {
    const { until, untilAny, failIf } = this.#rules;
    return until !== undefined || untilAny !== undefined || failIf !== undefined;
  }

  #update(key: ObjectKey, name: string, object: ReadonlyObject, variables: EventVariables | undefined): void {
    const member = this.#members.get(key) ?? this.#newcomer(key, name);
    this.#change(key, member, () => {
      if (!member.isPresent && !this.#hasDelete) member.stage = 0;
      member.isPresent = true;
      if (this.#keepsObjects) member.object = object;
      this.#advance(member, object);
      if (variables) this.#ask(member, variables);
    });
  }

  #remove(key: ObjectKey, name: string, variables: EventVariables | undefined): void {
    const member = this.#members.get(key);
    if (!member) return;
    this.#change(key, member, () => {
      member.isPresent = false;
      member.object = undefined;
      this.#advance(member, undefined);
      if (!member.isNamed && !this.#isDone(member) && !this.#hasDelete) member.inFor = false;
      member.until = false;
      member.any =
        this.isSynced && !this.#rules.staysMs && this.#holdsAny(this.#rules.untilAny?.filter(readsEvent), variables);
      member.hasFailed = this.isSynced && this.#holdsAny(this.#rules.failIf, variables); // the final state counts too
    });
    if (this.#looksEverywhere(name)) this.#addAbsent(name);
  }

  #ask(member: Member, variables: EventVariables): void {
    const { until, untilAny, failIf } = this.#rules;
    member.until = this.#holdsAll(until, variables);
    member.any = this.#holdsAny(this.#judged(untilAny), variables);
    member.hasFailed = this.#holdsAny(this.#judged(failIf), variables);
  }

  #askMemberAgain(member: Member, variables: EventVariables): void {
    const { until, untilAny, failIf } = this.#rules;
    const isOfObjects = (conditions: readonly CompiledCondition[] | undefined) =>
      conditions !== undefined && !conditions.some(readsEvent);
    if (isOfObjects(until)) member.until = this.#holdsAll(until, variables);
    if (isOfObjects(untilAny)) member.any = this.#holdsAny(untilAny, variables);
    if (isOfObjects(failIf)) member.hasFailed = this.#holdsAny(failIf, variables);
  }

  /** The conditions that apply: an object of the initial list is not an event. */
  #judged(conditions: readonly CompiledCondition[] | undefined): readonly CompiledCondition[] | undefined {
    return this.isSynced ? conditions : conditions?.filter((condition) => !readsEvent(condition));
  }

  #holdsAll(conditions: readonly CompiledCondition[] | undefined, variables: EventVariables): boolean {
    return conditions?.every((condition) => this.#judge.holds(condition, variables)) === true;
  }

  #holdsAny(conditions: readonly CompiledCondition[] | undefined, variables: EventVariables | undefined): boolean {
    return variables !== undefined && conditions?.some((condition) => this.#judge.holds(condition, variables)) === true;
  }

  /** Moves an object through the conditions of `for`. One state may meet several of them in a row. */
  #advance(member: Member, object: ReadonlyObject | undefined): void {
    if (!member.inFor || (object === undefined && !this.isSynced)) return;
    if (this.#rules.staysMs && this.#isDone(member)) member.stage--; // the last one must still be met
    for (let step = this.#steps[member.stage]; step; step = this.#steps[++member.stage]) {
      const answer = step.met(object, this.target.type);
      if (answer instanceof Error) this.error ??= answer;
      if (answer !== true) return;
    }
  }

  /** Whether an object has met all conditions of `for`. */
  #isDone({ stage }: Member): boolean {
    return stage === this.#steps.length;
  }

  #newcomer(key: ObjectKey, name: string): Member {
    const isNamed = this.target.names !== undefined;
    if (this.#looksEverywhere(name)) this.#drop(name);
    const [step] = this.#steps;
    const isAskedFor = isNamed || !this.isSynced || step?.kind !== 'delete' || !!this.#rules.staysMs;
    const member = absent(isNamed && !this.#looksEverywhere(name), step !== undefined && isAskedFor);
    this.#put(key, member);
    return member;
  }

  /** Whether a name was given without a namespace. It is a member of its own while no namespace has such an object. */
  #looksEverywhere(name: string): boolean {
    return this.target.type.namespaced && this.target.names?.has(name) === true && isEverywhere(this.target);
  }

  #addAbsent(name: string): void {
    for (const [key, member] of this.#members)
      if (key.endsWith(`/${name}`) && (member.isPresent || (member.inFor && this.#isDone(member)))) return;
    if (!this.#members.has(name)) this.#put(name, absent(true, this.#steps.length > 0));
  }

  // --- counting ---

  #change(key: ObjectKey, member: Member, run: () => void): void {
    this.#count(member, -1);
    run();
    this.#count(member, 1);
    if (member.isPresent || member.isNamed || member.inFor) return;
    this.#drop(key);
    if (member.hasFailed) this.#failed++; // it happened, and no later state of the object can undo it
    if (member.any) this.tallies.any.met++;
  }

  #put(key: ObjectKey, member: Member): void {
    this.#members.set(key, member);
    this.#count(member, 1);
  }

  #drop(key: ObjectKey): void {
    const member = this.#members.get(key);
    if (!member) return;
    this.#members.delete(key);
    this.#count(member, -1);
  }

  #count(member: Member, by: 1 | -1): void {
    if (member.hasFailed) this.#failed += by;
    for (const kind of KINDS) {
      if (!this.#counts(member, kind)) continue;
      this.tallies[kind].total += by;
      if (this.#isMet(member, kind)) this.tallies[kind].met += by;
    }
  }

  #counts(member: Member, kind: Kind): boolean {
    if (kind === 'for') return member.inFor;
    return member.isPresent || member.isNamed;
  }

  #isMet(member: Member, kind: Kind): boolean {
    return kind === 'for' ? this.#isDone(member) : member[kind];
  }
}

const KINDS = ['until', 'for', 'any'] as const;

/** The sum of the tallies of several sets. */
export function sumOf(sets: readonly WaitSet[], kind: Kind): Tally {
  let met = 0;
  let total = 0;
  for (const { tallies } of sets) {
    met += tallies[kind].met;
    total += tallies[kind].total;
  }
  return { met, total };
}

const absent = (isNamed: boolean, inFor: boolean): Member => ({
  isPresent: false,
  object: undefined,
  isNamed,
  until: false,
  any: false,
  hasFailed: false,
  inFor,
  stage: 0,
});

/** Whether a rule may become true by the passing of time alone. */
export function dependsOnTime({ until, untilAny, failIf }: WaitRules): boolean {
  return [until, untilAny, failIf].some((conditions) => conditions?.some(({ readsTime }) => readsTime));
}

const readsEvent = (condition: CompiledCondition) => condition.readsEvent;
const isEverywhere = ({ namespaces }: WaitTarget) => !namespaces?.length || namespaces.includes('');

function namedKeys(target: WaitTarget): ObjectKey[] {
  const { names = [], namespaces = [], type } = target;
  if (!type.namespaced || isEverywhere(target)) return [...names];
  return namespaces.flatMap((namespace) => [...names].map((name) => joinKey(namespace, name)));
}
