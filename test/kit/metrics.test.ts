import { expect, it } from 'vitest';
import { exponentialBuckets, noMetrics } from '../../src/kit/metrics.ts';

it.each([
  [
    [1, 2, 4],
    [1, 2, 4, 8],
  ],
  [
    [5, 10, 3],
    [5, 50, 500],
  ],
  [[1, 2, 0], []],
])('exponentialBuckets%j are %j', ([start, factor, count], bounds) => {
  expect(exponentialBuckets(start as number, factor as number, count as number).slice(0, 4)).toEqual(bounds);
});

it('noMetrics accepts everything and never reads a value', () => {
  noMetrics.counter('a', {}).add();
  noMetrics.gauge('b', {}).set(1);
  noMetrics.histogram('c', {}, [1]).observe(2);
  let reads = 0;
  noMetrics.observe('d', {}, () => ++reads)[Symbol.dispose]();
  expect(reads).toBe(0);
});
