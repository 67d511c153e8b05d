import { describe, expect, it } from 'vitest';
import { InformerError } from '../../../src/kit/error.ts';
import type { ReadonlyObject, UnknownObject } from '../../../src/model/object.ts';
import {
  asCondition,
  exists,
  hasCondition,
  isCurrent,
  isDeleted,
  ObjectCondition,
  rolledOut,
} from '../../../src/stream/until/object-condition.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const PODS = { group: '', version: 'v1', resource: 'pods' };

const object = (rest: object = {}, metadata: object = {}): UnknownObject => ({
  metadata: { name: 'web', uid: 'u1', ...metadata },
  ...rest,
});
const conditions = (...all: unknown[]) => object({ status: { conditions: all } });

/** Whether the state meets the condition, and why not. */
const asked = (condition: ObjectCondition, of: ReadonlyObject | undefined, gvr = PODS) => [
  condition.met(of, gvr),
  condition.missing(of, gvr),
];

describe('exists', () => {
  it('is met by an object', () => {
    expect([exists().met(object(), PODS), exists().met(undefined, PODS), exists().text]).toEqual([
      true,
      false,
      'exists',
    ]);
    expect(exists().missing(undefined, PODS)).toBe('it does not exist');
  });
});

describe('isDeleted', () => {
  it('without a uid is met when there is no object of the name', () => {
    expect(isDeleted().met(undefined, PODS)).toBe(true);
    expect(asked(isDeleted(), object())).toEqual([false, 'it still exists, and its deletion has not begun']);
  });

  it('with a uid is met by another object of the name, too', () => {
    const [first, second] = [object(), object({}, { uid: 'u2' })];
    const deleted = isDeleted('u1');
    expect([undefined, first, second].map((of) => deleted.met(of, PODS))).toEqual([true, false, true]);
  });

  it('says what the deletion waits for', () => {
    const deleting = (finalizers?: string[]) =>
      object({}, { deletionTimestamp: '2026-01-01T12:00:00Z', ...(finalizers && { finalizers }) });
    expect([deleting(), deleting([]), deleting(['a', 'b'])].map((of) => isDeleted().missing(of, PODS))).toEqual([
      'it is being deleted',
      'it is being deleted',
      'it is being deleted, and waits for its finalizers a, b',
    ]);
  });
});

describe('hasCondition', () => {
  it('compares types and statuses without regard to case; the status is True unless given', () => {
    const of = conditions({ type: 'Other', status: 'True' }, { type: 'Ready', status: 'true' });
    expect([hasCondition('ready').met(of, PODS), hasCondition('Ready', 'False').met(of, PODS)]).toEqual([true, false]);
    expect([hasCondition('Ready').text, hasCondition('Ready', 'False').text]).toEqual([
      'condition Ready=True',
      'condition Ready=False',
    ]);
  });

  it.each<[string, UnknownObject | undefined, string]>([
    ['there is no object', undefined, 'it does not exist'],
    ['there is no status', object(), 'it has no condition Ready'],
    ['the conditions are no list', object({ status: { conditions: {} } }), 'it has no condition Ready'],
    ['the type is not among them', conditions({ type: 'Other', status: 'True' }, null), 'it has no condition Ready'],
    ['it has another status', conditions({ type: 'READY', status: 'False' }), 'its condition Ready is False'],
    [
      'there is a reason and a message',
      conditions({ type: 'Ready', status: 'False', reason: 'Down', message: 'no answer' }),
      'its condition Ready is False (Down: no answer)',
    ],
    [
      'there is only a message',
      conditions({ type: 'Ready', status: 'False', reason: '', message: 'no answer' }),
      'its condition Ready is False (no answer)',
    ],
    [
      'it is of an earlier generation',
      { ...conditions({ type: 'Ready', status: 'True', observedGeneration: 2 }), metadata: { generation: 3 } },
      'its condition Ready is True, of generation 2; the object has 3',
    ],
    [
      'it is of this generation',
      {
        ...conditions({ type: 'Ready', status: 'Unknown', observedGeneration: 3 }),
        metadata: { generation: 3 },
      },
      'its condition Ready is Unknown',
    ],
  ])('says why it is not met where %s', (_, of, why) => {
    expect(asked(hasCondition('Ready'), of)).toEqual([false, why]);
  });

  it.each(['', 'Ready=True', 7])('refuses %j', (type) => {
    expect(() => hasCondition(type as string)).toThrow(
      expect.objectContaining({ code: 'argument', message: 'hasCondition takes the type of a condition' }),
    );
  });
});

describe('rolledOut', () => {
  const deployment = (status: object) => object({ spec: { replicas: 1 }, status });

  it('is met by a finished rollout of an item of a list, which has no kind', () => {
    const condition = rolledOut();
    expect(condition.met(deployment({ updatedReplicas: 1, replicas: 1, availableReplicas: 1 }), DEPLOYMENTS)).toBe(
      true,
    );
    expect(asked(condition, deployment({ replicas: 1 }), DEPLOYMENTS)).toEqual([
      false,
      expect.stringContaining('0 out of 1 new replicas have been updated'),
    ]);
    expect(asked(condition, undefined, DEPLOYMENTS)).toEqual([false, 'it does not exist']);
  });

  it.each([
    ['statefulsets', { observedGeneration: 1, readyReplicas: 1, currentRevision: 'a', updateRevision: 'a' }],
    ['daemonsets', { desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1 }],
  ])('knows the kind of %s', (resource, status) => {
    const updateStrategy = { type: 'RollingUpdate' };
    const of = object({ spec: { replicas: 1, updateStrategy }, status });
    expect(rolledOut().met(of, { ...DEPLOYMENTS, resource })).toBe(true);
  });

  it('ends the wait when the rollout has failed, and for a type without rollouts', () => {
    const late = deployment({ conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }] });
    expect(() => rolledOut().met(late, DEPLOYMENTS)).toThrow(
      expect.objectContaining({ code: 'terminal', message: 'the rollout of web: exceeded its progress deadline' }),
    );
    expect(() => rolledOut().met(object(), PODS)).toThrow(expect.objectContaining({ code: 'terminal' }));
  });
});

