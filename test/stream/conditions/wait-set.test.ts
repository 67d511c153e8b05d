import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { type CompiledCondition, ConditionJudge } from '../../../src/stream/conditions/condition.ts';
import { parseForCondition } from '../../../src/stream/conditions/for-condition.ts';
import type { WaitRules, WaitTarget } from '../../../src/stream/conditions/wait-rules.ts';
import { sumOf, WaitSet } from '../../../src/stream/conditions/wait-set.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const PODS: WaitTarget = {
  type: { gvr: { group: '', version: 'v1', resource: 'pods' }, namespaced: true },
  namespaces: ['shop'],
};
const named = (...names: string[]): WaitTarget => ({ ...PODS, names: new Set(names) });

const pod = (name: string, phase = 'Pending'): UnknownObject => ({
  metadata: { name, namespace: 'shop', uid: name },
  status: { phase },
});
const phase = (wanted: string): CompiledCondition => ({
  source: wanted,
  readsEvent: false,
  test: ({ object }) => (object as { status: { phase: string } }).status.phase === wanted,
});
const steps = (...texts: string[]): WaitRules => ({ for: texts.map(parseForCondition) });

function setOf(rules: WaitRules, target = PODS) {
  const clock = new FakeClock();
  const set = new WaitSet(target, rules, new ConditionJudge(), clock);
  const send = (type: 'added' | 'updated' | 'deleted', object: UnknownObject) =>
    set.handle({ type, object, cause: 'watch' });
  return { set, send, clock };
}

describe('the tallies', () => {
  it.each([
    ['in one namespace', named('a', 'b')],
    ['in any namespace', { ...named('a', 'b'), namespaces: [] }],
  ])('count each object for a rule once, and no object for a rule that was not given: names %s', (_, target) => {
    const { set, send } = setOf({ until: [phase('Running')] }, target);
    send('added', pod('a', 'Running'));
    send('added', pod('other', 'Running'));
    set.synced();
    expect(set.tallies).toEqual({
      until: { met: 1, total: 2 },
      for: { met: 0, total: 0 },
      any: { met: 0, total: 2 },
    });
    send('deleted', pod('a', 'Running'));
    expect(set.tallies).toEqual({
      until: { met: 0, total: 2 },
      for: { met: 0, total: 0 },
      any: { met: 0, total: 2 },
    });
  });

  it('of for count an object that is done after its deletion, and no other one that is gone', () => {
    const { set, send } = setOf(steps('jsonpath={.status.phase}=Running'));
    send('added', pod('a', 'Running'));
    send('added', pod('b'));
    set.synced();
    for (const name of ['a', 'b']) send('deleted', pod(name));
    expect(set.tallies.for).toEqual({ met: 1, total: 1 });
  });

  it('of several sets are summed', () => {
    const sets = ['Running', 'Pending'].map((is) => {
      const { set, send } = setOf({ until: [phase('Running')] });
      send('added', pod('a', is));
      return set;
    });
    expect(sumOf(sets, 'until')).toEqual({ met: 1, total: 2 });
  });
});

describe('the objects that do not meet a rule', () => {
  it('are named up to a number', () => {
    const { set, send } = setOf({ until: [phase('Running')] });
    for (const name of ['a', 'b', 'c', 'd']) send('added', pod(name, name === 'b' ? 'Running' : 'Pending'));
    expect([0, 1, 2, 9].map((most) => set.unmet('until', most))).toEqual([
      [],
      ['shop/a'],
      ['shop/a', 'shop/c'],
      ['shop/a', 'shop/c', 'shop/d'],
    ]);
  });

  it('are none for a rule that was not given', () => {
    const { set, send } = setOf({ until: [phase('Running')] }, named('a', 'b'));
    send('added', pod('a'));
    expect(set.unmet('for', 9)).toEqual([]);
  });

  it('are awaited if their names were given, and not when the deletion is the goal', () => {
    const { set, send } = setOf({ until: [phase('Running')] }, named('a', 'b'));
    send('added', pod('a', 'Running'));
    expect(['shop/a', 'shop/b', 'shop/c'].map((key) => set.isAwaited('until', key))).toEqual([false, true, false]);
    const deleting = setOf(steps('delete'), named('a')).set;
    expect(deleting.isAwaited('for', 'shop/a')).toBe(false);
  });
});

