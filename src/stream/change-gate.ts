import type { Clock } from '../kit/clock.ts';
import { isTooDeep } from '../kit/depth.ts';
import { sameValue } from '../kit/same-value.ts';
import { keyOf, type ObjectKey } from '../model/key.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { OBJECT_PARTS, type ObjectPart, partChanged } from '../model/object-parts.ts';
import { isNoise } from './changes/noise.ts';
import type { SameBut } from './changes/path-mask.ts';
import { type CompiledCondition, ConditionJudge, eventTypeOf, variablesOf } from './conditions/condition.ts';
import { type EventWord, eventWordOf, type ObjectChange, replacementParts } from './envelope.ts';
import type { KindSource } from './shown-object.ts';

/** Whose changes they are. One object per type, the same one at every call: what is shown of it is remembered by it. */
export interface GateTarget {
  readonly type: KindSource;
  /** The only names that are shown. */
  readonly names?: ReadonlySet<string> | undefined;
}

/** What of a stream is shown. Rules of different kinds must all hold. */
export interface GateRules {
  /** `--filter` and `--where`, all of which must hold. */
  readonly conditions?: readonly CompiledCondition[] | undefined;
  /** `--name` and `--exclude-name`. */
  readonly name?: { test(name: string): boolean } | undefined;
  readonly excludeName?: { test(name: string): boolean } | undefined;
  /** `--watch-only`: the first state is known, but not shown. */
  readonly watchOnly?: boolean | undefined;
  /** `--on`, of events as they are shown. */
  readonly on?: ReadonlySet<EventWord> | undefined;
  /** `--predicate`: an update is shown that changes any of these parts. */
  readonly predicates?: readonly ObjectPart[] | undefined;
  /** `--changed`: an update is shown that changes what any of these finds. */
  readonly changed?: readonly ((object: ReadonlyObject) => readonly unknown[])[] | undefined;
  /** `--ignore-changes`: an update is not shown that changes nothing else. See `compileSameBut`. */
  readonly sameBut?: SameBut | undefined;
  /** `--no-noise`. See `isNoise`. */
  readonly noNoise?: boolean | undefined;
  /** Beside `noNoise`: whether two states of an object look alike as they are printed. An update between such is noise too. */
  readonly looksSame?: SameBut | undefined;
  readonly clock: Pick<Clock, 'now'>;
  /** Hears of the first evaluation error of each condition. */
  readonly onError?: ((error: Error, condition: CompiledCondition) => void) | undefined;
  /** Called with each remark of a condition. */
  readonly onRemark?: ((remark: string) => void) | undefined;
}

export interface ChangeGate {
  /** The change as it is to be shown, or undefined when it is not. Must be asked about every change, in order: it remembers. */
  pass(change: ObjectChange, target: GateTarget): ObjectChange | undefined;
  /** Evaluations that failed; each counted as no match. */
  readonly errors: number;
}

/**
 * The client-side filters in one pass, before a change is numbered.
 *
 * A condition about the object decides what belongs to the stream: an object that starts to match is an addition, one that stops matching a
 * deletion, cause `filter`. The verdict is remembered, not worked out anew from the old state, so that for expressions that depend on the time
 * (`now`, AGE) what was shown is also what leaves: per object the stream is always ADDED, MODIFIED …, DELETED. A leaving object is shown in
 * the state in which it left, for that tells why (client-go's FilteringResourceEventHandler hands out the old one, which is `oldObject` here).
 *
 * A condition that reads `event` or `oldObject` judges what happened, as the server told it, and what it turns down is just not shown.
 * Rules about what an update changed (predicates, changed, sameBut, noNoise) let additions and deletions through.
 * Updates of an object nested too deep for noNoise and sameBut pass both.
 * Another object under the same name is a deletion and an addition, each judged by itself.
 */
export function createChangeGate(rules: GateRules): ChangeGate {
  return new Gate(rules);
}

