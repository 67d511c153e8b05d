import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { ConditionJudge, failureNotice, variablesOf } from '../../stream/conditions/condition.ts';
import type { AnswerNotices } from './answer-sink.ts';
import type { ObjectFilters } from './object-filters.ts';

export interface Matcher {
  (object: ReadonlyObject, type: ResourceType): boolean;
  /** The two halves of the answer: the second looks at the fields and cells that the expressions look at. */
  readonly halves?: { isNamed(name: string): boolean; holds(object: ReadonlyObject, type: ResourceType): boolean };
}

/**
 * The objects whose names match and that meet every expression. An expression that fails on an object counts as not
 * met; the first failure is reported once for all types. An answer is of one moment; `now` is given where it is kept up
 * to date.
 */
export function matcherOf(
  { conditions, name, excludeName }: ObjectFilters,
  sink: AnswerNotices,
  now: () => number = momentOf(sink.clock),
): Matcher {
  const judge = new ConditionJudge(
    (error) => sink.notice(failureNotice(error)),
    (remark) => sink.notice(remark),
  );
  const isNamed = (own: string) => (name === undefined || name.test(own)) && !excludeName?.test(own);
  const holds = (object: ReadonlyObject, type: ResourceType) =>
    conditions.every((condition) =>
      judge.holds(condition, variablesOf({ type: 'added', object, cause: 'initial' }, now(), type)),
    );
  const matches = (object: ReadonlyObject, type: ResourceType) =>
    isNamed(object.metadata.name ?? '') && holds(object, type);
  return Object.assign(matches, { halves: { isNamed, holds } });
}

function momentOf(clock: AnswerNotices['clock']): () => number {
  const moment = clock.now();
  return () => moment;
}
