import { expect, test } from 'vitest';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import {
  type CompiledCondition,
  ConditionJudge,
  conditionOf,
  failureNotice,
  variablesOf,
} from '../../../src/stream/conditions/condition.ts';
import type { ObjectChange } from '../../../src/stream/envelope.ts';

const condition = (source: string) =>
  conditionOf(compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES, wants: 'bool' }));
const pod = (phase: string): UnknownObject => ({
  metadata: { name: 'web', creationTimestamp: '2026-01-01T00:00:00Z' },
  status: { phase },
});
const now = Date.UTC(2026, 0, 1, 0, 5);

test.each<[string, boolean, boolean]>([
  ['object.status.phase == "Running"', false, false],
  ['oldObject.status.phase != object.status.phase', true, false],
  ['event == "DELETED"', true, false],
  ['now - timestamp(object.metadata.creationTimestamp) > duration("4m")', false, true],
])('%s', (source, readsEvent, readsTime) => {
  expect(condition(source)).toMatchObject({ source, readsEvent, readsTime });
});

test.each<[string, ObjectChange, boolean]>([
  ['object.status.phase == "Running"', { type: 'added', object: pod('Running'), cause: 'watch' }, true],
  ['oldObject == null', { type: 'added', object: pod('Running'), cause: 'watch' }, true],
  ['oldObject == null', { type: 'updated', object: pod('Running'), cause: 'watch' }, true],
  ['oldObject.status.phase == "A"', { type: 'updated', object: pod('B'), oldObject: pod('A'), cause: 'watch' }, true],
  ['event == "DELETED" && oldObject.status.phase == "A"', { type: 'deleted', object: pod('A'), cause: 'watch' }, true],
  [
    'now - timestamp(object.metadata.creationTimestamp) > duration("4m")',
    { type: 'added', object: pod('A'), cause: 'watch' },
    true,
  ],
  [
    'now - timestamp(object.metadata.creationTimestamp) > duration("6m")',
    { type: 'added', object: pod('A'), cause: 'watch' },
    false,
  ],
])('%s, of a change', (source, change, expected) => {
  expect(condition(source).test(variablesOf(change, now))).toBe(expected);
});

test('expressions see apiVersion and kind also of an object that a list gave without them', () => {
  const of = { gvr: { group: 'apps', version: 'v1', resource: 'deployments' }, kind: 'Deployment' };
  const object = { metadata: { name: 'web', generation: 1 }, spec: { replicas: 0 }, status: { observedGeneration: 1 } };
  const answers = [
    'object.kind == "Deployment"',
    'object.apiVersion == "apps/v1"',
    'oldObject.kind == "Deployment"',
    'rolledOut(object)',
  ].map((source) =>
    conditionOf(compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES })).test(
      variablesOf({ type: 'updated', object, oldObject: object, cause: 'watch' }, 0, of),
    ),
  );
  expect(answers).toEqual([true, true, true, true]);
});

test('a judge passes on the remark of a condition, and the first error of each; an error counts as no', () => {
  const said: string[] = [];
  const judge = new ConditionJudge(
    (error) => said.push(`error ${error.message}`),
    (remark) => said.push(`remark ${remark}`),
  );
  const answers: (boolean | Error)[] = [true, new Error('a'), new Error('b'), false];
  const remarks: (string | undefined)[] = ['slow', undefined, undefined, undefined];
  const asked = { test: () => answers.shift(), remark: () => remarks.shift() } as unknown as CompiledCondition;
  expect(Array.from({ length: 4 }, () => judge.holds(asked, {} as never))).toEqual([true, false, false, false]);
  expect([said, judge.errors]).toEqual([['remark slow', 'error a'], 2]);
});

test('the notice of a failure has its message, and how it counts', () => {
  expect(failureNotice(new Error('no such key'))).toBe('no such key; it counts as no match (reported once)');
});