describe('an object that met failIf or untilAny when it was deleted', () => {
  const deleted: CompiledCondition = { source: 'deleted', readsEvent: true, test: ({ event }) => event === 'DELETED' };

  it('has met it, whatever follows', () => {
    const { set, send } = setOf({ failIf: [deleted], untilAny: [deleted] });
    send('added', pod('a'));
    set.synced();
    send('deleted', pod('a'));
    send('added', pod('a'));
    send('added', pod('b'));
    expect([set.hasFailed(), set.tallies.any.met]).toEqual([true, 1]);
  });

  it('before the initial list was complete, has not', () => {
    const { set, send } = setOf({ failIf: [deleted], untilAny: [deleted] });
    send('added', pod('a'));
    send('deleted', pod('a'));
    set.synced();
    expect([set.hasFailed(), set.tallies.any.met]).toEqual([false, 0]);
  });

  it('has not met untilAny where the rule must stay met', () => {
    const { set, send } = setOf({ untilAny: [deleted], staysMs: 1000 });
    send('added', pod('a'));
    set.synced();
    send('deleted', pod('a'));
    expect(set.tallies.any.met).toBe(0);
  });

  it('is among those that meet it as long as its name counts', () => {
    const { set, send } = setOf({ failIf: [deleted] }, named('a', 'b'));
    for (const name of ['a', 'b']) send('added', pod(name));
    set.synced();
    send('deleted', pod('a'));
    expect([set.meeting('fail-if'), set.meeting('until-any')]).toEqual([['shop/a'], []]);
  });
});

it('a deletion by itself meets neither untilAny nor failIf', () => {
  const { set, send } = setOf({ untilAny: [phase('Failed')], failIf: [phase('Failed')] });
  send('added', pod('a'));
  set.synced();
  send('deleted', pod('a'));
  expect([set.hasFailed(), set.tallies.any.met]).toEqual([false, 0]);
});

it('a given name without an object meets nothing, and fails nothing', () => {
  const { set } = setOf(
    { until: [phase('Failed')], untilAny: [phase('Failed')], failIf: [phase('Failed')] },
    named('a'),
  );
  set.synced();
  expect([set.hasFailed(), set.tallies]).toEqual([
    false,
    { until: { met: 0, total: 1 }, any: { met: 0, total: 1 }, for: { met: 0, total: 0 } },
  ]);
});

it('the passing of time asks no object that was deleted', async () => {
  const due: CompiledCondition = {
    source: 'now',
    readsEvent: false,
    readsTime: true,
    test: ({ now }) => (now as Date).getTime() > start,
  };
  const { set, send, clock } = setOf({ until: [due], untilAny: [due], failIf: [due] }, named('a', 'b'));
  const start = clock.now();
  for (const name of ['a', 'b']) send('added', pod(name));
  set.synced();
  send('deleted', pod('a'));
  await clock.advance(1000);
  set.askAgain();
  expect(set.tallies).toMatchObject({ until: { met: 1, total: 2 }, any: { met: 1, total: 2 } });
  expect(set.meeting('fail-if')).toEqual(['shop/b']);
});

describe('delete without names', () => {
  it('waits for the objects of the initial list, and for no later one', () => {
    const { set, send } = setOf(steps('delete'));
    send('added', pod('a'));
    set.synced();
    send('added', pod('b'));
    expect(set.tallies.for).toEqual({ met: 0, total: 1 });
    send('deleted', pod('a'));
    expect(set.tallies.for).toEqual({ met: 1, total: 1 });
  });

  it('that must stay waits for later ones too', () => {
    const { set, send } = setOf({ ...steps('delete'), staysMs: 1000 });
    set.synced();
    send('added', pod('b'));
    expect(set.tallies.for).toEqual({ met: 0, total: 1 });
  });
});

it('an object that is created again starts from the first condition of for', () => {
  const { set, send } = setOf(steps('create', 'jsonpath={.status.phase}=Running'));
  send('added', pod('a', 'Running'));
  set.synced();
  send('deleted', pod('a'));
  send('added', pod('a'));
  expect(set.tallies.for).toEqual({ met: 0, total: 1 });
  send('updated', pod('a', 'Running'));
  expect(set.tallies.for).toEqual({ met: 1, total: 1 });
});

it('the first value that cannot be compared is the error of the wait', () => {
  const { set, send } = setOf(steps('jsonpath={.status}=x'));
  send('added', pod('a'));
  const { error } = set;
  send('added', pod('b'));
  expect(error?.message).toBe('jsonpath leads to a nested object or list which is not supported');
  expect(set.error).toBe(error);
});
