import type { ReadonlyObject } from '../../model/object.ts';
import type { EventType, ObjectChange } from '../envelope.ts';
import { type KindSource, withKind } from '../shown-object.ts';

/** A compiled expression about an object or an event. Stateless: one may serve many streams. */
export interface CompiledCondition {
  /** As it was written. */
  readonly source: string;
  /** It names `oldObject` or `event`: it judges what happens, not what an object is. */
  readonly readsEvent: boolean;
  /** It names `now`: its answer may change by itself. Default false. */
  readonly readsTime?: boolean | undefined;
  /** An Error is an evaluation error other than a missing key, which makes a comparison false. */
  test(variables: Readonly<Record<string, unknown>>): boolean | Error;
  /** What the user should know about how it was evaluated so far. Undefined when there is nothing new. */
  remark?(): string | undefined;
}

/** An expression in its compiled form, as far as a condition is made of it; `CelProgram` is one. */
export interface ConditionProgram {
  readonly source: string;
  readonly variables: ReadonlySet<string>;
  test(variables: Readonly<Record<string, unknown>>): boolean | Error;
}

export function conditionOf(program: ConditionProgram): CompiledCondition {
  const { source, variables } = program;
  const readsEvent = variables.has('event') || variables.has('oldObject');
  return { source, readsEvent, readsTime: variables.has('now'), test: (of) => program.test(of) };
}

/** What an expression may name. */
export interface EventVariables extends Readonly<Record<string, unknown>> {
  /** The state after the event; the final one of a deletion. */
  readonly object: ReadonlyObject;
  /** The state before; null on ADDED, the last known one on DELETED. */
  readonly oldObject: ReadonlyObject | null;
  readonly event: EventType;
  readonly now: Date;
}

const EVENT_OF = { added: 'ADDED', updated: 'MODIFIED', deleted: 'DELETED' } as const satisfies Record<ObjectChange['type'], EventType>;

/** How a change is called in a stream. */
export const eventTypeOf = ({ type }: Pick<ObjectChange, 'type'>): EventType => EVENT_OF[type];

/** The variables of a change to an object of a type: expressions see its apiVersion and kind also where a list left them out. */
export function variablesOf(change: ObjectChange, nowMs: number, of?: KindSource): EventVariables {
  const { type } = change;
  const object = of ? withKind(change.object, of) : change.object;
  const oldObject = of && change.oldObject ? withKind(change.oldObject, of) : change.oldObject;
  const before = type === 'deleted' ? (oldObject ?? object) : type === 'added' ? null : (oldObject ?? null);
  return { object, oldObject: before, event: eventTypeOf(change), now: new Date(nowMs) };
}

/** Asks conditions; one that fails does not hold. Every failure is counted, and told once per condition. */
export class ConditionJudge {
  readonly #told = new Set<object>();
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
    if (!this.#told.has(condition)) {
      this.#told.add(condition);
      this.#onError?.(answer, condition);
    }
    return false;
  }
}
