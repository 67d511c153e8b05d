import { expect, it } from 'vitest';
import {
  CoalescingQueue,
  createBuffer,
  type QueuedContinuity,
  SYNCED,
} from '../../../src/informer/handlers/handler-queue.ts';
import type { InformerNotification } from '../../../src/informer/handlers/notification.ts';
import { type Pod, pod } from '../../support/objects.ts';

const add = (key: string, version: number): InformerNotification<Pod> => ({
  kind: 'added',
  key,
  object: pod(key, version),
  cause: 'watch',
  isInInitialList: false,
});
const update = (key: string, from: number, to: number): InformerNotification<Pod> => ({
  kind: 'updated',
  key,
  oldObject: pod(key, from),
  object: pod(key, to),
  cause: 'watch',
  uidChanged: false,
});
const remove = (key: string, version: number): InformerNotification<Pod> => ({
  kind: 'deleted',
  key,
  object: pod(key, version),
  cause: 'watch',
  finalStateUnknown: false,
});

function line(n: InformerNotification<Pod>): string {
  const old = n.kind === 'updated' ? `${n.oldObject.metadata.resourceVersion}->` : '';
  return `${n.kind} ${n.key}@${old}${n.object.metadata.resourceVersion}`;
}

function through(...items: InformerNotification<Pod>[]): { lines: string[]; lost: number } {
  let lost = 0;
  const queue = new CoalescingQueue<Pod>((count) => (lost += count));
  for (const item of items) queue.push(item);
  const lines: string[] = [];
  for (let item = queue.shift(); item; item = queue.shift())
    if (item !== SYNCED && item.kind !== 'continuity') lines.push(line(item));
  return { lines, lost };
}

it.each([
  [
    'an addition and its updates are one addition of the latest',
    [add('a', 1), update('a', 1, 2), update('a', 2, 3)],
    ['added a@3'],
    2,
  ],
  [
    'updates are one update from the first old to the last new',
    [update('a', 1, 2), update('a', 2, 3)],
    ['updated a@1->3'],
    1,
  ],
  ['updates and a deletion are the deletion', [update('a', 1, 2), remove('a', 3)], ['deleted a@3'], 1],
  ['an addition and a deletion are nothing', [add('a', 1), remove('a', 2)], [], 2],
  ['a deletion and an addition are an update to another object', [remove('a', 2), add('a', 3)], ['updated a@2->3'], 1],
  [
    'other keys keep their place',
    [update('a', 1, 2), add('b', 1), update('a', 2, 3)],
    ['updated a@1->3', 'added b@1'],
    1,
  ],
])('%s', (_, items, lines, lost) => {
  expect(through(...items)).toEqual({ lines, lost });
});

it.each([
  ['of the first one', true, false],
  ['of the second one', false, true],
])('two updates are an update to another object when that is true %s', (_, first, second) => {
  const queue = new CoalescingQueue<Pod>(() => {});
  queue.push({ ...update('a', 1, 2), uidChanged: first } as InformerNotification<Pod>);
  queue.push({ ...update('a', 2, 3), uidChanged: second } as InformerNotification<Pod>);
  expect(queue.shift()).toMatchObject({ kind: 'updated', uidChanged: true });
});

it('a deletion and an addition make another object, plain updates do not', () => {
  const queue = new CoalescingQueue<Pod>(() => {});
  for (const item of [remove('a', 2), add('a', 3), update('b', 1, 2), update('b', 2, 3)]) queue.push(item);
  expect([queue.shift(), queue.shift()]).toMatchObject([{ uidChanged: true }, { uidChanged: false }]);
});

it.each([
  [true, 'initial'],
  [false, 'watch'],
] as const)(
  'an addition that is changed has the cause of the initial list, if it is of it (%s), else of the change',
  (isInInitialList, cause) => {
    const queue = new CoalescingQueue<Pod>(() => {});
    queue.push({ ...add('a', 1), kind: 'added', cause: 'initial', isInInitialList });
    queue.push(update('a', 1, 2));
    expect(queue.shift()).toMatchObject({ kind: 'added', cause, isInInitialList });
  },
);

it('keeps every continuity event and the sync marker, each in its place', () => {
  const gapFrom = (from: string): QueuedContinuity => ({
    kind: 'continuity',
    event: { kind: 'gap', at: 0, scope: '', from, why: 'gone' },
  });
  const queue = new CoalescingQueue<Pod>(() => {});
  for (const item of [add('a', 1), gapFrom('1'), gapFrom('2'), SYNCED, add('b', 2), gapFrom('3')] as const)
    queue.push(item);
  expect(queue.size).toBe(6);
  const taken = Array.from({ length: 7 }, () => queue.shift());
  expect(taken).toMatchObject([
    { key: 'a' },
    { event: { from: '1' } },
    { event: { from: '2' } },
    SYNCED,
    { key: 'b' },
    { event: { from: '3' } },
    undefined,
  ]);
});

it('is empty once cleared', () => {
  const queue = new CoalescingQueue<Pod>(() => {});
  queue.push(add('a', 1));
  queue.clear();
  expect([queue.size, queue.shift()]).toEqual([0, undefined]);
});

it('keeps the sync marker behind the notifications before it', () => {
  const queue = new CoalescingQueue<Pod>(() => {});
  queue.push(add('a', 1));
  queue.push(SYNCED);
  queue.push(update('a', 1, 2));
  queue.push(add('b', 1));
  expect([queue.shift(), queue.shift(), queue.shift()]).toMatchObject([{ key: 'a' }, SYNCED, { key: 'b' }]);
});

it('keeps a continuity event that comes twice, twice', () => {
  const queue = new CoalescingQueue<Pod>(() => {});
  const event = { kind: 'gap', from: '1', why: 'gone', at: 0 } as const;
  queue.push({ kind: 'continuity', event });
  queue.push({ kind: 'continuity', event });
  queue.push(SYNCED);
  expect([queue.size, queue.shift(), queue.shift(), queue.shift()]).toEqual([
    3,
    { kind: 'continuity', event },
    { kind: 'continuity', event },
    SYNCED,
  ]);
});

it('shows the item that is taken next, and leaves it', () => {
  for (const queue of [new CoalescingQueue<Pod>(() => {}), createBuffer<Pod>()]) {
    expect(queue.peek()).toBeUndefined();
    for (const item of [add('a', 1), SYNCED] as const) queue.push(item);
    expect([queue.peek(), queue.size, queue.shift(), queue.peek()]).toEqual([add('a', 1), 2, add('a', 1), SYNCED]);
  }
});

it.each([
  ['two updates', [update('a', 1, 2), update('a', 2, 3)]],
  ['an addition and an update', [add('a', 1), update('a', 1, 2)]],
  ['an update and a deletion', [update('a', 1, 2), remove('a', 3)]],
  ['a deletion and an addition', [remove('a', 1), add('a', 2)]],
])('%s have the place of the last one together', (_, pair) => {
  const queue = new CoalescingQueue<Pod>(() => {});
  const placed = pair.map((item, i) => ({ ...item, sequence: 7 + i }));
  for (const item of placed) queue.push(item);
  expect(queue.shift()).toMatchObject({ key: 'a', sequence: 8, cause: 'watch' });
});

it('updates without a place have none together', () => {
  const queue = new CoalescingQueue<Pod>(() => {});
  for (const item of [update('a', 1, 2), update('a', 2, 3)]) queue.push(item);
  expect(queue.shift()).toMatchObject({ sequence: 0 });
});
