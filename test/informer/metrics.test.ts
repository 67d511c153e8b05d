import { expect, it } from 'vitest';
import { namedMetrics } from '../../src/informer/metrics.ts';
import { noMetrics } from '../../src/kit/metrics.ts';

function bucketsOf(): Map<string, readonly number[]> {
  const buckets = new Map<string, readonly number[]>();
  const histogram = (name: string, _labels: object, bounds: readonly number[]) => {
    buckets.set(name, bounds);
    return { observe() {} };
  };
  namedMetrics({ ...noMetrics, histogram }, 'pods');
  return buckets;
}

it('the time in which a batch is applied has the buckets of client-go', () => {
  expect(bucketsOf().get('informer_processing_latency_seconds')).toEqual([
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]);
});

it('lists and streams have buckets from 5 ms to an hour, and from no object to a million', () => {
  const seconds = [0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600];
  const items = [0, 1, 10, 100, 1000, 10_000, 100_000, 1_000_000];
  for (const kind of ['list', 'watch']) {
    expect(bucketsOf().get(`reflector_${kind}_duration_seconds`)).toEqual(seconds);
    expect(bucketsOf().get(`reflector_items_per_${kind}`)).toEqual(items);
  }
});
