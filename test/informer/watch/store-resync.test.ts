import { expect, it } from 'vitest';
import { isResyncFailure, StoreResync } from '../../../src/informer/watch/store-resync.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

function start(options: { periodMs?: number; shouldResync?: () => boolean; resync?: () => void } = {}) {
  const clock = new FakeClock();
  const at: number[] = [];
  const errors: unknown[] = [];
  const timer = new StoreResync({
    name: 'v1/pods',
    periodMs: 10,
    shouldResync: () => true,
    ...options,
    resync() {
      at.push(clock.monotonic());
      options.resync?.();
    },
    clock,
    onError: (error) => errors.push(error),
  });
  timer.start();
  return { clock, timer, at, errors };
}

it('resyncs after each period until it is stopped', () => {
  const { clock, timer, at } = start();
  clock.tick(35);
  expect(at).toEqual([10, 20, 30]);
  timer.stop();
  clock.tick(100);
  expect([at.length, clock.pending]).toEqual([3, 0]);
});

it('starts a new period at each start, with one timer', () => {
  const { clock, timer, at } = start();
  clock.tick(9);
  timer.start();
  clock.tick(9);
  expect([at, clock.pending]).toEqual([[], 1]);
  clock.tick(1);
  expect(at).toEqual([19]);
});

it('skips a resync that is not wanted, and asks again a period later', () => {
  const wanted = [false, true];
  const { clock, at } = start({ shouldResync: () => wanted.shift() ?? false });
  clock.tick(30);
  expect(at).toEqual([20]);
});

it('sets no timer with a period of 0, and one with any other', () => {
  expect([0, 1].map((periodMs) => start({ periodMs }).clock.pending)).toEqual([0, 1]);
});

it('reports a resync that throws, and makes no other before the next start', () => {
  const failure = new Error('full');
  const { clock, timer, at, errors } = start({
    resync() {
      throw failure;
    },
  });
  clock.tick(50);
  expect([at, clock.pending]).toEqual([[10], 0]);
  expect(errors).toEqual([
    expect.objectContaining({ code: 'store', message: 'unable to resync v1/pods: full', cause: failure }),
  ]);
  expect([isResyncFailure(errors[0]), isResyncFailure(failure)]).toEqual([true, false]);
  timer.start();
  clock.tick(10);
  expect(at).toEqual([10, 60]);
});
