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

/**
 * The type of a change. Use one object per type, the same one in every call: the gate's memory is per target object.
 */
export interface GateTarget {
  readonly type: KindSource;
  /** The names that are shown; undefined = all. */
  readonly names?: ReadonlySet<string> | undefined;
}

/** The rules that decide what a stream shows. A change is shown if every rule that is given allows it. */
export interface GateRules {
  /** `--filter` and `--where`: all of them must hold. */
  readonly conditions?: readonly CompiledCondition[] | undefined;
  /** `--name` and `--exclude-name`. */
  readonly name?: { test(name: string): boolean } | undefined;
  readonly excludeName?: { test(name: string): boolean } | undefined;
  /** `--watch-only`: the objects of the initial list are not shown. */
  readonly watchOnly?: boolean | undefined;
  /** `--on`: the events that are shown, by the word with which they are shown. */
  readonly on?: ReadonlySet<EventWord> | undefined;
  /** `--predicate`: an update is shown only if it changes one of these parts. */
  readonly predicates?: readonly ObjectPart[] | undefined;
  /** `--changed`: an update is shown only if it changes the values of one of these. */
  readonly changed?: readonly ((object: ReadonlyObject) => readonly unknown[])[] | undefined;
  /** `--ignore-changes`: an update that changes only the ignored fields is not shown. See `compileSameBut`. */
  readonly sameBut?: SameBut | undefined;
  /** `--no-noise`: noise is not shown. See `isNoise`. */
  readonly noNoise?: boolean | undefined;
  /**
   * With `noNoise`: whether two states of an object look the same in print. An update between two such states is noise
   * too.
   */
  readonly looksSame?: SameBut | undefined;
  /** The clock of `now` and AGE in conditions. */
  readonly clock: Pick<Clock, 'now'>;
  /** Called with the first evaluation error of each condition. */
  readonly onError?: ((error: Error, condition: CompiledCondition) => void) | undefined;
  /** Called with each remark of a condition. */
  readonly onRemark?: ((remark: string) => void) | undefined;
  /** Called with the rule that did not allow a change: its flag, or the expression that is false. */
  readonly onDropped?: ((rule: string) => void) | undefined;
}

export interface FilterGate {
  /**
   * Returns the change to show, or undefined if nothing is shown. It must be called with every change, in order,
   * because it remembers which objects match.
   */
  pass(change: ObjectChange, target: GateTarget): ObjectChange | undefined;
  /**
   * The name rule or the condition about objects that the present state of an object does not meet; undefined if it
   * meets all. An object that meets them counts as matching from then on.
   */
  unmet(object: ReadonlyObject, target: GateTarget): string | undefined;
  /** The number of evaluations that failed. A failed evaluation counts as no match. */
  readonly errors: number;
}

/**
 * Creates the client-side filters of a stream. They run before an event gets its number.
 *
 * A condition about the object decides which objects belong to the stream. An object that starts to match is an
 * addition; an object that stops matching is a deletion with the cause `filter`. The gate remembers the answer instead
 * of evaluating the old state again. So the events of an object are ADDED, MODIFIED …, DELETED in this order, also with
 * an expression that depends on the time (`now`, AGE). The deletion has the state that does not match, because it shows
 * the reason; client-go's FilteringResourceEventHandler passes the old state, which is `oldObject` here.
 *
 * A condition that reads `event` or `oldObject` is about the change as the server sent it. A change for which it is
 * false is not shown, and has no other effect.
 *
 * Rules about what an update changed (predicates, changed, sameBut, noNoise) allow every addition and deletion. noNoise
 * and sameBut allow every update of an object that is nested too deep to compare.
 *
 * A new object with the name of a deleted one is a deletion and an addition, and the rules apply to each of the two.
 */
export function createFilterGate(rules: GateRules): FilterGate {
  return new Gate(rules);
}

