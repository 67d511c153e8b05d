import { describe, expect, test } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { parseForCondition } from '../../../src/stream/conditions/for-condition.ts';

const object = (rest: object = {}, metadata: object = {}): UnknownObject => ({
  metadata: { name: 'web', ...metadata },
  ...rest,
});
const met = (text: string, of: UnknownObject | undefined) => parseForCondition(text).met(of);

test('create is met by an object that exists, delete by one that does not', () => {
  expect([
    met('create', object()),
    met('Create', undefined),
    met('delete', object()),
    met('DELETE', undefined),
  ]).toEqual([true, false, false, true]);
});

describe('condition=', () => {
  const ready = (status: string, more: object = {}, metadata: object = {}) =>
    object(
      {
        status: {
          conditions: [
            { type: 'Other', status: 'True' },
            { type: 'Ready', status, ...more },
          ],
        },
      },
      metadata,
    );

  test.each<[string, UnknownObject, boolean]>([
    ['condition=Ready', ready('True'), true],
    ['condition=ready', ready('true'), true],
    ['condition=Ready', ready('False'), false],
    ['condition=Ready=False', ready('False'), true],
    ['condition=Ready=unknown', ready('Unknown'), true],
    ['condition=Missing', ready('True'), false],
    ['condition=Ready=', ready('True'), false],
    ['condition==True', ready('True'), false],
    ['condition==True', object({ status: { conditions: [{ type: '', status: 'True' }] } }), true],
    ['condition=Ready', object({ status: { conditions: [null, { status: 'True' }] } }), false],
    [
      'condition=Ready',
      object({ status: { conditions: [{ type: 'Ready' }, { type: 'Ready', status: 'True' }] } }),
      true,
    ],
    [
      'condition=Ready',
      object({ status: { conditions: ['False', 'True'].map((status) => ({ type: 'Ready', status })) } }),
      false,
    ],
    ['condition=Ready', object(), false],
    ['condition=Ready', object({ status: { conditions: 'none' } }), false],
    ['condition=Ready', ready('True', { observedGeneration: 1 }, { generation: 2 }), false],
    ['condition=Ready', ready('True', { observedGeneration: 2 }, { generation: 2 }), true],
    ['condition=Ready', ready('True', {}, { generation: 2 }), true],
  ])('%s', (text, of, expected) => {
    expect(met(text, of)).toBe(expected);
  });

  test('goes by the observedGeneration of the status where the condition has none', () => {
    const of = (observedGeneration: number, more = {}) =>
      object(
        { status: { observedGeneration, conditions: [{ type: 'Available', status: 'True', ...more }] } },
        { generation: 2 },
      );
    expect([met('condition=Available', of(1)), met('condition=Available', of(2))]).toEqual([false, true]);
    expect(met('condition=Available', of(1, { observedGeneration: 2 }))).toBe(true);
  });

  test('is not met by an object that is not there', () => {
    expect(met('condition=Ready', undefined)).toBe(false);
  });
});

describe('jsonpath=', () => {
  const of = object({
    status: { phase: 'Running', n: 3, b: true, none: null, list: [{ a: 'x', v: 'a==b' }, { a: 'y' }], text: ' x ' },
  });

  test.each<[string, boolean]>([
    ['jsonpath={.status.phase}=Running', true],
    ['jsonpath=.status.phase=Running', true],
    ['jsonpath=status.phase=Running', true],
    ['jsonpath={status.phase}=Running', true],
    ["jsonpath={.status.phase}='Running'", true],
    ['jsonpath={.status.phase}=running', false],
    ['jsonpath={.status.n}=3', true],
    ['jsonpath={.status.b}=true', true],
    ['jsonpath={.status.text}=x', true],
    ['jsonpath={.status.none}', true],
    ['jsonpath={.status.none}=<nil>', true],
    ['jsonpath={.status.phase}', true],
    ['jsonpath={.status.missing}', false],
    ['jsonpath={.status.list}', true],
    ['jsonpath={.status.list[?(@.a=="x")].v}=a==b', true],
    ['jsonpath={.status.list[?(@.a=="z")].v}', false],
    ['jsonpath={.status.phase}= Running ', true],
    ['jsonpath={.status.phase}="Running"', true],
  ])('%s', (text, expected) => {
    expect(met(text, of)).toBe(expected);
  });

  test.each([
    ['jsonpath={.status.list[*].a}=x', 'given jsonpath expression matches more than one value'],
    ['jsonpath={.status.list[*].a}', 'given jsonpath expression matches more than one value'],
    ['jsonpath={.status.list}=x', 'jsonpath leads to a nested object or list which is not supported'],
  ])('%s gives up', (text, message) => {
    expect(met(text, of)).toMatchObject({ message });
  });
});

