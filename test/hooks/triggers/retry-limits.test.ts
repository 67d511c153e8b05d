import { expect, it } from 'vitest';
import { retryLimitsOf } from '../../../src/hooks/triggers/retry-limits.ts';

it('are client-go’s where nothing is given', () => {
  expect(retryLimitsOf({})).toEqual({ baseMs: 5, maxMs: 1_000_000, qps: 10, burst: 100 });
});

it('are those of the config; a longest delay below the first one makes the first as short', () => {
  expect(retryLimitsOf({ retryBaseMs: 100, retryMaxMs: 1000, retryQps: 0.5, retryBurst: 1 })).toEqual({
    baseMs: 100,
    maxMs: 1000,
    qps: 0.5,
    burst: 1,
  });
  expect(retryLimitsOf({ retryMaxMs: 2 })).toMatchObject({ baseMs: 2, maxMs: 2 });
});

it.each([
  [{ retryBaseMs: 3000, retryMaxMs: 1000 }, '--retry-base (3s) is longer than --retry-max (1s)'],
  [{ retryBaseMs: 2_000_000 }, '--retry-base (33m) is longer than --retry-max (16m)'],
  [{ retryBaseMs: 0 }, '--retry-base must be more than no time'],
  [{ retryMaxMs: 0 }, '--retry-max must be more than no time'],
])('%j is refused', (config, message) => {
  expect(() => retryLimitsOf(config)).toThrow(expect.objectContaining({ code: 'argument', message }));
});
