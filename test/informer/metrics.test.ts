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

it('a provider counts lists, streams, and errors of handlers and of the store', () => {
  const counts = new Map<string, number>();
  const counter = (name: string) => ({ add: (by = 1) => void counts.set(name, (counts.get(name) ?? 0) + by) });
  const metrics = namedMetrics({ ...noMetrics, counter }, 'pods');
  metrics.listed(10, 3);
  metrics.watched(10, 3, false);
  metrics.watched(10, 0, true);
  metrics.handlerFailed();
  metrics.storeFailed(4);
  expect(Object.fromEntries(counts)).toEqual({
    reflector_lists_total: 1,
    reflector_watches_total: 2,
    reflector_short_watches_total: 1,
    kubectl_informer_handler_errors_total: 1,
    kubectl_informer_store_errors_total: 4,
  });
});

it('callbacks get each measurement with the name of the informer', () => {
  const calls: unknown[] = [];
  const record =
    (what: string) =>
    (...args: unknown[]) =>
      void calls.push([what, ...args]);
  const metrics = namedMetrics(
    {
      listed: record('listed'),
      watched: record('watched'),
      queued: record('queued'),
      applied: record('applied'),
      handlerFailed: record('handlerFailed'),
      storeFailed: record('storeFailed'),
    },
    'pods',
  );
  metrics.listed(10, 3);
  metrics.watched(20, 4, true);
  metrics.queued(5);
  metrics.applied(30, 6);
  metrics.handlerFailed();
  metrics.storeFailed(7);
  expect(calls).toEqual([
    ['listed', 10, 3, 'pods'],
    ['watched', 20, 4, true, 'pods'],
    ['queued', 5, 'pods'],
    ['applied', 30, 6, 'pods'],
    ['handlerFailed', 'pods'],
    ['storeFailed', 7, 'pods'],
  ]);
});

it('a provider gets times in seconds, and the numbers of objects and events', () => {
  const seen: unknown[] = [];
  const histogram = (name: string, labels: object) => ({
    observe: (value: number) => void seen.push([name, labels, value]),
  });
  const metrics = namedMetrics({ ...noMetrics, histogram }, 'pods');
  metrics.listed(1500, 3);
  metrics.watched(2500, 4, false);
  metrics.applied(500, 6);
  metrics.queued(7);
  const labels = { name: 'pods' };
  expect(seen).toEqual([
    ['reflector_list_duration_seconds', labels, 1.5],
    ['reflector_items_per_list', labels, 3],
    ['reflector_watch_duration_seconds', labels, 2.5],
    ['reflector_items_per_watch', labels, 4],
    ['informer_processing_latency_seconds', labels, 0.5],
  ]);
});
