import { InformerError, isInformerError } from '../../kit/error.ts';
import type { GroupVersionResource } from '../../model/gvr.ts';
import { kstatusOf } from '../../model/kstatus.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { rolloutOf } from '../../model/rollout-status.ts';
import { parseForCondition } from '../conditions/for-condition.ts';
import { withKind } from '../shown-object.ts';

/** The state of one object: undefined if it does not exist. */
type State = ReadonlyObject | undefined;

/** How a condition is made. */
export interface ConditionParts<T> {
  /** The condition in words, such as `condition Ready=True`. */
  readonly text: string;
  /** Whether an object in this state meets it. What it throws ends the wait. */
  met(object: T | undefined, gvr: GroupVersionResource): boolean;
  /** Why this state does not meet it. Default: from `text`. */
  missing?(object: T | undefined, gvr: GroupVersionResource): string;
}

/**
 * A condition on the state of one object, for {@link untilCondition}. Conditions combine: `a.and(b)`, `a.or(b)`,
 * `a.not()`. Source: kube-rs runtime::wait::Condition.
 */
export class ObjectCondition<T = ReadonlyObject> {
  readonly #rule: ConditionParts<T>;

  constructor(rule: ConditionParts<T>) {
    this.#rule = rule;
  }

  /** The condition in words. */
  get text(): string {
    return this.#rule.text;
  }

  /** Whether an object in this state meets the condition. `object` is undefined if it does not exist. */
  met(object: T | undefined, gvr: GroupVersionResource): boolean {
    return this.#rule.met(object, gvr);
  }

