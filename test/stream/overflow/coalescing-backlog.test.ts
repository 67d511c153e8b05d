import { expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ObjectChange } from '../../../src/stream/envelope.ts';
import type { GateTarget } from '../../../src/stream/filter-gate.ts';
import type { Loss } from '../../../src/stream/overflow/backlog.ts';
import { CoalescingBacklog } from '../../../src/stream/overflow/coalescing-backlog.ts';

const PODS: GateTarget = { type: { gvr: { group: '', version: 'v1', resource: 'pods' } } };
const at = (name: string, version: number): UnknownObject => ({ metadata: { name, resourceVersion: String(version) } });
const add = (name: string, version: number): ObjectChange => ({
  type: 'added',
  object: at(name, version),
  cause: 'watch',
});
const remove = (name: string, version: number): ObjectChange => ({
  type: 'deleted',
  object: at(name, version),
  cause: 'watch',
});
const update = (name: string, from: number, to: number, uidChanged = false): ObjectChange => ({
  type: 'updated',
  object: at(name, to),
  oldObject: at(name, from),
  cause: 'watch',
  uidChanged,
});

function backlog() {
  const lost: Loss[] = [];
  const counted: number[] = [];
  const queue = new CoalescingBacklog<GateTarget>({
    lost: (loss) => void lost.push(loss),
    onLost: (_, events) => counted.push(events),
  });
  const push = (...changes: ObjectChange[]) => {
    for (const change of changes) queue.push({ change, target: PODS, receivedMs: 0 });
  };
  const take = (): ObjectChange | 'step' | undefined => {
    const item = queue.shift();
    if (typeof item !== 'function') return item?.change;
    void item();
    return 'step';
  };
  return { queue, lost, counted, push, take };
}

it('counts the waiting changes of the current and the next batch, but not steps', () => {
  const { queue, push, take } = backlog();
  push(add('a', 1), add('b', 1));
  queue.pushStep(() => {});
  expect(queue.waiting).toBe(2);
  expect([take(), queue.waiting]).toEqual([add('a', 1), 1]);
  push(update('a', 1, 2), remove('c', 1), add('c', 2));
  expect(queue.waiting).toBe(4);
  expect([take(), queue.waiting, take(), queue.waiting]).toEqual([add('b', 1), 3, 'step', 3]);
  expect([take(), take(), take(), take()]).toEqual([update('a', 1, 2), remove('c', 1), add('c', 2), undefined]);
  expect(queue.waiting).toBe(0);
});

it('counts every merged change at once, and reports them before their batch', () => {
  const { queue, lost, counted, push, take } = backlog();
  push(add('a', 1), update('a', 1, 2), update('a', 2, 3), add('b', 1), remove('b', 2), add('c', 1));
  expect([counted, lost]).toEqual([[1, 1, 2], []]);
  expect(queue.unreported).toEqual({ how: 'coalesced', events: 4, objects: 2 });
  expect([take(), lost, queue.unreported]).toEqual(['step', [{ how: 'coalesced', events: 4, objects: 2 }], undefined]);
  expect([take(), take(), take()]).toEqual([add('a', 3), add('c', 1), undefined]);
});

it.each([
  ['the first', true, false],
  ['the second', false, true],
])('two updates are one of another object when %s was', (_, first, second) => {
  const { push, take } = backlog();
  push(update('a', 1, 2, first), update('a', 2, 3, second));
  expect([take(), take()]).toEqual(['step', update('a', 1, 3, true)]);
});

it('objects of one name of two types are not merged, those of one type are', () => {
  const { queue, counted } = backlog();
  const other: GateTarget = { type: { gvr: { group: '', version: 'v1', resource: 'services' } } };
  for (const target of [PODS, other, PODS, other]) queue.push({ change: update('a', 1, 2), target, receivedMs: 0 });
  expect([queue.waiting, counted]).toEqual([2, [1, 1]]);
});

it('an addition, deletion and addition are one addition; an update and a deletion are the deletion', () => {
  const { push, take } = backlog();
  push(add('a', 1), remove('a', 2), add('a', 3), update('b', 1, 2), remove('b', 3));
  expect([take(), take(), take(), take()]).toEqual(['step', add('a', 3), remove('b', 3), undefined]);
});
