import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { CompiledCondition } from '../../../src/stream/conditions/condition.ts';
import { parseForCondition } from '../../../src/stream/conditions/for-condition.ts';
import type { WaitRules, WaitTarget } from '../../../src/stream/conditions/wait-rules.ts';
import { Waiter } from '../../../src/stream/conditions/waiter.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, namespaced: true };
const pod = (uid: string): UnknownObject => ({ metadata: { name: 'a', namespace: 'shop', uid }, ready: true });
const wasDeleted: CompiledCondition = { source: 'event', readsEvent: true, test: ({ event }) => event === 'DELETED' };
const isReady: CompiledCondition = {
  source: 'ready',
  readsEvent: false,
  test: ({ object }) => (object as { ready?: boolean }).ready === true,
};

describe.each([
  ['named', { type, namespaces: ['shop'], names: new Set(['a']) } satisfies WaitTarget],
  ['selected', { type, namespaces: ['shop'] } satisfies WaitTarget],
])('a %s object that is found replaced by another of its name', (_, target: WaitTarget) => {
  function replaced(rules: WaitRules) {
    const clock = new FakeClock();
    const waiter = new Waiter(rules, { clock, targets: [target] });
    waiter.handle({ type: 'added', object: pod('1'), cause: 'initial' }, target);
    waiter.synced(target);
    expect(waiter.settled).toBeUndefined();
    clock.tick(900);
    waiter.handle(
      { type: 'updated', object: pod('2'), oldObject: pod('1'), cause: 'relist', uidChanged: true },
      target,
    );
    return { waiter, clock };
  }

  it('was deleted, for a wait for the deletion', () => {
    expect(replaced({ failIf: [wasDeleted] }).waiter.settled?.kind).toBe('fail-if');
    expect(replaced({ untilAny: [wasDeleted] }).waiter.settled?.kind).toBe('until-any');
    expect(replaced({ for: [parseForCondition('delete')] }).waiter.settled?.kind).toBe('for');
  });

  it('meets no rule that is not about a deletion, and that the new object does not meet', () => {
    const never: CompiledCondition = { source: 'never', readsEvent: true, test: () => false };
    for (const rules of [{ failIf: [never] }, { untilAny: [never] }, { until: [never] }])
      expect(replaced(rules).waiter.settled).toBeUndefined();
  });

  it('did not exist in between, for a condition that must stay met', () => {
    const { waiter, clock } = replaced({ until: [isReady], staysMs: 1000 });
    clock.tick(900);
    expect(waiter.settled).toBeUndefined();
    clock.tick(100);
    expect(waiter.settled?.kind).toBe('until');
  });
});