class Gate implements ChangeGate {
  readonly #rules: GateRules;
  readonly #judge: ConditionJudge;
  readonly #ofObjects: readonly CompiledCondition[];
  readonly #ofEvents: readonly CompiledCondition[];
  readonly #members = new Map<GateTarget, Set<ObjectKey>>();

  constructor(rules: GateRules) {
    this.#rules = rules;
    this.#judge = new ConditionJudge(rules.onError, rules.onRemark);
    this.#ofObjects = rules.conditions?.filter((condition) => !condition.readsEvent) ?? [];
    this.#ofEvents = rules.conditions?.filter((condition) => condition.readsEvent) ?? [];
  }

  get errors(): number {
    return this.#judge.errors;
  }

  pass(change: ObjectChange, target: GateTarget): ObjectChange | undefined {
    if (!this.#isNamed(change.object.metadata.name ?? '', target)) return undefined;
    const parts = replacementParts(change);
    if (!parts) return this.#passOne(change, target);
    const deleted = this.#passOne(parts[0], target);
    const added = this.#passOne(parts[1], target);
    return deleted && added ? change : (deleted ?? added);
  }

  #isNamed(name: string, { names }: GateTarget): boolean {
    const { name: wanted, excludeName } = this.#rules;
    if (names && !names.has(name)) return false;
    return (wanted?.test(name) ?? true) && !excludeName?.test(name);
  }

  #passOne(change: ObjectChange, target: GateTarget): ObjectChange | undefined {
    const shown = this.#ofObjects.length === 0 ? change : this.#acrossBorder(change, target);
    if (!shown || !this.#isWanted(shown)) return undefined;
    if (shown.type === 'updated' && shown.oldObject && !this.#isTelling(shown.oldObject, shown.object, target)) return undefined;
    return this.#holds(this.#ofEvents, change, target) ? shown : undefined;
  }

  #isWanted(shown: ObjectChange): boolean {
    const { on, watchOnly } = this.#rules;
    if (on && !on.has(eventWordOf({ type: eventTypeOf(shown), cause: shown.cause }))) return false;
    return !(watchOnly && shown.cause === 'initial');
  }

  #isTelling(before: ReadonlyObject, after: ReadonlyObject, { type }: GateTarget): boolean {
    const { predicates, changed, sameBut, noNoise, looksSame } = this.#rules;
    const canCompare = !(noNoise || sameBut) || !(isTooDeep(before) || isTooDeep(after));
    if (noNoise && ((canCompare && isNoise(before, after, type.gvr)) || looksSame?.(before, after))) return false;
    if (predicates && predicates.length > 0 && !predicates.some((part) => partChanged(OBJECT_PARTS[part], before, after))) return false;
    if (changed && changed.length > 0 && changed.every((values) => sameValue(values(before), values(after)))) return false;
    return !(sameBut && canCompare && sameBut(before, after));
  }

  #holds(conditions: readonly CompiledCondition[], change: ObjectChange, { type }: GateTarget): boolean {
    if (conditions.length === 0) return true;
    const variables = variablesOf(change, this.#rules.clock.now(), type);
    return conditions.every((condition) => this.#judge.holds(condition, variables));
  }

  /** What a change of the object is to a stream of those that match. */
  #acrossBorder(change: ObjectChange, target: GateTarget): ObjectChange | undefined {
    const { type, object, oldObject } = change;
    const members = this.#membersOf(target);
    const key = keyOf(object);
    if (type === 'deleted') return members.delete(key) ? change : undefined;
    const was = members.has(key);
    const is = this.#holds(this.#ofObjects, change, target);
    if (was && is) return change;
    if (is) {
      members.add(key);
      return type === 'added' ? change : { type: 'added', object, oldObject, cause: 'filter' };
    }
    return members.delete(key) ? { type: 'deleted', object, oldObject, cause: 'filter' } : undefined;
  }

  #membersOf(target: GateTarget): Set<ObjectKey> {
    const members = this.#members.get(target) ?? new Set();
    if (members.size === 0) this.#members.set(target, members);
    return members;
  }
}
