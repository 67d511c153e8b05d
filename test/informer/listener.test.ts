import { expect, it } from 'vitest';
import { SYNCED } from '../../src/informer/handler-queue.ts';
import { Listener } from '../../src/informer/listener.ts';
import type { Notification, NotificationSink } from '../../src/informer/notification.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../support/objects.ts';

const COUNT = 5000;
const added = (i: number): Notification<Pod> => ({
  kind: 'added',
  key: `p${i}`,
  object: pod(`p${i}`, i + 1),
  cause: 'initial',
  isInInitialList: true,
});

/** How many turns of the event loop pass while a handler gets everything that waits for it. */
async function turnsOf(notify: NotificationSink<Pod>['notify'], clock = new FakeClock()): Promise<number> {
  const listener = new Listener<Pod>(
    { notify, synced() {} },
    { policy: 'buffer', blockAt: 1, resyncMs: 0, lanes: 1, clock, logger: silentLogger, onError() {}, warnAt: 1e9 },
  );
  for (let i = 0; i < COUNT; i++) listener.push(added(i));
  listener.push(SYNCED);
  let turns = 0;
  while (!listener.hasSynced && turns < COUNT) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  expect(listener.hasSynced).toBe(true);
  return turns;
}

it.each([
  ['waits for nothing', () => {}],
  ['gives promises that are kept at once', async () => {}],
])('a handler that %s lets others have their turn all the same', async (_, notify) => {
  expect(await turnsOf(notify)).toBeGreaterThanOrEqual(COUNT / 1024 - 1);
});

it('a handler that takes its time lets others have their turn after some milliseconds', async () => {
  let now = 0;
  const clock = Object.assign(new FakeClock(), { monotonic: () => now });
  const turns = await turnsOf(() => {
    now += 0.5;
  }, clock);
  expect(turns).toBeGreaterThan(COUNT / 32 - 2);
});