describe('isCurrent', () => {
  const deployment = (status: object) => object({ spec: { replicas: 1 }, status });
  const done = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const available = [{ type: 'Available', status: 'True' }];

  it('is met by an object that is as its spec wants it, also by an item of a list, which has no kind', () => {
    expect(isCurrent().text).toBe('current');
    expect(isCurrent().met(deployment({ ...done, conditions: available }), DEPLOYMENTS)).toBe(true);
    const [isMet, missing] = asked(isCurrent(), deployment({ ...done, updatedReplicas: 0 }), DEPLOYMENTS);
    expect([isMet, missing]).toEqual([false, expect.stringContaining('0/1')]);
    expect(asked(isCurrent(), undefined, DEPLOYMENTS)).toEqual([false, 'it does not exist']);
  });

  it('ends the wait for an object that cannot become current by itself', () => {
    const late = deployment({ conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }] });
    expect(() => isCurrent().met(late, DEPLOYMENTS)).toThrow(
      expect.objectContaining({ code: 'terminal', message: expect.stringContaining('web has failed: ') }),
    );
  });
});

describe('conditions combine', () => {
  const [yes, no] = [true, false].map(
    (is) => new ObjectCondition({ text: is ? 'yes' : 'no', met: () => is, missing: () => `not ${is}` }),
  ) as [ObjectCondition, ObjectCondition];
  const failing = (code: 'terminal' | 'argument') =>
    new ObjectCondition({
      text: code,
      met: () => {
        throw new InformerError(code, code);
      },
    });

  it('and is met when both are, and names those that are not, each once', () => {
    const met = (a: ObjectCondition, b: ObjectCondition) => a.and(b).met(object(), PODS);
    expect([met(yes, yes), met(yes, no), met(no, yes), met(no, no)]).toEqual([true, false, false, false]);
    expect(yes.and(no).text).toBe('yes and no');
    expect(yes.and(no).missing(object(), PODS)).toBe('not false');
    expect(no.and(no).missing(object(), PODS)).toBe('not false');
    expect(no.and(hasCondition('Ready')).missing(object(), PODS)).toBe('not false; it has no condition Ready');
  });

  it('or is met when one of them is', () => {
    const met = (a: ObjectCondition, b: ObjectCondition) => a.or(b).met(object(), PODS);
    expect([met(yes, yes), met(yes, no), met(no, yes), met(no, no)]).toEqual([true, true, true, false]);
    expect(yes.or(no).text).toBe('(yes or no)');
    expect(no.or(hasCondition('Ready')).missing(object(), PODS)).toBe('not false, and it has no condition Ready');
    expect(no.or(no).missing(object(), PODS)).toBe('not false');
  });

  it('or goes on past an alternative that has failed, and fails with the first failure if no other is met', () => {
    expect(failing('terminal').or(yes).met(object(), PODS)).toBe(true);
    expect(() => failing('terminal').or(no).met(object(), PODS)).toThrow('terminal');
    expect(() => no.or(failing('terminal')).met(object(), PODS)).toThrow('terminal');
    const other = asCondition<ReadonlyObject>(() => {
      throw new InformerError('terminal', 'the second');
    });
    expect(() => failing('terminal').or(other).met(object(), PODS)).toThrow(/^terminal$/);
    expect(() => failing('argument').or(yes).met(object(), PODS)).toThrow('argument');
  });

  it('not is met when the condition is not', () => {
    expect([yes.not().met(object(), PODS), no.not().met(object(), PODS)]).toEqual([false, true]);
    expect([yes.not().text, yes.not().missing(object(), PODS)]).toEqual(['not yes', 'still yes']);
  });
});

describe('a function of the object', () => {
  it('is a condition by its name', () => {
    const isReady = (of: ReadonlyObject | undefined) => of !== undefined;
    const condition = asCondition(isReady);
    expect([condition.text, asCondition((of) => of === undefined).text]).toEqual(['isReady', 'the condition']);
    expect(asked(condition, undefined)).toEqual([false, 'it does not exist (waits for: isReady)']);
    expect(condition.missing(object(), PODS)).toBe('not met: isReady');
    expect(condition.met(object(), PODS)).toBe(true);
  });

  it('a condition stays itself; anything else is refused, and a promise as an answer too', () => {
    const condition = exists();
    expect(asCondition(condition)).toBe(condition);
    expect(() => asCondition('Ready' as never)).toThrow(expect.objectContaining({ code: 'argument' }));
    expect(() => asCondition((async () => true) as never).met(object(), PODS)).toThrow('not with a promise');
    expect([null, 1, {}].map((answer) => asCondition((() => answer) as never).met(object(), PODS))).toEqual([
      false,
      true,
      true,
    ]);
  });
});
