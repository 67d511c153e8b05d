import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { ConditionJudge, conditionOf, variablesOf } from '../../stream/conditions/condition.ts';
import { failureNotice } from '../session/object-notices.ts';
import type { AnswerSink } from './answer-sink.ts';
import type { Question } from './question.ts';

export type Matcher = (object: ReadonlyObject, type: ResourceType) => boolean;

/**
 * The objects that meet every expression. An expression that fails on an object counts as not met; the first failure is
 * reported once for all types.
 */
export function matcherOf({ filters }: Pick<Question, 'filters'>, sink: Pick<AnswerSink, 'notice' | 'clock'>): Matcher {
  const now = sink.clock.now();
  const conditions = filters.map(conditionOf);
  const judge = new ConditionJudge((error) => sink.notice(failureNotice(error)));
  return (object, type) =>
    conditions.every((condition) =>
      judge.holds(condition, variablesOf({ type: 'added', object, cause: 'initial' }, now, type)),
    );
}