class Gate implements FilterGate {
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
    const unnamed = this.#unnamed(change.object, target);
    if (unnamed !== undefined) return this.#dropped(unnamed);
    const parts = replacementParts(change);
    if (!parts) return this.#passOne(change, target);
    const deleted = this.#passOne(parts[0], target);
    const added = this.#passOne(parts[1], target);
    return deleted && added ? change : (deleted ?? added);
  }

  unmet(object: ReadonlyObject, target: GateTarget): string | undefined {
    const unnamed = this.#unnamed(object, target);
    if (unnamed !== undefined || this.#ofObjects.length === 0) return unnamed;
    const failed = this.#failed(this.#ofObjects, { type: 'updated', object, cause: 'watch' }, target);
    if (failed === undefined) this.#membersOf(target).add(keyOf(object));
    return failed;
  }

  #dropped(rule: string): undefined {
    this.#rules.onDropped?.(rule);
  }

  /** The rule about names that an object does not meet. */
  #unnamed({ metadata: { name = '' } }: ReadonlyObject, { names }: GateTarget): string | undefined {
    const { name: wanted, excludeName } = this.#rules;
    if (names && !names.has(name)) return 'it is not one of the named objects';
    if (!(wanted?.test(name) ?? true)) return '--name';
    return excludeName?.test(name) ? '--exclude-name' : undefined;
  }

  #passOne(change: ObjectChange, target: GateTarget): ObjectChange | undefined {
    const shown = this.#ofObjects.length === 0 ? change : this.#asMembership(change, target);
    if (!shown) return undefined;
    const why =
      this.#unwanted(shown) ?? this.#irrelevant(shown, target) ?? this.#failed(this.#ofEvents, change, target);
    return why === undefined ? shown : this.#dropped(why);
  }

  #unwanted(shown: ObjectChange): string | undefined {
    const { on, watchOnly } = this.#rules;
    if (on && !on.has(eventWordOf({ type: eventTypeOf(shown), cause: shown.cause }))) return '--on';
    return watchOnly && shown.cause === 'initial' ? '--watch-only' : undefined;
  }

  /** The rule about updates that a change does not meet. */
  #irrelevant({ type, oldObject: before, object: after }: ObjectChange, target: GateTarget): string | undefined {
    if (type !== 'updated' || !before) return undefined;
    const { predicates = [], changed = [], sameBut, noNoise, looksSame } = this.#rules;
    const canCompare = !(noNoise || sameBut) || !(isTooDeep(before) || isTooDeep(after));
    if (noNoise && ((canCompare && isNoise(before, after, target.type.gvr)) || looksSame?.(before, after)))
      return '--no-noise';
    if (predicates.length > 0 && !predicates.some((part) => partChanged(OBJECT_PARTS[part], before, after)))
      return '--predicate';
    if (changed.length > 0 && changed.every((values) => sameValue(values(before), values(after)))) return '--changed';
    return sameBut && canCompare && sameBut(before, after) ? '--ignore-changes' : undefined;
  }

  /** The first condition that is false. */
  #failed(conditions: readonly CompiledCondition[], change: ObjectChange, { type }: GateTarget): string | undefined {
    if (conditions.length === 0) return undefined;
    const variables = variablesOf(change, this.#rules.clock.now(), type);
    return conditions.find((condition) => !this.#judge.holds(condition, variables))?.source;
  }

  /** The change in a stream of only the matching objects; undefined if the stream has no event for it. */
  #asMembership(change: ObjectChange, target: GateTarget): ObjectChange | undefined {
    const { type, object, oldObject } = change;
    const members = this.#membersOf(target);
    const key = keyOf(object);
    if (type === 'deleted') return members.delete(key) ? change : this.#dropped('it did not match');
    const was = members.has(key);
    const failed = this.#failed(this.#ofObjects, change, target);
    if (failed !== undefined) {
      if (members.delete(key)) return { type: 'deleted', object, oldObject, cause: 'filter' };
      return this.#dropped(failed);
    }
    members.add(key);
    return was || type === 'added' ? change : { type: 'added', object, oldObject, cause: 'filter' };
  }

  #membersOf(target: GateTarget): Set<ObjectKey> {
    const members = this.#members.get(target) ?? new Set();
    if (members.size === 0) this.#members.set(target, members);
    return members;
  }
}
