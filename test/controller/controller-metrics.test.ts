import { expect, it } from 'vitest';
import { ControllerMetrics } from '../../src/controller/controller-metrics.ts';
import type { MetricLabels, MetricsProvider } from '../../src/kit/metrics.ts';
import { noMetrics } from '../../src/kit/metrics.ts';

/** The values of all series, by name and labels. */
function recorded() {
  const values = new Map<string, number | number[] | (() => number)>();
  const id = (name: string, labels: MetricLabels) => `${name} ${JSON.stringify(labels)}`;
  const provider: MetricsProvider = {
    ...noMetrics,
    counter(name, labels) {
      values.set(id(name, labels), 0);
      return { add: (by = 1) => void values.set(id(name, labels), (values.get(id(name, labels)) as number) + by) };
    },
    histogram(name, labels) {
      const seen: number[] = [];
      values.set(id(name, labels), seen);
      return { observe: (value) => void seen.push(value) };
    },
    observe(name, labels, read) {
      values.set(id(name, labels), read);
      return { [Symbol.dispose]: () => void values.delete(id(name, labels)) };
    },
  };
  const of = (name: string, labels: MetricLabels = {}) => {
    const value = values.get(id(`controller_runtime_${name}`, { controller: 'pods', ...labels }));
    return typeof value === 'function' ? value() : value;
  };
  return { provider, values, of };
}

it('every series exists from the start with 0, and gauges are read when they are asked for', () => {
  const { provider, of } = recorded();
  let active = 0;
  new ControllerMetrics(provider, { name: 'pods', workers: 3, active: () => active });
  const counters = [
    'reconcile_errors_total',
    'terminal_reconcile_errors_total',
    'reconcile_panics_total',
    'reconcile_timeouts_total',
  ];
  expect(counters.map((name) => of(name))).toEqual([0, 0, 0, 0]);
  const results = ['success', 'requeue_after', 'requeue', 'error'];
  expect(results.map((result) => of('reconcile_total', { result }))).toEqual([0, 0, 0, 0]);
  active = 2;
  expect([of('max_concurrent_reconciles'), of('active_workers')]).toEqual([3, 2]);
});

it('the buckets are those of controller-runtime: of the time of runs, and of the waits for own writes', () => {
  const buckets: Record<string, readonly number[]> = {};
  const histogram = (name: string, labels: MetricLabels, bounds: readonly number[]) => {
    buckets[[name.replace('controller_runtime_', ''), labels.operation, labels.result].join(' ').trim()] = bounds;
    return { observe() {} };
  };
  new ControllerMetrics({ ...noMetrics, histogram }, { name: 'pods', workers: 1, active: () => 0 });
  const wait = 'client_consistency_wait_duration_seconds reconcile';
  const waits = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 6, 8, 10];
  expect(buckets).toEqual({
    reconcile_time_seconds: [
      ...[0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5],
      ...[1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60],
    ],
    [`${wait} success`]: waits,
    [`${wait} timeout`]: waits,
  });
});

it('a run is counted by its outcome, and its time is in seconds', () => {
  const { provider, of } = recorded();
  const metrics = new ControllerMetrics(provider, { name: 'pods', workers: 1, active: () => 0 });
  metrics.ran('success', 250);
  metrics.ran('error', 1500);
  metrics.ran('error', 0);
  expect(['success', 'requeue_after', 'error'].map((result) => of('reconcile_total', { result }))).toEqual([1, 0, 2]);
  expect(of('reconcile_time_seconds')).toEqual([0.25, 1.5, 0]);
});

it('dispose removes the gauges and keeps the counters', () => {
  const { provider, of } = recorded();
  const metrics = new ControllerMetrics(provider, { name: 'pods', workers: 1, active: () => 0 });
  metrics[Symbol.dispose]();
  expect([of('active_workers'), of('max_concurrent_reconciles'), of('reconcile_errors_total')]).toEqual([
    undefined,
    undefined,
    0,
  ]);
});
