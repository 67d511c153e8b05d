import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { ItemExponentialFailureRateLimiter } from '../../src/workqueue/rate-limiter.ts';
import type { WorkItem } from '../../src/workqueue/work-queue.ts';
import { LOW_PRIORITY, WorkQueue } from '../../src/workqueue/work-queue.ts';

function setup(options: ConstructorParameters<typeof WorkQueue>[0] = {}) {
  const clock = new FakeClock();
  return { clock, queue: new WorkQueue({ clock, ...options }) };
}

async function taken(queue: WorkQueue): Promise<WorkItem> {
  const item = queue.length > 0 ? await queue.take() : undefined;
  if (!item) throw new Error('nothing to take');
  return item;
}

/** Takes and releases everything that is in line. */
async function drain(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.length > 0) {
    using item = await taken(queue);
    keys.push(item.key);
  }
  return keys;
}

it('a queue that a block owns is shut down at the end of the block', async () => {
  const { queue } = setup();
  {
    using owned = queue;
    owned.add('a');
  }
  expect(queue.isShuttingDown).toBe(true);
  expect(await drain(queue)).toEqual(['a']);
  expect(await queue.take()).toBeUndefined();
});

describe('adding and taking', () => {
  it('several adds of a waiting key count as one [WQ-01]', async () => {
    const { queue } = setup();
    for (const key of ['foo', 'bar', 'foo']) queue.add(key);
    expect(queue.length).toBe(2);
    expect(await drain(queue)).toEqual(['foo', 'bar']);
  });

  it('a key that is added while it is being processed returns exactly once when it is released [WQ-02]', async () => {
    const { queue } = setup();
    queue.add('foo');
    const item = await taken(queue);
    queue.add('foo');
    queue.add('foo');
    expect(queue.length).toBe(0);
    item[Symbol.dispose]();
    expect(queue.length).toBe(1);
    expect(await drain(queue)).toEqual(['foo']);
    expect(queue.length).toBe(0);
  });

  it('calls onTouch for an add of a key in line, not of a key that is being processed [WQ-03]', async () => {
    const touched: string[] = [];
    const { queue } = setup({ onTouch: (key) => touched.push(key) });
    queue.add('bar');
    queue.add('bar');
    expect(touched).toEqual(['bar']);
    const item = await taken(queue);
    queue.add('bar');
    queue.add('bar');
    expect(touched).toEqual(['bar']);
    item[Symbol.dispose]();
    await drain(queue);
    expect(queue.length).toBe(0);
  });

  it('is first in, first out; a key that is added while it is being processed returns to the end of the line [WQ-10]', async () => {
    const { queue } = setup();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    const a = await taken(queue);
    queue.add('a');
    queue.add('d');
    a[Symbol.dispose]();
    expect(await drain(queue)).toEqual(['b', 'c', 'd', 'a']);
  });

  it('keeps nothing about a finished key [WQ-11]', async () => {
    const { queue } = setup();
    queue.add('foo');
    await drain(queue);
    expect(queue.snapshot()).toEqual({ queued: [], processing: [], delayed: [] });
    expect(queue.isPending('foo')).toBe(false);
    expect(queue.numRequeues('foo')).toBe(0);
  });

  it('a taker waits until there is a key, and takers are served in the order of their calls', async () => {
    const { queue } = setup();
    const got: string[] = [];
    for (const name of ['first', 'second']) void queue.take().then((item) => got.push(`${name}:${item?.key}`));
    queue.add('a');
    queue.add('b');
    await settled();
    expect(got).toEqual(['first:a', 'second:b']);
  });

  it('a taker whose signal aborts gets undefined, loses no key and leaves no listener', async () => {
    const { queue } = setup();
    const controller = new AbortController();
    const waiting = queue.take(controller.signal);
    controller.abort();
    expect(await waiting).toBeUndefined();
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    queue.add('foo');
    expect(await drain(queue)).toEqual(['foo']);
    const served = new AbortController();
    const taking = queue.take(served.signal);
    queue.add('bar');
    using item = await taking;
    expect(item?.key).toBe('bar');
    expect(getEventListeners(served.signal, 'abort')).toHaveLength(0);
  });

  it('a second release of a key, or the release of a key in line, does nothing', async () => {
    const { queue } = setup();
    queue.add('foo');
    queue.done('foo');
    expect(queue.length).toBe(1);
    const first = await taken(queue);
    first[Symbol.dispose]();
    queue.add('foo');
    using second = await taken(queue);
    first[Symbol.dispose](); // the item of an earlier turn must not release this one
    queue.add('foo');
    expect(queue.length).toBe(0);
    expect(second.key).toBe('foo');
  });

  it('releases a key by its name', async () => {
    const { queue } = setup();
    queue.add('foo');
    const item = await taken(queue);
    queue.add('foo');
    queue.done('foo');
    expect(queue.length).toBe(1);
    item[Symbol.dispose]();
    expect(await drain(queue)).toEqual(['foo']);
    expect(queue.snapshot().processing).toEqual([]);
  });

  it('gives no key to a taker whose signal is already aborted', async () => {
    const { queue } = setup();
    queue.add('foo');
    await expect(queue.take(AbortSignal.abort())).resolves.toBeUndefined();
    expect(await drain(queue)).toEqual(['foo']);
  });

  it('snapshot lists its keys, and for how long each has waited or been processed', async () => {
    const { clock, queue } = setup({ rateLimiter: new ItemExponentialFailureRateLimiter(100, 1000) });
    clock.tick(1000);
    queue.add('held', { priority: 3 });
    clock.tick(10);
    const held = await taken(queue);
    queue.add('waits');
    queue.add('later', { after: 70, priority: -1 });
    clock.tick(5);
    queue.add('held');
    expect(queue.snapshot()).toEqual({
      queued: [{ key: 'waits', priority: 0, waitedMs: 5 }],
      processing: [{ key: 'held', priority: 3, heldMs: 5, isDirty: true }],
      delayed: [{ key: 'later', priority: -1, dueInMs: 65 }],
    });
    expect(['held', 'waits', 'later', 'none'].map((key) => queue.isPending(key))).toEqual([true, true, true, false]);
    held[Symbol.dispose]();
    expect(['held', 'waits'].map((key) => queue.isPending(key))).toEqual([true, true]);
  });

  it('snapshot has the keys that are being processed in the order in which they were taken', async () => {
    const { clock, queue } = setup();
    const items: WorkItem[] = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      queue.add(key);
      items.push(await taken(queue));
      clock.tick(5);
    }
    items[0]?.[Symbol.dispose]();
    items[1]?.[Symbol.dispose]();
    expect(queue.snapshot().processing.map(({ key, heldMs }) => `${key} ${heldMs}`)).toEqual(['c 10', 'd 5']);
    queue.add('a');
    items.push(await taken(queue));
    expect(queue.snapshot().processing.map(({ key }) => key)).toEqual(['c', 'd', 'a']);
  });

  it.each([[[0, 1, 2]], [[2, 1, 0]], [[1, 0, 2]], [[0, 2, 1]]])(
    'keys that are released in the order %j leave the others as they are being processed',
    async (order) => {
      const { queue } = setup();
      for (const key of ['a', 'b', 'c']) queue.add(key);
      const items = [await taken(queue), await taken(queue), await taken(queue)];
      const left = new Set(['a', 'b', 'c']);
      for (const at of order) {
        const item = items[at] as WorkItem;
        item[Symbol.dispose]();
        item[Symbol.dispose]();
        left.delete(item.key);
        expect(new Set(queue.snapshot().processing.map(({ key }) => key))).toEqual(left);
      }
    },
  );

  it('without metrics, reads the clock twice for a key that is added, taken and released', async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock, rateLimiter: new ItemExponentialFailureRateLimiter(1, 1000) });
    const reads = vi.spyOn(clock, 'monotonic');
    queue.add('a');
    (await taken(queue))[Symbol.dispose]();
    expect(reads).toHaveBeenCalledTimes(2);
  });

  it('refuses options and keys that it does not know, in each method', async () => {
    const { queue } = setup();
    const wrong = { nope: true } as object;
    expect(() => new WorkQueue(wrong)).toThrow('WorkQueue has no option "nope"');
    expect(() => new WorkQueue({ name: 'pods' })).not.toThrow();
    expect(() => queue.add('a', wrong)).toThrow('add has no option "nope"');
    expect(() => queue.add(1 as unknown as string)).toThrow('the key');
    expect(() => queue.take('no' as unknown as AbortSignal)).toThrow('signal');
    expect(() => queue.shutDown(wrong)).toThrow('shutDown has no option "nope"');
    await expect(queue.shutDownWithDrain(wrong)).rejects.toThrow('shutDownWithDrain has no option "nope"');
    expect([queue.length, queue.isShuttingDown]).toEqual([0, false]);
  });

  it('refuses an agedShare below 1', () => {
    expect(() => new WorkQueue({ agedShare: 0 })).toThrow('agedShare must be 1 or more, not 0');
    expect(() => new WorkQueue({ agedShare: 1 })).not.toThrow();
  });

  it('an item is released when its block throws', async () => {
    const { queue } = setup();
    queue.add('foo');
    const work = async () => {
      using item = await queue.take();
      throw new Error(`failed on ${item?.key}`);
    };
    await expect(work()).rejects.toThrow('failed on foo');
    expect(queue.snapshot().processing).toEqual([]);
  });
});

