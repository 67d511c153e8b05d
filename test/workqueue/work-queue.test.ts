import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
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

describe('adding and taking', () => {
  it('adds of a key that waits are one [WQ-01]', async () => {
    const { queue } = setup();
    for (const key of ['foo', 'bar', 'foo']) queue.add(key);
    expect(queue.length).toBe(2);
    expect(await drain(queue)).toEqual(['foo', 'bar']);
  });

  it('a key added while in hand comes back exactly once when released [WQ-02]', async () => {
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

  it('tells when an add falls together with one in line, not with one in hand [WQ-03]', async () => {
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

  it('is first in, first out, and a key added again while in hand goes behind what came meanwhile [WQ-10]', async () => {
    const { queue } = setup();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    const a = await taken(queue);
    queue.add('a');
    queue.add('d');
    a[Symbol.dispose]();
    expect(await drain(queue)).toEqual(['b', 'c', 'd', 'a']);
  });

  it('keeps nothing of a key that is finished [WQ-11]', async () => {
    const { queue } = setup();
    queue.add('foo');
    await drain(queue);
    expect(queue.snapshot()).toEqual({ queued: [], processing: [], delayed: [] });
    expect(queue.isPending('foo')).toBe(false);
    expect(queue.numRequeues('foo')).toBe(0);
  });

  it('a taker waits until there is a key, and takers are served in the order they came', async () => {
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

  it('releasing twice, or a key that is only in line, does nothing more', async () => {
    const { queue } = setup();
    queue.add('foo');
    queue.done('foo');
    expect(queue.length).toBe(1);
    const first = await taken(queue);
    first[Symbol.dispose]();
    queue.add('foo');
    using second = await taken(queue);
    first[Symbol.dispose](); // the item of an earlier turn must not end this one
    queue.add('foo');
    expect(queue.length).toBe(0);
    expect(second.key).toBe('foo');
  });

  it('releases by key what is in hand', async () => {
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

  it('hands nothing to a taker whose signal was aborted before', async () => {
    const { queue } = setup();
    queue.add('foo');
    expect(await queue.take(AbortSignal.abort())).toBeUndefined();
    expect(await drain(queue)).toEqual(['foo']);
  });

  it('shows what it holds, and for how long each has been there', async () => {
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

  it('refuses a share that cannot be, and takes 1', () => {
    expect(() => new WorkQueue({ agedShare: 0 })).toThrow('agedShare must be 1 or more, not 0');
    expect(() => new WorkQueue({ agedShare: 1 })).not.toThrow();
  });

  it('a item is released when its block throws', async () => {
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
  it('ignores adds, hands out what is in line, then says undefined [WQ-06]', async () => {
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

  it('lets waiting takers go', async () => {
    const { queue } = setup();
    const waiting = [queue.take(), queue.take()];
    queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  it('when abandoning, hands out nothing more although keys wait [PQ-06]', async () => {
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

  it('drains: resolves only when both keys in hand are released [WQ-07]', async () => {
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

  it('drains: a key that became dirty in hand is handed out once more', async () => {
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

  it('does not wait for keys in hand, and ends a drain that does [WQ-08]', async () => {
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
  it('a delayed key comes once, at its time [DLQ-01]', async () => {
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
  ])('of $first ms and $second ms the earlier wins and the later never comes [DLQ-02] [KR-01]', async ({ first, second }) => {
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
  });

  it('shorter delays overtake longer ones [DLQ-03]', async () => {
    const { clock, queue } = setup();
    queue.add('first', { after: 1000 });
    queue.add('second', { after: 50 });
    await clock.advance(60);
    expect(await drain(queue)).toEqual(['second']);
    queue.add('third', { after: 2000 });
    await clock.advance(5000);
    expect(await drain(queue)).toEqual(['first', 'third']);
  });

  it('keys that become due in one step come in order of their deadlines [DLQ-04]', async () => {
    const { clock, queue } = setup();
    queue.add('one', { after: 1000 });
    queue.add('two', { after: 500 });
    queue.add('three', { after: 250 });
    clock.tick(2000);
    expect(await drain(queue)).toEqual(['three', 'two', 'one']);
  });

  it.each([0, -5])('a delay of %i ms is none [DLQ-06]', (after) => {
    const { clock, queue } = setup();
    queue.add('foo', { after });
    expect(queue.length).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('a key that can be taken now is not scheduled as well, whichever add came first [PQ-05]', async () => {
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

  it('a busy key that falls due runs once right after, and holds up no other [KR-02]', async () => {
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

  it('a cancelled delay does not come, and leaves no timer', async () => {
    const { clock, queue } = setup();
    queue.add('foo', { after: 50 });
    queue.cancelDelayed('foo');
    expect(clock.pending).toBe(0);
    await clock.advance(100);
    expect(queue.length).toBe(0);
  });
});

describe('rate-limited adds', () => {
  it('wait as the limiter says and count as failures until forgotten [RL-08]', async () => {
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

  it('with a delay of their own wait for the shorter of both [PQ-08]', async () => {
    const { clock, queue } = setup({ rateLimiter: new ItemExponentialFailureRateLimiter(5, 1000) });
    queue.add('foo', { after: 1000, limited: true });
    expect(clock.nextIn).toBe(5);
    queue.add('bar', { after: 2, limited: true });
    expect(clock.nextIn).toBe(2);
  });
});

describe('priority', () => {
  it('a key in hand is held back while others overtake it [PQ-01]', async () => {
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
  ])('of priorities $first and $second the higher counts [PQ-02]', async ({ first, second }) => {
    const { queue } = setup();
    queue.add('foo', { priority: first });
    queue.add('foo', { priority: second });
    expect(queue.length).toBe(1);
    using item = await taken(queue);
    expect(item.priority).toBe(2);
  });

  it('a key that is raised goes before the rest, and behind those that had its new priority [PQ-03]', async () => {
    const { queue } = setup();
    for (const key of ['foo', 'bar', 'baz']) queue.add(key);
    queue.add('early', { priority: 1 });
    queue.add('baz', { priority: 1 });
    expect(queue.length).toBe(4);
    expect(await drain(queue)).toEqual(['early', 'baz', 'foo', 'bar']);
  });

  it('a key that is raised while in hand comes back with its new priority, before the rest', async () => {
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
  ])('a delayed key of priority $first, asked for at once with $second, has the higher of both', async ({ first, second }) => {
    const { queue } = setup();
    queue.add('foo', { after: 50, priority: first });
    queue.add('foo', { priority: second });
    using item = await taken(queue);
    expect(item.priority).toBe(7);
  });

  it('by default a key has aged after 10 s, and gets every fifth take', async () => {
    const { clock, queue } = setup();
    queue.add('low', { priority: LOW_PRIORITY });
    clock.tick(9999);
    for (let i = 0; i < 20; i++) queue.add(`k${i}`);
    for (let i = 0; i < 6; i++) (await taken(queue))[Symbol.dispose]();
    expect(queue.isPending('low')).toBe(true);
    clock.tick(1);
    expect((await drain(queue)).indexOf('low')).toBe(4);
  });

  it('a delayed key keeps the highest priority asked for while it waits', async () => {
    const { clock, queue } = setup();
    queue.add('foo', { after: 50, priority: 3 });
    queue.add('foo', { after: 80, priority: 7 });
    await clock.advance(50);
    using item = await taken(queue);
    expect(item.priority).toBe(7);
  });

  it('a key whose time comes goes behind those already in line', async () => {
    const { clock, queue } = setup();
    queue.add('delayed', { after: 10 });
    await clock.advance(5);
    queue.add('ready');
    await clock.advance(5);
    queue.add('last');
    expect(await drain(queue)).toEqual(['ready', 'delayed', 'last']);
  });

  it('low priority is served after all others while nobody waits long', async () => {
    const { queue } = setup();
    queue.add('low', { priority: LOW_PRIORITY });
    for (let i = 0; i < 20; i++) queue.add(`k${i}`);
    expect((await drain(queue)).at(-1)).toBe('low');
  });

  it('under an endless flood of higher priority, aged keys get every fifth take, and the flood the rest', async () => {
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
  it.each([1, 2, 3, 4, 5])('never two at once for a key, and every key runs after its last add (seed %i) [WQ-05]', async (seed) => {
    const random = seededRandom(seed);
    const { clock, queue } = setup({ rateLimiter: new ItemExponentialFailureRateLimiter(1, 50) });
    const keys = Array.from({ length: 30 }, (_, i) => `key${i}`);
    const version = new Map<string, number>();
    const seen = new Map<string, number>();
    const inHand = new Set<string>();
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
        if (inHand.has(item.key)) twice++;
        inHand.add(item.key);
        seen.set(item.key, version.get(item.key) ?? 0);
        await clock.sleep(below(5));
        if (below(10) === 0) queue.add(item.key);
        inHand.delete(item.key);
      }
    };

    const consumers = Array.from({ length: 10 }, consume);
    const producers = Array.from({ length: 50 }, produce);
    let finished = false;
    void Promise.all(producers).then(() => {
      finished = true;
    });
    while (!finished || queue.length > 0 || queue.snapshot().processing.length > 0 || queue.snapshot().delayed.length > 0) {
      await clock.advance(20);
    }
    queue.shutDown();
    await Promise.all(consumers);
    expect(twice).toBe(0);
    expect(seen).toEqual(version);
    expect(queue.length).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
