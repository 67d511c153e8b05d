import { expect, it } from 'vitest';
import { startCurrent, whenCachesCurrent } from '../../../src/controller/consistency/current-caches.ts';
import type { ReadCache } from '../../../src/controller/consistency/read-cache.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

function setUp() {
  const clock = new FakeClock();
  const logged: string[] = [];
  const stop = new AbortController();
  const logger = createLogger((_, message, fields) => logged.push(`${message} ${JSON.stringify(fields)}`));
  /** A cache that is current at the time, ms; with `since`, its watch is open from that time on. */
  const cache = (name: string, at: number, { hasSynced = true, isStopped = false, since = 0 } = {}) =>
    ({
      name,
      hasSynced,
      isStopped,
      whenCurrent: (signal: AbortSignal) => clock.sleep(at - clock.monotonic(), { signal }),
      get continuity() {
        const isOpen = clock.now() >= since;
        return [{ connection: { state: isOpen ? 'connected' : 'disconnected', since } }];
      },
    }) as unknown as ReadCache;
  let end: number | string | undefined;
  const wait = (...caches: ReadCache[]) => {
    void whenCachesCurrent(caches, { clock, logger, signal: stop.signal }).then(
      () => {
        end = clock.monotonic();
      },
      (error: Error) => {
        end = error.message;
      },
    );
  };
  return { clock, logger, logged, stop, cache, wait, ended: () => end };
}

it('ends when the last cache is current, without a word', async () => {
  const { clock, logged, cache, wait, ended } = setUp();
  wait(cache('a', 100), cache('b', 5_000));
  await clock.advance(4_999);
  expect(ended()).toBeUndefined();
  await clock.advance(1);
  expect([ended(), logged]).toEqual([5_000, []]);
});

it('does not wait for a cache that has not synced, or that has ended', async () => {
  const { clock, cache, wait, ended } = setUp();
  wait(cache('a', 99_999, { hasSynced: false }), cache('b', 99_999, { isStopped: true }));
  await clock.advance(0);
  expect(ended()).toBe(0);
});

it('is reported after ten seconds, and given up after a minute with open watches', async () => {
  const { clock, logged, cache, wait, ended } = setUp();
  wait(cache('a', 100), cache('b', 999_999));
  await clock.advance(9_999);
  expect(logged).toEqual([]);
  await clock.advance(1);
  expect(logged.splice(0)).toEqual(['waits for caches that do not show what was written before {"caches":["b"]}']);
  await clock.advance(49_999);
  expect(ended()).toBeUndefined();
  await clock.advance(1);
  expect(ended()).toBe(60_000);
  expect(logged).toEqual([
    'runs may read a state before what an earlier process wrote: the caches did not show it {"caches":["b"]}',
  ]);
});

it('lasts ten minutes at most while a cache has no watch', async () => {
  const { clock, cache, wait, ended } = setUp();
  wait(cache('a', 9_999_999, { since: clock.now() + 9_999_999 }));
  await clock.advance(599_000);
  expect(ended()).toBeUndefined();
  await clock.advance(5_000);
  expect(ended()).toBe(600_000);
});

it('rejects with the reason of the signal', async () => {
  const { clock, stop, cache, wait, ended } = setUp();
  wait(cache('a', 100));
  stop.abort(new Error('the lease is lost'));
  await clock.advance(0);
  expect(ended()).toBe('the lease is lost');
});

it('a start waits for the caches that have synced before it, and for those that sync by it after it', async () => {
  const { clock, logger, stop, cache } = setUp();
  const [early, late] = [cache('early', 1_000), cache('late', 5_000)];
  const caches = [early];
  const steps: string[] = [];
  const note = (step: string) => void steps.push(`${step} ${clock.monotonic()}`);
  const start = async () => {
    note('started');
    await clock.sleep(2_000);
    caches.push(late);
    note('synced');
  };
  void startCurrent(start, { clock, logger, signal: stop.signal, caches: () => caches, phase: note }).then(() =>
    note('done'),
  );
  await clock.advance(10_000);
  expect(steps).toEqual([
    'catching up 0',
    'syncing 1000',
    'started 1000',
    'synced 3000',
    'catching up 3000',
    'done 5000',
  ]);
});