  /** The conditions that this state does not meet, in words. */
  missing(object: T | undefined, gvr: GroupVersionResource): string {
    if (this.#rule.missing) return this.#rule.missing(object, gvr);
    return object === undefined ? `it does not exist (waits for: ${this.text})` : `not met: ${this.text}`;
  }

  /** Met when both are. */
  and(other: ObjectCondition<T> | ((object: T | undefined) => boolean)): ObjectCondition<T> {
    const both = [this as ObjectCondition<T>, asCondition(other)];
    return new ObjectCondition<T>({
      text: both.map(({ text }) => text).join(' and '),
      met: (object, gvr) => both.every((each) => each.met(object, gvr)),
      missing: (object, gvr) =>
        [...new Set(both.filter((each) => !each.met(object, gvr)).map((each) => each.missing(object, gvr)))].join('; '),
    });
  }

  /** Met when one of them is. */
  or(other: ObjectCondition<T> | ((object: T | undefined) => boolean)): ObjectCondition<T> {
    const one = [this as ObjectCondition<T>, asCondition(other)];
    return new ObjectCondition<T>({
      text: `(${one.map(({ text }) => text).join(' or ')})`,
      met: (object, gvr) => anyMet(one, object, gvr),
      missing: (object, gvr) => [...new Set(one.map((each) => each.missing(object, gvr)))].join(', and '),
    });
  }

  /** Met when this is not. */
  not(): ObjectCondition<T> {
    return new ObjectCondition<T>({
      text: `not ${this.text}`,
      met: (object, gvr) => !this.met(object, gvr),
      missing: () => `still ${this.text}`,
    });
  }
}

/** A failed alternative ends a wait only if no other one is met. */
function anyMet<T>(
  conditions: readonly ObjectCondition<T>[],
  object: T | undefined,
  gvr: GroupVersionResource,
): boolean {
  let failure: { error: unknown } | undefined;
  for (const condition of conditions) {
    try {
      if (condition.met(object, gvr)) return true;
    } catch (error) {
      if (!isInformerError(error, 'terminal')) throw error;
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
  return false;
}

/** A condition of a function, or the condition itself. Throws `argument` for anything else. */
export function asCondition<T>(
  condition: ObjectCondition<T> | ((object: T | undefined) => boolean),
): ObjectCondition<T> {
  if (condition instanceof ObjectCondition) return condition;
  if (typeof condition !== 'function') {
    throw new InformerError('argument', 'a condition must be a function of the object, or made by one', {
      hint: "for example (pod) => pod?.status?.phase === 'Running', or hasCondition('Ready')",
    });
  }
  const text = condition.name === '' ? 'the condition' : condition.name;
  return new ObjectCondition<T>({ text, met: (object) => answerOf(condition(object), text) });
}

/** A promise would be met at once, whatever it resolves with. */
function answerOf(answer: unknown, text: string): boolean {
  if (typeof answer === 'object' && answer !== null && 'then' in answer)
    throw new InformerError('argument', `${text} must answer at once, not with a promise`);
  return Boolean(answer);
}

/** Met when the object exists. */
export function exists(): ObjectCondition {
  return new ObjectCondition({
    text: 'exists',
    met: (object: State) => object !== undefined,
    missing: () => 'it does not exist',
  });
}

/**
 * Met when there is no object with this uid: it is deleted, or another one has its name. Without a uid, when there is
 * no object of the name.
 */
export function isDeleted(uid?: string): ObjectCondition {
  return new ObjectCondition({
    text: 'deleted',
    met: (object: State) => object === undefined || (uid !== undefined && object.metadata.uid !== uid),
    missing: (object: State) => {
      const { deletionTimestamp, finalizers = [] } = object?.metadata ?? {};
      if (deletionTimestamp === undefined) return 'it still exists, and its deletion has not begun';
      return finalizers.length === 0
        ? 'it is being deleted'
        : `it is being deleted, and waits for its finalizers ${finalizers.join(', ')}`;
    },
  });
}

/**
 * Met when `status.conditions` has this type with this status, and it is not older than the object's generation. Types
 * and statuses are compared without regard to case. Source: kubectl wait.
 */
export function hasCondition(type: string, status = 'True'): ObjectCondition {
  if (typeof type !== 'string' || type === '' || type.includes('='))
    throw new InformerError('argument', 'hasCondition takes the type of a condition', {
      hint: "for example hasCondition('Ready'), or hasCondition('Ready', 'False')",
    });
  const { met } = parseForCondition(`condition=${type}=${status}`);
  return new ObjectCondition({
    text: `condition ${type}=${status}`,
    met: (object: State) => met(object) === true,
    missing: (object: State) => (object === undefined ? 'it does not exist' : conditionText(object, type)),
  });
}

function conditionText(object: ReadonlyObject, type: string): string {
  const { conditions } = (object.status ?? {}) as { conditions?: readonly Record<string, unknown>[] };
  const found = Array.isArray(conditions)
    ? conditions.find((each) => String(each?.type).toLowerCase() === type.toLowerCase())
    : undefined;
  if (!found) return `it has no condition ${type}`;
  const why = [found.reason, found.message].filter((text) => typeof text === 'string' && text !== '').join(': ');
  const seen = found.observedGeneration;
  const old =
    typeof seen === 'number' && seen < (object.metadata.generation ?? 0)
      ? `, of generation ${seen}; the object has ${object.metadata.generation}`
      : '';
  return `its condition ${type} is ${String(found.status)}${why === '' ? '' : ` (${why})`}${old}`;
}

/**
 * Met when `kubectl rollout status` would end. A rollout that has failed ends the wait with a `terminal` error, and so
 * does a type without rollouts. For Deployments, StatefulSets and DaemonSets.
 */
export function rolledOut(): ObjectCondition {
  const stateOf = (object: ReadonlyObject, gvr: GroupVersionResource) =>
    rolloutOf(withKind(object, { gvr, kind: KINDS[gvr.resource] }));
  return new ObjectCondition({
    text: 'rolled out',
    met: (object: State, gvr) => {
      if (object === undefined) return false;
      const { state, text } = stateOf(object, gvr);
      if (state === 'failed' || state === 'unknown')
        throw new InformerError('terminal', `the rollout of ${object.metadata.name}: ${text}`);
      return state === 'done';
    },
    missing: (object: State, gvr) => (object === undefined ? 'it does not exist' : stateOf(object, gvr).text),
  });
}

/**
 * Met when kstatus calls the object Current: its controller has seen its generation, and the rules of its kind or its
 * conditions say that it is as its spec wants it. For objects of any type. An object that cannot become current by
 * itself (a failed Job, a Deployment after its progress deadline, the condition Stalled) ends the wait with a `terminal`
 * error. Source: kubernetes-sigs/cli-utils pkg/kstatus.
 */
export function isCurrent(): ObjectCondition {
  const stateOf = (object: ReadonlyObject, gvr: GroupVersionResource) =>
    kstatusOf(withKind(object, { gvr, kind: KINDS[gvr.resource] }));
  return new ObjectCondition({
    text: 'current',
    met: (object: State, gvr) => {
      if (object === undefined) return false;
      const { status, message, isStuck } = stateOf(object, gvr);
      if (isStuck) throw new InformerError('terminal', `${object.metadata.name} has failed: ${message}`);
      return status === 'Current';
    },
    missing: (object: State, gvr) => (object === undefined ? 'it does not exist' : stateOf(object, gvr).message),
  });
}

/** The kinds with rules of their own. Items of a list have no kind. */
const KINDS: Readonly<Record<string, string>> = {
  pods: 'Pod',
  services: 'Service',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  replicasets: 'ReplicaSet',
  jobs: 'Job',
  customresourcedefinitions: 'CustomResourceDefinition',
  deployments: 'Deployment',
  statefulsets: 'StatefulSet',
  daemonsets: 'DaemonSet',
};
