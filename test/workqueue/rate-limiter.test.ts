import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import type { DelayDecider, RateLimiter } from '../../src/workqueue/rate-limiter.ts';
import {
  BucketRateLimiter,
  createControllerRateLimiter,
  createItemRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  WithMaxWaitRateLimiter,
} from '../../src/workqueue/rate-limiter.ts';
import { WorkQueue } from '../../src/workqueue/work-queue.ts';

const HOUR = 3_600_000;
const times = (limiter: RateLimiter, key: string, n: number) => Array.from({ length: n }, () => limiter.when(key));

describe('the exponential limiter', () => {
  it('doubles the delay with each failure, for each key by itself, until forget [RL-01]', () => {
    const limiter = new ItemExponentialFailureRateLimiter(1, 1000);
    expect(times(limiter, 'one', 5)).toEqual([1, 2, 4, 8, 16]);
    expect(limiter.numRequeues('one')).toBe(5);
    expect(times(limiter, 'two', 2)).toEqual([1, 2]);
    limiter.forget('one');
    expect(limiter.numRequeues('one')).toBe(0);
    expect(limiter.when('one')).toBe(1);
  });

  it.each([
    { base: 1, max: 1_000_000, nth: 6, delay: 32 },
    { base: 60_000, max: 1000 * HOUR, nth: 3, delay: 240_000 },
  ])('never exceeds $max ms, however often a key fails [RL-02]', ({ base, max, nth, delay }) => {
    const limiter = new ItemExponentialFailureRateLimiter(base, max);
    expect(times(limiter, 'one', nth).at(-1)).toBe(delay);
    expect(times(limiter, 'one', 2000).at(-1)).toBe(max);
  });

  it('refuses a base of zero, and names the option', () => {
    expect(() => new ItemExponentialFailureRateLimiter(0, 1000)).toThrow('baseMs must be above zero, not 0');
  });
});

it('the fast-slow limiter is fast for the first failures, then slow [RL-03]', () => {
  const limiter = new ItemFastSlowRateLimiter({ fastMs: 5, slowMs: 10_000, fastTries: 3 });
  expect(times(limiter, 'one', 5)).toEqual([5, 5, 5, 10_000, 10_000]);
  expect(limiter.numRequeues('one')).toBe(5);
  limiter.forget('one');
  expect(limiter.when('one')).toBe(5);
});

it('the longest delay of several limiters counts, and each of them counts the failure [RL-04]', () => {
  const limiter = new MaxOfRateLimiter([
    new ItemFastSlowRateLimiter({ fastMs: 5, slowMs: 3000, fastTries: 3 }),
    new ItemExponentialFailureRateLimiter(1, 1000),
  ]);
  expect(times(limiter, 'one', 5)).toEqual([5, 5, 5, 3000, 3000]);
  expect(limiter.numRequeues('one')).toBe(5);
  limiter.forget('one');
  expect(limiter.numRequeues('one')).toBe(0);
  expect(limiter.when('one')).toBe(5);
});

it('the default limiter lets 100 keys through at once and then 10 a second [RL-06]', () => {
  const clock = new FakeClock();
  const limiter = createControllerRateLimiter({ clock });
  const first = Array.from({ length: 100 }, (_, i) => limiter.when(`key${i}`));
  expect(Math.max(...first)).toBeLessThanOrEqual(5);
  expect(limiter.when('key100')).toBeCloseTo(100);
  expect(limiter.when('key101')).toBeCloseTo(200);
  clock.tick(1_200);
  expect(limiter.when('key102')).toBe(5);
});

it('the default limiter doubles from 5 ms to 1000 s for a key that keeps failing', () => {
  const clock = new FakeClock();
  const limiter = createControllerRateLimiter({ clock });
  const delays = Array.from({ length: 20 }, () => {
    clock.tick(1000);
    return limiter.when('one');
  });
  expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
  expect(delays.slice(-3)).toEqual([655_360, 1_000_000, 1_000_000]);
});

it('a bucket fills up to its burst and no further', () => {
  const clock = new FakeClock();
  const bucket = new BucketRateLimiter({ qps: 10, burst: 2, clock });
  clock.tick(HOUR);
  expect([bucket.when(), bucket.when(), bucket.when()].map(Math.round)).toEqual([0, 0, 100]);
  expect(bucket.numRequeues()).toBe(0);
});

it('a bucket gives future tokens at its rate, and gets them back at its rate', () => {
  const clock = new FakeClock();
  const bucket = new BucketRateLimiter({ qps: 4, burst: 2, clock });
  const delays = (n: number) => Array.from({ length: n }, () => bucket.when());
  expect(delays(5)).toEqual([0, 0, 250, 500, 750]);
  clock.tick(1000);
  expect(delays(2)).toEqual([0, 250]);
  clock.tick(125);
  expect(delays(1)).toEqual([375]);
  clock.tick(10_000);
  expect(delays(3)).toEqual([0, 0, 250]);
});

