import { expect, it } from 'vitest';
import { CoalescingQueue, SYNCED } from '../../src/informer/handler-queue.ts';
import type { Notification } from '../../src/informer/notification.ts';
import { type Pod, pod } from '../support/objects.ts';

const add = (key: string, version: number): Notification<Pod> => ({
  kind: 'added',
  key,
  object: pod(key, version),
  cause: 'watch',
  isInInitialList: false,
});
const update = (key: string, from: number, to: number): Notification<Pod> => ({
  kind: 'updated',
  key,
  oldObject: pod(key, from),
  object: pod(key, to),
  cause: 'watch',
  uidChanged: false,
});
const remove = (key: string, version: number): Notification<Pod> => ({
  kind: 'deleted',
  key,
  object: pod(key, version),
  cause: 'watch',
  finalStateUnknown: false,
});

function line(n: Notification<Pod>): string {
  const old = n.kind === 'updated' ? `${n.oldObject.metadata.resourceVersion}->` : '';
  return `${n.kind} ${n.key}@${old}${n.object.metadata.resourceVersion}`;
}

function through(...items: Notification<Pod>[]): { lines: string[]; lost: number } {
  let lost = 0;
  const queue = new CoalescingQueue<Pod>((count) => (lost += count));
  for (const item of items) queue.push(item);
  const lines: string[] = [];
  for (let item = queue.shift(); item; item = queue.shift()) if (item !== SYNCED && item.kind !== 'continuity') lines.push(line(item));
  return { lines, lost };
}

it.each([
  ['an addition and its updates are one addition of the latest', [add('a', 1), update('a', 1, 2), update('a', 2, 3)], ['added a@3'], 2],
  ['updates are one update from the first old to the last new', [update('a', 1, 2), update('a', 2, 3)], ['updated a@1->3'], 1],
  ['updates and a deletion are the deletion', [update('a', 1, 2), remove('a', 3)], ['deleted a@3'], 1],
  ['what came and went was never there', [add('a', 1), remove('a', 2)], [], 2],
  ['what went and came again is an update to another', [remove('a', 2), add('a', 3)], ['updated a@2->3'], 1],
  ['other keys keep their place', [update('a', 1, 2), add('b', 1), update('a', 2, 3)], ['updated a@1->3', 'added b@1'], 1],
])('%s', (_, items, lines, lost) => {
  expect(through(...items)).toEqual({ lines, lost });
});

it('keeps the sync mark behind what was there before it', () => {
  const queue = new CoalescingQueue<Pod>(() => {});
  queue.push(add('a', 1));
  queue.push(SYNCED);
  queue.push(update('a', 1, 2));
  queue.push(add('b', 1));
  expect([queue.shift(), queue.shift(), queue.shift()]).toMatchObject([{ key: 'a' }, SYNCED, { key: 'b' }]);
});
