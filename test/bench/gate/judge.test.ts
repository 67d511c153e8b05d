import { expect, it } from 'vitest';
import { isSlower, judge, type Pair } from '../../../bench/gate/judge.ts';

const LIMIT = 1.05;
/** Pairs with the same base and these ratios to it. */
const pairs = (...ratios: number[]): Pair[] => ratios.map((ratio) => ({ base: 1000, now: 1000 * ratio }));
const repeated = (times: number, ...ratios: number[]) => pairs(...Array.from({ length: times }, () => ratios).flat());

it('a build that takes as long as the base is within the limit', () => {
  expect(judge(repeated(2, 0.99, 1, 1.01), LIMIT)).toMatchObject({
    base: 1000,
    now: 1000,
    ratio: 1,
    verdict: 'within',
  });
});

it('a build that takes 8 % more in every pair is slower, and one that takes 4 % more is not', () => {
  expect(judge(repeated(6, 1.08), LIMIT)).toMatchObject({ ratio: 1.08, verdict: 'slower' });
  expect(judge(repeated(6, 1.04), LIMIT)).toMatchObject({ ratio: 1.04, verdict: 'within' });
});

it('a build that takes exactly the limit is within it', () => {
  expect(judge(repeated(6, 1.05), LIMIT).verdict).toBe('within');
});

it('pairs on both sides of the limit leave it unclear, and more of the same kind make it clear', () => {
  const noisy = [0.9, 0.95, 1, 1, 1.02, 1.12];
  expect(judge(pairs(...noisy), LIMIT).verdict).toBe('unclear');
  expect(judge(repeated(4, ...noisy), LIMIT).verdict).toBe('within');
  const slow = noisy.map((ratio) => ratio + 0.15);
  expect(judge(pairs(...slow), LIMIT).verdict).toBe('unclear');
  expect(judge(repeated(4, ...slow), LIMIT).verdict).toBe('slower');
});

it('one disturbed pair of many decides nothing', () => {
  expect(judge([...repeated(11, 1), ...pairs(3)], LIMIT).verdict).toBe('within');
  expect(judge([...repeated(11, 1.2), ...pairs(0.3)], LIMIT).verdict).toBe('slower');
});

it('load that hits both builds of a pair widens no range', () => {
  const loads = [1, 2.5, 1.2, 4, 1.1, 1.9];
  const { low, high, verdict } = judge(
    loads.map((load) => ({ base: 1000 * load, now: 1010 * load })),
    LIMIT,
  );
  expect([low, high]).toEqual([expect.closeTo(1.01), expect.closeTo(1.01)]);
  expect(verdict).toBe('within');
});

it('three pairs are too few to be sure', () => {
  expect(judge(pairs(2, 2, 2), LIMIT).verdict).toBe('unclear');
});

it('what stays unclear is decided by the ratio of the medians', () => {
  const last = (...ratios: number[]) => {
    const judgement = judge(pairs(...ratios), LIMIT);
    expect(judgement.verdict).toBe('unclear');
    return isSlower(judgement, LIMIT);
  };
  expect(last(1, 1.04, 1.04, 1.04, 1.1)).toBe(false);
  expect(last(1, 1.06, 1.06, 1.06, 1.1)).toBe(true);
});
