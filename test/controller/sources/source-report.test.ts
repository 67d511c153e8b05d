import { expect, it } from 'vitest';
import type { SkippedEvent } from '../../../src/controller/history/trail.ts';
import { SourceCounts } from '../../../src/controller/sources/source-report.ts';

const skip = (why: SkippedEvent['why'], by?: string) => ({ why, by }) as SkippedEvent;

it('counts the events that led to no key, by the reason and by the name of the predicate', () => {
  const counts = new SourceCounts({ name: 'v1/pods' });
  for (const skipped of [skip('predicate', 'a'), skip('predicate', 'a'), skip('predicate', 'b'), skip('predicate')])
    counts.skipped(skipped);
  for (const skipped of [skip('no key'), skip('error'), skip('error', 'a')]) counts.skipped(skipped);
  expect(counts.report()).toEqual({
    name: 'v1/pods',
    hasSynced: false,
    keys: 0,
    skipped: { 'predicate a': 2, 'predicate b': 1, predicate: 1, 'no key': 1, error: 2 },
  });
});

it('counts by 16 names, and all others together', () => {
  const counts = new SourceCounts({ name: 'v1/pods' });
  for (let round = 0; round < 2; round++) for (let i = 0; i < 20; i++) counts.skipped(skip('predicate', `p${i}`));
  const { skipped } = counts.report();
  expect(Object.keys(skipped)).toHaveLength(17);
  expect([skipped['predicate p0'], skipped['predicate p15'], skipped['predicate others']]).toEqual([2, 2, 8]);
});

it('has the time at which a timer queues keys next', () => {
  let nextAt: number | undefined = 5000;
  const counts = new SourceCounts({ name: 'timer', nextAt: () => nextAt });
  counts.hasSynced = true;
  counts.keys = 3;
  expect(counts.report()).toEqual({ name: 'timer', hasSynced: true, keys: 3, skipped: {}, nextAt: 5000 });
  nextAt = undefined;
  expect(counts.report()).not.toHaveProperty('nextAt');
});
