import { expect, it } from 'vitest';
import { SYNCED } from '../../../src/informer/handlers/handler-queue.ts';
import { Listener, type ListenerOptions, type QueuePolicy } from '../../../src/informer/handlers/listener.ts';
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

/** The number of turns of the event loop in which a handler gets everything that is queued. */
async function turnsOf(notify: NotificationSink<Pod>['notify'], clock = new FakeClock()): Promise<number> {
  const listener = new Listener<Pod>(
    { notify, synced() {} },
    { policy: 'buffer', blockAt: 1, resyncMs: 0, pipelines: 1, clock, logger: silentLogger, onError() {}, warnAt: 1e9 },
  );
  for (let i = 0; i < COUNT; i++) listener.push(added(i));
  listener.push(SYNCED);
  let turns = 0;
  while (!listener.hasSynced && turns < COUNT) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  expect([listener.hasSynced, listener.errors]).toEqual([true, 0]);
  return turns;
}

it.each([
  ['waits for nothing', () => {}],
  ['returns promises that resolve at once', async () => {}],
])('a handler that %s still yields to the event loop', async (_, notify) => {
  expect(await turnsOf(notify)).toBeGreaterThanOrEqual(COUNT / 1024 - 1);
});

it.each([
  [0.5, 32],
  [0.2, 64],
  [0.1, 128],
])(
  'a handler of %d ms yields to the event loop after each %d callbacks: the next turn has 10 ms again',
  async (ms, callbacks) => {
    let now = 0;
    const clock = Object.assign(new FakeClock(), { monotonic: () => now });
    const turns = await turnsOf(() => {
      now += ms;
    }, clock);
    expect(Math.abs(turns - COUNT / callbacks)).toBeLessThan(2);
  },
);

it('a callback that fails is logged with what it was called for, counted and reported, and the next one runs', async () => {
  const logged: unknown[] = [];
  const reported: unknown[] = [];
  const errors = ['notify', 'later', 'synced', 'continuity'].map((text) => new Error(text));
  const listener = new Listener<Pod>(
    {
      notify: ({ key }) => {
        if (key === 'p0') throw errors[0];
        return Promise.reject(errors[1]);
      },
      synced: () => {
        throw errors[2];
      },
      continuity: () => {
        throw errors[3];
      },
    },
    {
      policy: 'buffer',
      blockAt: 1,
      resyncMs: 0,
      pipelines: 1,
      clock: new FakeClock(),
      logger: createLogger((_level, message, fields) => void logged.push([message, fields])),
      onError: (error) => reported.push(error),
      warnAt: 1e9,
    },
  );
  for (const item of [added(0), added(1), SYNCED, { kind: 'continuity', event: {} }]) listener.push(item as never);
  await listener.idle();
  expect([listener.errors, reported, listener.hasSynced]).toEqual([4, errors, true]);
  expect(logged).toEqual(
    [{ kind: 'added', key: 'p0' }, { kind: 'added', key: 'p1' }, {}, {}].map((about, i) => [
      'an informer handler failed',
      { ...about, error: errors[i] },
    ]),
  );
});

/** A listener whose handler waits in each callback until `step` releases it. */
function stepped(policy: QueuePolicy, options: Partial<ListenerOptions> = {}) {
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
    pipelines: 1,
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

it('a blocking handler has room until its limit is reached, and again when half of the backlog is gone, every time', async () => {
  const { listener, push, step } = stepped('block');
  for (const round of [0, 10, 20]) {
    push(round, 3);
    expect(listener.room()).toBeUndefined();
    push(round + 3, 1);
    let withRoom = 0;
    const both = [listener.room(), listener.room()];
    for (const room of both) void room?.then(() => withRoom++);
    expect(both).toEqual([expect.any(Promise), expect.any(Promise)]);
    await settled();
    expect([listener.depth, withRoom]).toEqual([3, 0]);
    await step();
    expect([listener.depth, withRoom]).toEqual([2, 0]);
    await step();
    expect(withRoom).toBe(2);
    await step(2);
    expect([listener.depth, listener.room(), listener.errors]).toEqual([0, undefined, 0]);
  }
});

it.each(['buffer', 'coalesce'] as const)('a handler with policy %s always has room', (policy) => {
  const { listener, push } = stepped(policy);
  push(0, 100);
  expect(listener.room()).toBeUndefined();
});

it('says that a callback is called while its code runs, up to its first await, and not after one that threw', async () => {
  const seen: boolean[] = [];
  let wait = Promise.withResolvers<void>();
  const listener: Listener<Pod> = new Listener<Pod>(
    {
      notify({ key }) {
        seen.push(listener.isCalling);
        if (key === 'p1') throw new Error('no');
        return wait.promise;
      },
      synced() {},
    },
    { policy: 'buffer', blockAt: 1, resyncMs: 0, pipelines: 1, clock: new FakeClock(), logger: silentLogger, onError() {}, warnAt: 1e9 }, // biome-ignore format: one row
  );
  expect(listener.isCalling).toBe(false);
  listener.push(added(0));
  await settled();
  seen.push(listener.isCalling);
  wait.resolve();
  wait = Promise.withResolvers<void>();
  listener.push(added(1));
  await settled();
  seen.push(listener.isCalling);
  expect(seen).toEqual([true, false, true, false]);
});

it('knows the number of its next notification: 0 for one without, none when nothing is queued', async () => {
  const { listener, step } = stepped('buffer');
  expect(listener.nextSequence).toBeUndefined();
  listener.push(added(0)); // its callback runs from now on
  await settled();
  const numbers: (number | undefined)[] = [];
  for (const item of [{ ...added(1), sequence: 7 }, added(2), { kind: 'continuity', event: {} }, SYNCED]) {
    listener.push(item as never);
    numbers.push(listener.nextSequence);
  }
  await step();
  numbers.push(listener.nextSequence);
  await step();
  expect([numbers, listener.nextSequence]).toEqual([[7, 7, 7, 7, 0], 0]);
  await step();
  expect(listener.nextSequence).toBeUndefined();
});

it('counts the notifications that coalesce merged away', async () => {
  const { listener, push } = stepped('coalesce');
  push(0, 1);
  await settled();
  const update = { ...added(1), kind: 'updated', oldObject: pod('p1', 1), cause: 'watch' };
  for (const item of [added(1), update, update]) listener.push(item as never);
  expect([listener.depth, listener.lost]).toEqual([1, 2]);
});

it('has a schedule for each lane, with its resync period', () => {
  const { listener } = stepped('buffer', { pipelines: 2, resyncMs: 1000 });
  expect(listener.resyncMs).toBe(1000);
  expect(listener.schedules.map((schedule) => [schedule.check(999), schedule.check(1000)])).toEqual([
    [false, true],
    [false, true],
  ]);
});

it('a backlog is warned of from 10,000 notifications on where nothing else was asked for', () => {
  const { warnings, push } = stepped('buffer', { warnAt: undefined as never });
  push(0, 9_999);
  expect(warnings).toEqual([]);
  push(9_999, 1);
  expect(warnings).toEqual([10_000]);
});

it.each([[undefined], [null], [0], ['text'], [{}]])('a callback that returns %j has not failed', async (result) => {
  await turnsOf(() => result as never);
});

it('a long backlog is warned of, and again each time its length has doubled', () => {
  const { warnings, push } = stepped('buffer', { warnAt: 10 });
  push(0, 9);
  expect(warnings).toEqual([]);
  push(9, 31);
  expect(warnings).toEqual([10, 20, 40]);
});

it('a closed listener accepts nothing more, drops its queue, has room, and lets the running callback end', async () => {
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