test('jsonpath= is not met by an object that is not there, and has the path as it is read', () => {
  expect(met('jsonpath={.status.phase}', undefined)).toBe(false);
  expect(parseForCondition('jsonpath=status.phase=x')).toMatchObject({ kind: 'jsonpath', path: '{.status.phase}' });
  expect(parseForCondition('condition=Ready=False')).toMatchObject({ kind: 'condition', condition: 'Ready' });
});

test.each([
  ['', 'unrecognized condition: ""'],
  ['cond=invalid', 'unrecognized condition: "cond=invalid"'],
  ['CONDITION=Ready', 'unrecognized condition: "CONDITION=Ready"'],
  ['jsonpath=', 'jsonpath expression cannot be empty'],
  [
    'jsonpath={.a}=',
    "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
  ],
  [
    "jsonpath={.a}=''",
    "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
  ],
  [
    'jsonpath={.a}=b=c',
    "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'",
  ],
  [
    'jsonpath={=True',
    "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
  ],
  [
    'jsonpath={.a}{.b}',
    "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
  ],
])('%j is refused as kubectl refuses it', (text, message) => {
  expect(() => parseForCondition(text)).toThrow(expect.objectContaining({ code: 'argument', message }));
});

const FORMS = "--for takes create, delete, rollout, current, condition=NAME[=VALUE] or jsonpath='{.path}'[=VALUE]";

test.each([
  [
    'pods/web',
    'the events of an object: watch events --field-selector involvedObject.kind=KIND,involvedObject.name=NAME',
  ],
  ['ready', `did you mean --for condition=ready? ${FORMS}`],
  ['Ready=False', `did you mean --for condition=Ready=False? ${FORMS}`],
  ['creat', `did you mean --for create? ${FORMS}`],
  ['conditon=Ready', `did you mean --for condition=Ready? ${FORMS}`],
  ['conditon', FORMS],
  ['xyz', FORMS],
])('%s, which is no condition, is refused with the form that was meant', (text, hint) => {
  expect(() => parseForCondition(text)).toThrow(expect.objectContaining({ code: 'argument', hint }));
});

test('rollout is met by a finished rollout, waits for a missing object, and fails after the progress deadline', () => {
  const of = { gvr: { group: 'apps', version: 'v1', resource: 'deployments' }, kind: 'Deployment' };
  const deployment = (status: object) => object({ spec: { replicas: 1 }, status }, { namespace: 'shop' });
  const { met: rollout } = parseForCondition('Rollout');
  expect([
    rollout(undefined, of),
    rollout(deployment({ readyReplicas: 1, replicas: 1 }), of),
    rollout(deployment({ updatedReplicas: 1, replicas: 1, availableReplicas: 1 }), of),
  ]).toEqual([false, false, true]);
  const late = rollout(deployment({ conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }] }), of);
  const hint =
    'kubectl describe deployment web -n shop shows why, kubectl rollout undo deployment web -n shop goes back';
  expect(late).toMatchObject({ code: 'terminal', message: 'deployment "web" exceeded its progress deadline', hint });
  const pods = { gvr: { ...of.gvr, group: '', resource: 'pods' }, kind: 'Pod' };
  expect(rollout(object(), pods)).toMatchObject({
    code: 'terminal',
    message: expect.stringContaining('--for rollout: pod "web": '),
  });
  expect(rollout(object())).toMatchObject({ message: expect.stringContaining('--for rollout: object "web": ') });
});

test('current is met by what kstatus calls Current, and fails for an object that cannot become current by itself', () => {
  const of = { gvr: { group: 'batch', version: 'v1', resource: 'jobs' }, kind: 'Job' };
  const job = (status: object, more = {}) => object({ status }, { namespace: 'shop', ...more });
  const { met: current, kind } = parseForCondition('Current');
  expect(kind).toBe('current');
  expect([
    current(undefined, of),
    current(job({}), of),
    current(job({ startTime: '2026-01-01T00:00:00Z' }), of),
    current(job({ startTime: '2026-01-01T00:00:00Z' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }), of),
  ]).toEqual([false, false, true, false]);
  expect(current(job({ conditions: [{ type: 'Failed', status: 'True' }] }), of)).toMatchObject({
    code: 'terminal',
    message: 'job "web" has failed: Job Failed. failed: 0/1',
    hint: 'kubectl describe job web -n shop shows why',
  });
  const stalled = object({ status: { conditions: [{ type: 'Stalled', status: 'True' }] } });
  expect(current(stalled)).toMatchObject({ message: 'object "web" has failed' });
});
