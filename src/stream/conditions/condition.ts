import type { ReadonlyObject } from '../../model/object.ts';
import type { EventType, ObjectChange } from '../envelope.ts';
import { type KindSource, withKind } from '../shown-object.ts';

/** The notice of the first failure of an expression. */
export const failureNotice = (error: Error) => `${error.message}; it counts as no match (reported once)`;

/** A compiled expression about an object or an event. */
export interface CompiledCondition {
  /** The expression as the user wrote it. */
  readonly source: string;
  /** Whether it reads `oldObject` or `event`: then it is about a change, not about the state of an object. */
  readonly readsEvent: boolean;
  /** Whether it reads `now`: then its answer may change with the time alone. Default false. */
  readonly readsTime?: boolean | undefined;
  /** Returns the answer, or the evaluation error. A missing key is not an error: it makes the comparison false. */
  test(variables: Readonly<Record<string, unknown>>): boolean | Error;
  /** A message for the user about the evaluations so far. Undefined when there is nothing new to report. */
  remark?(): string | undefined;
}

/** The part of a compiled expression that a condition needs; a `CelProgram` has it. */
export interface ConditionProgram {
  readonly source: string;
  readonly variables: ReadonlySet<string>;
  test(variables: Readonly<Record<string, unknown>>): boolean | Error;
}

/** The condition of an expression over the variables of {@link EventVariables}. */
export function conditionOf(program: ConditionProgram): CompiledCondition {
  const { source, variables } = program;
  const readsEvent = variables.has('event') || variables.has('oldObject');
  return { source, readsEvent, readsTime: variables.has('now'), test: (of) => program.test(of) };
}

/** The variables of an expression. */
export interface EventVariables extends Readonly<Record<string, unknown>> {
  /** The state after the event; the final state of a deletion. */
  readonly object: ReadonlyObject;
  /** The state before; null on ADDED, the last known state on DELETED. */
  readonly oldObject: ReadonlyObject | null;
  readonly event: EventType;
  readonly now: Date;
  /** The name of the cluster; absent where there is only one. */
  readonly cluster?: string | undefined;
}

const EVENT_OF = { added: 'ADDED', updated: 'MODIFIED', deleted: 'DELETED' } as const satisfies Record<
  ObjectChange['type'],
  EventType
>;

/** The event type of a change. */
export const eventTypeOf = ({ type }: Pick<ObjectChange, 'type'>): EventType => EVENT_OF[type];

/**
 * The variables of a change. With `of`, `object` and `oldObject` have apiVersion and kind, which items of a list lack.
 */
export function variablesOf(change: ObjectChange, nowMs: number, of?: KindSource): EventVariables {
  const { type } = change;
  const object = of ? withKind(change.object, of) : change.object;
  const oldObject = of && change.oldObject ? withKind(change.oldObject, of) : change.oldObject;
  const before = type === 'deleted' ? (oldObject ?? object) : type === 'added' ? null : (oldObject ?? null);
  const variables = { object, oldObject: before, event: eventTypeOf(change), now: new Date(nowMs) };
  return of?.cluster === undefined ? variables : { ...variables, cluster: of.cluster };
}

/**
 * Evaluates conditions. A condition whose evaluation fails does not hold. Every failure is counted in `errors`, and
 * `onError` is called with the first one of each condition.
 */
export class ConditionJudge {
  readonly #reported = new Set<object>();
  readonly #onError: ((error: Error, condition: CompiledCondition) => void) | undefined;
  readonly #onRemark: ((remark: string) => void) | undefined;
  errors = 0;

  constructor(
    onError?: ((error: Error, condition: CompiledCondition) => void) | undefined,
    onRemark?: ((remark: string) => void) | undefined,
  ) {
    this.#onError = onError;
    this.#onRemark = onRemark;
  }

  holds(condition: CompiledCondition, variables: EventVariables): boolean {
    const answer = condition.test(variables);
    const remark = condition.remark?.();
    if (remark !== undefined) this.#onRemark?.(remark);
    if (typeof answer === 'boolean') return answer;
    this.errors++;
    if (!this.#reported.has(condition)) {
      this.#reported.add(condition);
      this.#onError?.(answer, condition);
    }
    return false;
  }
}
