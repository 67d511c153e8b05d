import type { ReconcileRequest } from '../../controller/reconciler.ts';
import { type CachedObject, isResync, type ResourceEvent } from '../../controller/resource-event.ts';
import { finalizerStep } from '../../controller/writes/finalizer.ts';
import type { Clock } from '../../kit/clock.ts';
import { partsOfKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { CompiledCondition } from '../../stream/conditions/condition.ts';
import type { EventWord, ObjectChange } from '../../stream/envelope.ts';
import { createFilterGate, type FilterGate, type GateRules, type GateTarget } from '../../stream/filter-gate.ts';

export interface TriggerFilterOptions {
  readonly rules: Omit<GateRules, 'clock' | 'onError' | 'onRemark' | 'onDropped'>;
  readonly target: GateTarget;
  readonly finalizer: string | undefined;
  readonly clock: Clock;
  /** Called with the first evaluation error of each condition. */
  readonly onError: (error: Error, condition: CompiledCondition) => void;
  /** Called with each remark of a condition. */
  readonly onRemark?: ((remark: string) => void) | undefined;
}

/** The events that lead to a run unless `--on` names others. */
const NOT_LEFT: ReadonlySet<EventWord> = new Set<EventWord>(['ADDED', 'MODIFIED', 'DELETED']);

/**
 * The filters of `reconcile`: the same as those of `watch`, for a queue.
 *
 * A rule about an event (`--on`, `--watch-only`, `--changed`, `--predicate`, …, and an expression that reads `event` or
 * `oldObject`) decides which events of the reconciled type queue a key. A rule about the object (names, `--filter`,
 * `--where`) also holds when a run begins, whatever queued the key, because a waiting key gets the state of that moment:
 * a hook for failed pods never gets a pod that runs.
 *
 * An object that stops matching leads to a run only with `--on left`. The deletion of an object that matched leads to a
 * run. With a finalizer, no rule about events applies to deletions, and none at all to those that it holds up.
 */
export class TriggerFilter {
  readonly #options: TriggerFilterOptions;
  readonly #gate: FilterGate;
  readonly #initial = { passed: 0, droppedBy: undefined as string | undefined };
  #rule: string | undefined;

  constructor(options: TriggerFilterOptions) {
    const { rules, clock, onError, onRemark } = options;
    const onDropped = (rule: string) => {
      this.#rule = rule;
    };
    this.#options = options;
    this.#gate = createFilterGate({ ...rules, on: rules.on ?? NOT_LEFT, clock, onError, onRemark, onDropped });
  }

  /** The number of evaluations that failed. A failed evaluation counts as no match. */
  get errors(): number {
    return this.#gate.errors;
  }

  /** How many objects of the initial list led to a run, and the rule by which others did not. */
  get initial(): { readonly passed: number; readonly droppedBy: string | undefined } {
    return this.#initial;
  }

  /**
   * The event in a queue of only the matching objects; the rule that drops it if it leads to no run. It must be called
   * with every event, in order.
   */
  judge(event: ResourceEvent): { readonly event: ResourceEvent } | { readonly droppedBy: string } {
    const judged = this.#judge(event);
    if (event.cause === 'initial') {
      if ('event' in judged) this.#initial.passed++;
      else this.#initial.droppedBy ??= judged.droppedBy;
    }
    return judged;
  }

  /** Why the hook is not run for a key in its present state; undefined when it is. */
  refusal(request: ReconcileRequest, object: CachedObject | null): string | undefined {
    const { names } = this.#options.target;
    if (object === null) {
      if (names && !names.has(request.name)) return 'it is not one of the named objects';
      return isGone(request) ? undefined : 'there is no such object';
    }
    if (this.#isCleanup(object) || (this.#options.rules.on?.has('LEFT') && hasLeft(request))) return undefined;
    return this.unmet(object);
  }

  /** The rule about objects that an object does not meet; undefined when it meets all. */
  unmet(object: CachedObject): string | undefined {
    return this.#gate.unmet(plain(object), this.#options.target);
  }

  #judge(event: ResourceEvent): { readonly event: ResourceEvent } | { readonly droppedBy: string } {
    const { target, rules } = this.#options;
    const change = changeOf(event);
    if (!change) {
      const isNamed = !target.names || target.names.has(partsOfKey(event.key).name);
      return isNamed ? { event } : { droppedBy: 'it is not one of the named objects' };
    }
    const mustAnswer = this.#mustAnswer(event);
    const shown = this.#gate.pass(change, target);
    if (mustAnswer) return { event };
    if (!shown) return { droppedBy: this.#rule ?? '' };
    if (isResync(event) && (rules.watchOnly || rules.on)) return { droppedBy: 'it did not change' };
    if (shown === change) return { event };
    const { type, object, oldObject, cause, finalStateUnknown } = shown;
    return { event: { type, key: event.key, object, oldObject, cause, finalStateUnknown } };
  }

  /** With a finalizer: whether an event is a deletion, or the start of one that the finalizer holds up. */
  #mustAnswer({ type, object, oldObject }: ResourceEvent): boolean {
    if (this.#options.finalizer === undefined || !object || !this.#isNamed(object)) return false;
    if (type === 'deleted') return this.#isHeld(object) || this.unmet(object) === undefined;
    return this.#isCleanup(object) && oldObject?.metadata.deletionTimestamp !== object.metadata.deletionTimestamp;
  }

  #isNamed({ metadata: { name = '' } }: CachedObject): boolean {
    const { names } = this.#options.target;
    return !names || names.has(name);
  }

  #isHeld({ metadata: { finalizers } }: CachedObject): boolean {
    const { finalizer } = this.#options;
    return finalizer !== undefined && (finalizers?.includes(finalizer) ?? false);
  }

  #isCleanup(object: CachedObject): boolean {
    const { finalizer } = this.#options;
    return finalizer !== undefined && finalizerStep(object, finalizer) === 'cleanup';
  }
}

/** Whether a run is about an object that is gone, and not about one that never was: another object may name any key. */
const isGone = ({ gone, causes }: ReconcileRequest): boolean =>
  gone !== undefined ||
  causes.some(
    ({ reason, key, via }) =>
      key === undefined &&
      ((reason === 'deleted' && via !== 'filter') || ['manual', 'released', 'requeue'].includes(reason)),
  );

const hasLeft = ({ causes }: ReconcileRequest): boolean =>
  causes.some(({ reason, via, key }) => reason === 'deleted' && via === 'filter' && key === undefined);

/** Undefined for an event without an object. */
function changeOf({ type, object, oldObject, cause, finalStateUnknown }: ResourceEvent): ObjectChange | undefined {
  if (!object || type === 'generic') return undefined;
  const uidChanged = oldObject !== undefined && oldObject.metadata.uid !== object.metadata.uid;
  const before = oldObject && plain(oldObject);
  return { type, object: plain(object), oldObject: before, cause, finalStateUnknown, uidChanged };
}

const plain = (object: CachedObject) => object as ReadonlyObject;
