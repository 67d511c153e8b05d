import { expect, it } from 'vitest';
import { SYNCED } from '../../../src/informer/handlers/handler-queue.ts';
import { Listener, type QueuePolicy } from '../../../src/informer/handlers/listener.ts';
import type { InformerNotification, NotificationSink } from '../../../src/informer/handlers/notification.ts';
import { createLogger, silentLogger } from '../../../src/kit/logger.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../../support/objects.ts';

const COUNT = 5000;
const added = (i: number): InformerNotification<Pod> => ({
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

/** A listener whose handler waits in each callback until it is let on. */
function stepped(policy: QueuePolicy, options: { blockAt?: number; warnAt?: number } = {}) {
  const steps: (() => void)[] = [];
  const seen: string[] = [];
  const warnings: unknown[] = [];
  const sink: NotificationSink<Pod> = {
    notify({ key }) {
      seen.push(key);
      return new Promise<void>((resolve) => steps.push(resolve));
    },
    synced() {},
  };
  const listener = new Listener<Pod>(sink, {
    policy,
    blockAt: 4,
    resyncMs: 0,
    lanes: 1,
    clock: new FakeClock(),
    logger: createLogger((level, _message, fields) => void (level === 'warn' && warnings.push(fields?.backlog))),
    onError() {},
    warnAt: 1e9,
    ...options,
  });
  const push = (from: number, count: number) => {
    for (let i = from; i < from + count; i++) listener.push(added(i));
  };
  const step = async (count = 1) => {
    for (let i = 0; i < count; i++) {
      await settled();
      steps.shift()?.();
    }
    await settled();
  };
  return { listener, seen, warnings, push, step };
}

it('a blocking handler has room until its backlog is reached, and again once half of it is gone, every time', async () => {
  const { listener, push, step } = stepped('block');
  for (const round of [0, 10, 20]) {
    push(round, 3);
    expect(listener.room()).toBeUndefined();
    push(round + 3, 1);
    let hasRoom = false;
    const both = [listener.room(), listener.room()];
    for (const room of both) void room?.then(() => (hasRoom = true));
    expect(both).toEqual([expect.any(Promise), expect.any(Promise)]);
    await settled();
    expect([listener.depth, hasRoom]).toEqual([3, false]);
    await step();
    expect(listener.depth).toBe(2);
    await step();
    expect(hasRoom).toBe(true);
    await step(2);
    expect([listener.depth, hasRoom, listener.room()]).toEqual([0, true, undefined]);
  }
});

it.each(['buffer', 'coalesce'] as const)('a handler with policy %s always has room', (policy) => {
  const { listener, push } = stepped(policy);
  push(0, 100);
  expect(listener.room()).toBeUndefined();
});

it('a backlog is warned of when it reaches a length, and again each time that has doubled', () => {
  const { warnings, push } = stepped('buffer', { warnAt: 10 });
  push(0, 9);
  expect(warnings).toEqual([]);
  push(9, 31);
  expect(warnings).toEqual([10, 20, 40]);
});

it('once closed it takes nothing more, drops what waits, has room, and its running callback ends', async () => {
  const { listener, seen, push, step } = stepped('block');
  push(0, 6);
  await settled();
  const room = listener.room();
  listener.close();
  await room;
  push(6, 6);
  expect([listener.depth, listener.room()]).toEqual([0, undefined]);
  await expect(listener.whenSynced()).rejects.toMatchObject({ code: 'closed' });
  let isIdle = false;
  void listener.idle().then(() => (isIdle = true));
  await settled();
  expect(isIdle).toBe(false);
  await step();
  expect([seen, isIdle]).toEqual([['p0'], true]);
});
