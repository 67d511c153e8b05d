import { expect, it } from 'vitest';
import { RetryWindow } from '../../../src/informer/watch/retry-window.ts';

it('allows retries until the window after the first error has passed [REF-31]', () => {
  const window = new RetryWindow({ maxMs: 1000, forgetAfterMs: 30_000 });
  expect([1000, 2000, 3000].map((t) => window.allows(t))).toEqual([true, true, false]);
});

it('starts again after a refusal, and after a time without errors [REF-31]', () => {
  const window = new RetryWindow({ maxMs: 1000, forgetAfterMs: 30_000 });
  expect([0, 1001, 1002, 40_000].map((t) => window.allows(t))).toEqual([true, false, true, true]);
});

it('allows no retry with a window of 0', () => {
  expect(new RetryWindow({ maxMs: 0, forgetAfterMs: 1 }).allows(5)).toBe(false);
});

it('allows retries to the last moment of the window, and counts from the moment at which a run is forgotten', () => {
  const window = new RetryWindow({ maxMs: 1, forgetAfterMs: 10 });
  expect([5, 6, 16, 17, 18].map((t) => window.allows(t))).toEqual([true, true, true, true, false]);
});