describe('shutting down', () => {
  it('ignores adds, hands out the keys in line, then resolves with undefined [WQ-06]', async () => {
    const { clock, queue } = setup();
    queue.add('foo');
    queue.add('later', { after: 1000 });
    queue.shutDown();
    queue.add('bar');
    expect(queue.isShuttingDown).toBe(true);
    expect((await queue.take())?.key).toBe('foo');
    expect(await queue.take()).toBeUndefined();
    await clock.advance(2000);
    expect(queue.length).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('resolves waiting takers with undefined', async () => {
    const { queue } = setup();
    const waiting = [queue.take(), queue.take()];
    queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  it('with abandon, hands out no more keys, even if some wait [PQ-06]', async () => {
    const { queue } = setup();
    for (const key of ['foo', 'bar', 'baz']) queue.add(key);
    const foo = await taken(queue);
    queue.add('foo');
    queue.shutDown({ abandon: true });
    foo[Symbol.dispose]();
    expect(await queue.take()).toBeUndefined();
    queue.add('quux');
    expect(queue.length).toBe(0);
  });

  it('a drain resolves only when all keys that are being processed are released [WQ-07]', async () => {
    const { queue } = setup();
    queue.add('foo');
    queue.add('bar');
    const [foo, bar] = [await taken(queue), await taken(queue)];
    let drained = false;
    const draining = queue.shutDownWithDrain().then(() => {
      drained = true;
    });
    foo[Symbol.dispose]();
    await settled();
    expect(drained).toBe(false);
    bar[Symbol.dispose]();
    await draining;
    expect(drained).toBe(true);
  });

  it('a drain hands out once more a key that was added while it was being processed', async () => {
    const { queue } = setup();
    queue.add('foo');
    const foo = await taken(queue);
    queue.add('foo');
    const draining = queue.shutDownWithDrain();
    foo[Symbol.dispose]();
    const again = await taken(queue);
    expect(again.key).toBe('foo');
    again[Symbol.dispose]();
    await draining;
  });

  it('does not wait for keys that are being processed, and ends a drain [WQ-08]', async () => {
    const { queue } = setup();
    queue.add('foo');
    await taken(queue);
    const draining = queue.shutDownWithDrain();
    queue.shutDown();
    await draining;
    expect(queue.snapshot().processing).toHaveLength(1);
  });

  it('a drain whose signal aborts rejects', async () => {
    const { queue } = setup();
    queue.add('foo');
    await taken(queue);
    const controller = new AbortController();
    const draining = queue.shutDownWithDrain({ signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(draining).rejects.toThrow('enough');
  });
});

describe('delays', () => {
  it('a delayed key is handed out once, at its time [DLQ-01]', async () => {
    const { clock, queue } = setup();
    queue.add('foo', { after: 50 });
    expect(queue.length).toBe(0);
    await clock.advance(49);
    expect(queue.length).toBe(0);
    await clock.advance(11);
    expect(await drain(queue)).toEqual(['foo']);
    await clock.advance(10_000);
    expect(queue.length).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it.each([
    { first: 50, second: 70 },
    { first: 70, second: 50 },
  ])(
    'of delays of $first ms and $second ms the shorter counts and the longer is dropped [DLQ-02] [KR-01]',
    async ({ first, second }) => {
      const { clock, queue } = setup();
      queue.add('foo', { after: first });
      queue.add('foo', { after: second });
      await clock.advance(49);
      expect(queue.length).toBe(0);
      await clock.advance(1);
      expect(await drain(queue)).toEqual(['foo']);
      await clock.advance(100);
      expect(queue.length).toBe(0);
      queue.add('foo', { after: 10 });
      await clock.advance(10);
      expect(await drain(queue)).toEqual(['foo']);
    },
  );

  it('keys with shorter delays come before those with longer ones [DLQ-03]', async () => {
    const { clock, queue } = setup();
    queue.add('first', { after: 1000 });
    queue.add('second', { after: 50 });
    await clock.advance(60);
    expect(await drain(queue)).toEqual(['second']);
    queue.add('third', { after: 2000 });
    await clock.advance(5000);
    expect(await drain(queue)).toEqual(['first', 'third']);
  });

  it('keys that become due at once come in the order of their deadlines [DLQ-04]', async () => {
    const { clock, queue } = setup();
    queue.add('one', { after: 1000 });
    queue.add('two', { after: 500 });
    queue.add('three', { after: 250 });
    clock.tick(2000);
    expect(await drain(queue)).toEqual(['three', 'two', 'one']);
  });

  it.each([0, -5])('a delay of %i ms is no delay [DLQ-06]', (after) => {
    const { clock, queue } = setup();
    queue.add('foo', { after });
    expect(queue.length).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('a key that can be taken now is not scheduled too, whichever add was first [PQ-05]', async () => {
    const { clock, queue } = setup();
    queue.add('foo');
    queue.add('foo', { after: 3_600_000 });
    queue.add('bar', { after: 3_600_000 });
    queue.add('bar');
    expect(queue.length).toBe(2);
    expect(await drain(queue)).toEqual(['foo', 'bar']);
    expect(clock.pending).toBe(0);
    await clock.advance(3_600_001);
    expect(queue.length).toBe(0);
  });

  it('a key that becomes due while it is being processed returns once, and delays no other key [KR-02]', async () => {
    const { clock, queue } = setup();
    queue.add('busy');
    const busy = await taken(queue);
    queue.add('busy', { after: 10 });
    queue.add('other', { after: 20 });
    await clock.advance(20);
    expect(await drain(queue)).toEqual(['other']);
    queue.add('busy', { after: 5 });
    busy[Symbol.dispose]();
    expect(await drain(queue)).toEqual(['busy']);
    await clock.advance(1000);
    expect(queue.length).toBe(0);
  });

  it('a cancelled key is not handed out, and leaves no timer', async () => {
    const { clock, queue } = setup();
    queue.add('foo', { after: 50 });
    queue.cancelDelayed('foo');
    expect(clock.pending).toBe(0);
    await clock.advance(100);
    expect(queue.length).toBe(0);
  });
});

describe('rate-limited adds', () => {
  it('wait as long as the limiter decides, and count as failures until forget [RL-08]', async () => {
    const { clock, queue } = setup({ rateLimiter: new ItemExponentialFailureRateLimiter(1, 1000) });
    for (const expected of [1, 2, 4]) {
      queue.add('one', { limited: true });
      await clock.advance(expected - 0.5);
      expect(queue.length).toBe(0);
      await clock.advance(0.5);
      expect(await drain(queue)).toEqual(['one']);
    }
    expect(queue.numRequeues('one')).toBe(3);
    queue.forget('one');
    expect(queue.numRequeues('one')).toBe(0);
    queue.add('one', { limited: true });
    expect(clock.nextIn).toBe(1);
  });

  it('throw if the limiter returns no number, instead of no delay', () => {
    const { queue } = setup({ rateLimiter: { when: () => Number.NaN, forget() {}, numRequeues: () => 0 } });
    expect(() => queue.add('foo', { limited: true })).toThrow('the rate limiter returned NaN as a delay');
    expect(queue.isPending('foo')).toBe(false);
  });

  it('without a delay of the limiter need no wait', () => {
    const { queue } = setup({ rateLimiter: { when: () => 0, forget() {}, numRequeues: () => 0 } });
    queue.add('foo', { limited: true });
    expect(queue.placeOf('foo')).toBe('queued');
  });

  it('with a delay too wait for the shorter of both [PQ-08]', async () => {
    const { clock, queue } = setup({ rateLimiter: new ItemExponentialFailureRateLimiter(5, 1000) });
    queue.add('foo', { after: 1000, limited: true });
    expect(clock.nextIn).toBe(5);
    queue.add('bar', { after: 0.5, limited: true });
    expect(clock.nextIn).toBe(0.5);
  });
});

describe('priority', () => {
  it('a key that is being processed waits for its release, and others come before it [PQ-01]', async () => {
    const { queue } = setup();
    queue.add('foo');
    const foo = await taken(queue);
    queue.add('foo', { priority: 10 });
    queue.add('bar');
    expect((await taken(queue)).key).toBe('bar');
    foo[Symbol.dispose]();
    expect((await taken(queue)).key).toBe('foo');
  });

  it.each([
    { first: 1, second: 2 },
    { first: 2, second: 1 },
  ])('of the priorities $first and $second the higher counts [PQ-02]', async ({ first, second }) => {
    const { queue } = setup();
    queue.add('foo', { priority: first });
    queue.add('foo', { priority: second });
    expect(queue.length).toBe(1);
    using item = await taken(queue);
    expect(item.priority).toBe(2);
  });

  it('a key whose priority is raised goes to the end of its new priority [PQ-03]', async () => {
    const { queue } = setup();
    for (const key of ['foo', 'bar', 'baz']) queue.add(key);
    queue.add('early', { priority: 1 });
    queue.add('baz', { priority: 1 });
    expect(queue.length).toBe(4);
    expect(await drain(queue)).toEqual(['early', 'baz', 'foo', 'bar']);
  });

  it('a key that is added while it is being processed returns with the priority of that, also a lower one', async () => {
    const { queue } = setup();
    queue.add('foo', { priority: 10 });
    const foo = await taken(queue);
    queue.add('foo', { priority: 3 });
    foo[Symbol.dispose]();
    using again = await taken(queue);
    expect(again.priority).toBe(3);
  });

  it('a key whose priority is raised while it is being processed returns with its new priority', async () => {
    const { queue } = setup();
    queue.add('foo');
    const foo = await taken(queue);
    queue.add('foo');
    queue.add('foo', { priority: 10 });
    queue.add('foo', { priority: 5 });
    queue.add('bar', { priority: 7 });
    foo[Symbol.dispose]();
    using first = await taken(queue);
    expect([first.key, first.priority]).toEqual(['foo', 10]);
    expect(await drain(queue)).toEqual(['bar']);
  });

  it.each([
    { first: 7, second: 0 },
    { first: 0, second: 7 },
  ])(
    'a delayed key of priority $first that is added without delay with $second has the higher of both',
    async ({ first, second }) => {
      const { queue } = setup();
      queue.add('foo', { after: 50, priority: first });
      queue.add('foo', { priority: second });
      using item = await taken(queue);
      expect(item.priority).toBe(7);
    },
  );

  it('by default a key is aged after 10 s, and every fifth take serves an aged key', async () => {
    const { clock, queue } = setup();
    queue.add('low', { priority: LOW_PRIORITY });
    clock.tick(9999);
    for (let i = 0; i < 20; i++) queue.add(`k${i}`);
    for (let i = 0; i < 6; i++) (await taken(queue))[Symbol.dispose]();
    expect(queue.isPending('low')).toBe(true);
    clock.tick(1);
    expect((await drain(queue)).indexOf('low')).toBe(4);
  });

  it('a delayed key has the highest of the priorities with which it was added', async () => {
    const { clock, queue } = setup();
    queue.add('foo', { after: 50, priority: 3 });
    queue.add('foo', { after: 80, priority: 7 });
    await clock.advance(50);
    using item = await taken(queue);
    expect(item.priority).toBe(7);
  });

  it('a delayed key goes to the end of the line at its time', async () => {
    const { clock, queue } = setup();
    queue.add('delayed', { after: 10 });
    await clock.advance(5);
    queue.add('ready');
    await clock.advance(5);
    queue.add('last');
    expect(await drain(queue)).toEqual(['ready', 'delayed', 'last']);
  });

  it('low priority is served after all others while no key is aged', async () => {
    const { queue } = setup();
    queue.add('low', { priority: LOW_PRIORITY });
    for (let i = 0; i < 20; i++) queue.add(`k${i}`);
    expect((await drain(queue)).at(-1)).toBe('low');
  });

  it('if keys of higher priority never stop, every fifth take serves an aged key and the others serve them', async () => {
    const { clock, queue } = setup({ agedAfterMs: 1000, agedShare: 5 });
    for (let i = 0; i < 10; i++) queue.add(`low${i}`, { priority: LOW_PRIORITY });
    const order: string[] = [];
    for (let i = 0; i < 100; i++) {
      queue.add(`high${i}`);
      queue.add(`also${i}`);
      using item = await taken(queue);
      order.push(item.key);
      clock.tick(100);
    }
    const lows = order.flatMap((key, at) => (key.startsWith('low') ? [at] : []));
    expect(order.filter((key) => key.startsWith('low'))).toEqual(Array.from({ length: 10 }, (_, i) => `low${i}`));
    expect(lows[0]).toBeGreaterThanOrEqual(10);
    expect(lows.slice(1).map((at, i) => at - (lows[i] as number))).toEqual(new Array(9).fill(5));
  });
});

describe('many producers and consumers', () => {
  it.each([1, 2, 3, 4, 5])(
    'a key is never processed twice at once, and always after its last add (seed %i) [WQ-05]',
    async (seed) => {
      const random = seededRandom(seed);
      const { clock, queue } = setup({ rateLimiter: new ItemExponentialFailureRateLimiter(1, 50) });
      const keys = Array.from({ length: 30 }, (_, i) => `key${i}`);
      const version = new Map<string, number>();
      const seen = new Map<string, number>();
      const processing = new Set<string>();
      let twice = 0;
      let produced = 0;
      const below = (n: number) => Math.floor(random() * n);

      const produce = async () => {
        for (let i = 0; i < 40; i++) {
          const key = keys[below(keys.length)] as string;
          version.set(key, ++produced);
          const kind = below(4);
          queue.add(key, {
            ...(kind === 1 ? { after: below(40) } : {}),
            ...(kind === 2 ? { limited: true } : {}),
            priority: below(3) - 1,
          });
          await clock.sleep(below(10));
        }
      };
      const consume = async () => {
        for (;;) {
          using item = await queue.take();
          if (!item) return;
          if (processing.has(item.key)) twice++;
          processing.add(item.key);
          seen.set(item.key, version.get(item.key) ?? 0);
          await clock.sleep(below(5));
          if (below(10) === 0) queue.add(item.key);
          processing.delete(item.key);
        }
      };

      const consumers = Array.from({ length: 10 }, consume);
      const producers = Array.from({ length: 50 }, produce);
      let finished = false;
      void Promise.all(producers).then(() => {
        finished = true;
      });
      while (
        !finished ||
        queue.length > 0 ||
        queue.snapshot().processing.length > 0 ||
        queue.snapshot().delayed.length > 0
      ) {
        await clock.advance(20);
      }
      queue.shutDown();
      await Promise.all(consumers);
      expect(twice).toBe(0);
      expect(seen).toEqual(version);
      expect(queue.length).toBe(0);
      expect(clock.pending).toBe(0);
    },
  );
});

describe('a key in the queue', () => {
  it('has one place, and no due time unless it is delayed', async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    expect(queue.placeOf('a')).toBeUndefined();
    queue.add('a', { after: 10 });
    expect([queue.placeOf('a'), queue.dueAt('a')]).toEqual(['delayed', clock.monotonic() + 10]);
    await clock.advance(10);
    expect([queue.placeOf('a'), queue.dueAt('a')]).toEqual(['queued', undefined]);
    await clock.advance(7);
    const item = await queue.take();
    expect([queue.placeOf('a'), item?.waitedMs]).toEqual(['processing', 7]);
    await clock.advance(100);
    queue.add('a');
    expect(queue.placeOf('a')).toBe('runs-again');
    await clock.advance(4);
    item?.[Symbol.dispose]();
    expect(queue.placeOf('a')).toBe('queued');
    await clock.advance(3);
    expect((await queue.take())?.waitedMs).toBe(7);
  });

  it('can be removed while it waits, wherever it waits; a run goes on, and the key can be added again', async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    for (const key of ['busy', 'a', 'b', 'c']) queue.add(key);
    queue.add('later', { after: 10 });
    const busy = await queue.take();
    queue.add('busy');
    expect(['busy', 'b', 'later', 'nothing'].map((key) => queue.remove(key))).toEqual([true, true, true, false]);
    expect(queue.snapshot()).toMatchObject({
      queued: [{ key: 'a' }, { key: 'c' }],
      processing: [{ key: 'busy', isDirty: false }],
      delayed: [],
    });
    expect([queue.length, clock.nextIn]).toEqual([2, undefined]);
    busy?.[Symbol.dispose]();
    queue.add('b');
    const order = [await queue.take(), await queue.take(), await queue.take()].map((item) => item?.key);
    expect([order, queue.length]).toEqual([['a', 'c', 'b'], 0]);
  });

  it('a snapshot lists the line in the order in which it is served', () => {
    const queue = new WorkQueue({ clock: new FakeClock() });
    queue.add('low', { priority: LOW_PRIORITY });
    queue.add('a');
    queue.add('risen');
    queue.add('b');
    queue.add('high', { priority: 7 });
    queue.add('risen', { priority: 7 });
    queue.add('low', { priority: 0 });
    expect(queue.snapshot().queued.map(({ key }) => key)).toEqual(['high', 'risen', 'a', 'b', 'low']);
  });
});

it('a delayed add of a higher priority moves a key that is in line already', async () => {
  const { queue } = setup();
  queue.add('low', { priority: 1 });
  queue.add('middle', { priority: 2 });
  queue.add('low', { priority: 3, after: 1000 });
  expect(await drain(queue)).toEqual(['low', 'middle']);
});