it('a limiter with a maximum never exceeds it', () => {
  const limiter = new WithMaxWaitRateLimiter(createItemRateLimiter(), 4);
  expect(times(limiter, 'one', 5)).toEqual([1, 2, 4, 4, 4]);
  expect(limiter.numRequeues('one')).toBe(5);
  limiter.forget('one');
  expect([limiter.numRequeues('one'), limiter.when('one')]).toEqual([0, 1]);
});

it('says what decided the last delay: the failures of the key, or the rate of all keys', () => {
  const clock = new FakeClock();
  const limiter = new WithMaxWaitRateLimiter(createControllerRateLimiter({ clock, qps: 10, burst: 1 }), 60_000);
  expect([limiter.when('a'), limiter.decidedBy()]).toEqual([5, 'back-off']);
  expect([limiter.when('b'), limiter.decidedBy()]).toEqual([100, 'rate limit']);
  const ownLimiter = new MaxOfRateLimiter([{ when: () => 3, forget() {}, numRequeues: () => 0 }]);
  expect([ownLimiter.when('a'), ownLimiter.decidedBy()]).toEqual([3, undefined]);
  const fastSlow = new ItemFastSlowRateLimiter({ fastMs: 5, slowMs: 10, fastTries: 1 });
  expect(fastSlow.decidedBy()).toBe('back-off');
});

it('of several limiters with the longest delay the first decides, and none decides that there is no delay', () => {
  const by = (name: DelayDecider, delays: number[]): RateLimiter => ({
    when: () => delays.shift() ?? 0,
    forget() {},
    numRequeues: () => 0,
    decidedBy: () => name,
  });
  const limiter = new MaxOfRateLimiter([by('back-off', [3, 1]), by('rate limit', [3, 2])]);
  const decided = Array.from({ length: 3 }, () => [limiter.when('a'), limiter.decidedBy()]);
  expect(decided).toEqual([
    [3, 'back-off'],
    [2, 'rate limit'],
    [0, undefined],
  ]);
});

it('the item limiter doubles from 1 ms to 1000 s', () => {
  const delays = times(createItemRateLimiter(), 'one', 22);
  expect(delays.slice(0, 3)).toEqual([1, 2, 4]);
  expect(delays.slice(-3)).toEqual([524_288, 1_000_000, 1_000_000]);
});

it.each<[string, () => unknown, string]>([
  ['a base that is no number', () => new ItemExponentialFailureRateLimiter('1' as never, 1), 'baseMs'],
  ['a greatest delay that is no number', () => new ItemExponentialFailureRateLimiter(1, '1' as never), 'maxMs'],
  [
    'an unknown option',
    () => new ItemFastSlowRateLimiter({ fastMs: 1, slowMs: 1, fastTries: 1, nope: 1 } as never),
    'nope',
  ],
  ['a rate of zero', () => new BucketRateLimiter({ qps: 0, burst: 1 }), 'qps must be above zero, not 0'],
  ['a burst of zero', () => new BucketRateLimiter({ qps: 1, burst: 0 }), 'burst must be above zero, not 0'],
  ['an unknown option of a bucket', () => new BucketRateLimiter({ qps: 1, burst: 1, nope: 1 } as never), 'nope'],
  ['no list of limiters', () => new MaxOfRateLimiter('x' as never), 'limiters'],
  ['a list of something else', () => new MaxOfRateLimiter([{} as never]), 'a limiter'],
  ['a limiter that is none', () => new WithMaxWaitRateLimiter({} as never, 1), 'limiter'],
  [
    'a longest wait that is no number',
    () => new WithMaxWaitRateLimiter(createItemRateLimiter(), '1' as never),
    'maxMs',
  ],
  ['an unknown option of the default one', () => createControllerRateLimiter({ nope: 1 } as never), 'nope'],
])('refuses %s', (_, make, message) => {
  expect(make).toThrow(message);
});

it('a bucket without a clock of its own has that of the queue that asks it, within other limiters too', async () => {
  const clock = new FakeClock();
  const own = new FakeClock();
  const bucket = (of?: FakeClock) => new BucketRateLimiter({ qps: 1, burst: 1, clock: of });
  const limiter = new MaxOfRateLimiter([new WithMaxWaitRateLimiter(bucket(), HOUR), bucket(clock)]);
  const queue = new WorkQueue({ clock, rateLimiter: limiter });
  expect(times(limiter, 'one', 2)).toEqual([0, 1000]);
  clock.tick(3_000);
  expect(limiter.when('one')).toBe(0);
  const kept = bucket(own);
  kept.useClock(clock);
  expect(times(kept, 'one', 2)).toEqual([0, 1000]);
  clock.tick(3_000);
  expect(kept.when('one')).toBe(2000);
  queue.shutDown();
});
