import { expect, test } from 'vitest';
import { benchCatalog, indexedPod, lookupTimes } from '../../bench/query-index.ts';

test('every question of the benchmark finds something, and the same by an index as by a full scan', async () => {
  const objects = Array.from({ length: 1000 }, (_, i) => indexedPod(i));
  const times = lookupTimes(objects, await benchCatalog(), { forMs: 1 });
  const found = new Map(times.map(({ question, found }) => [question, found]));
  const questions = [...new Set(times.map(({ question }) => question.replace(/, (by index|full scan)$/, '')))];
  expect(questions).toHaveLength(7);
  for (const question of questions) {
    expect(found.get(`${question}, by index`)).toBeGreaterThan(0);
    expect(found.get(`${question}, by index`)).toBe(found.get(`${question}, full scan`));
  }
});
