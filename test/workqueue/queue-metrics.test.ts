import { expect, it } from 'vitest';
import type { MetricLabels, MetricsProvider } from '../../src/kit/metrics.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { QueueMetrics } from '../../src/workqueue/queue-metrics.ts';
import { WorkQueue } from '../../src/workqueue/work-queue.ts';

class Recorder implements MetricsProvider {
  readonly values = new Map<string, number>();
  readonly observed = new Map<string, number[]>();
  readonly reads = new Map<string, () => number>();
  readonly labels = new Set<string>();

  counter(name: string, labels: MetricLabels) {
    this.labels.add(JSON.stringify(labels));
    this.values.set(name, 0);
    return { add: (by = 1) => void this.values.set(name, (this.values.get(name) ?? 0) + by) };
  }

  gauge(name: string) {
    return {
      set: (v: number) => void this.values.set(name, v),
      add: (v: number) => void this.values.set(name, (this.values.get(name) ?? 0) + v),
    };
  }

  histogram(name: string) {
    const values: number[] = [];
    this.observed.set(name, values);
    return { observe: (value: number) => void values.push(value) };
  }

  observe(name: string, _labels: MetricLabels, read: () => number) {
    this.reads.set(name, read);
    return { [Symbol.dispose]: () => void this.reads.delete(name) };
  }

  read(name: string): number | undefined {
    return this.reads.get(name)?.() ?? this.values.get(name);
  }
}

it('counts adds, waiting time, work time and retries under the names of client-go [MET-01] [DLQ-06]', async () => {
  const clock = new FakeClock();
  const metrics = new Recorder();
  clock.tick(1000);
  const queue = new WorkQueue({ name: 'pods', clock, metrics });
  queue.add('foo');
  expect(metrics.read('workqueue_adds_total')).toBe(1);
  expect(metrics.read('workqueue_depth')).toBe(1);
  clock.tick(50);
  const item = await queue.take();
  expect(metrics.observed.get('workqueue_queue_duration_seconds')).toEqual([0.05]);
  expect(metrics.read('workqueue_depth')).toBe(0);
  for (let i = 0; i < 5; i++) queue.add('foo');
  expect(metrics.read('workqueue_adds_total')).toBe(2);
  expect(metrics.read('workqueue_depth')).toBe(1);
  clock.tick(25);
  expect(metrics.read('workqueue_unfinished_work_seconds')).toBe(0.025);
  expect(metrics.read('workqueue_longest_running_processor_seconds')).toBe(0.025);
  item?.[Symbol.dispose]();
  expect(metrics.observed.get('workqueue_work_duration_seconds')).toEqual([0.025]);
  expect(metrics.read('workqueue_unfinished_work_seconds')).toBe(0);
  expect(metrics.read('workqueue_retries_total')).toBe(0);
  queue.add('bar', { limited: true });
  queue.add('bar', { after: 0 });
  expect(metrics.read('workqueue_retries_total')).toBe(2);
  queue.shutDown();
  queue.add('bar', { after: 5 });
  queue.add('bar', { limited: true });
  expect(metrics.read('workqueue_retries_total')).toBe(2);
  expect([...metrics.labels]).toEqual(['{"name":"pods"}']);
});

it('counts several adds of a waiting key as one [PQ-02]', () => {
  const metrics = new Recorder();
  const queue = new WorkQueue({ name: 'pods', clock: new FakeClock(), metrics });
  for (const priority of [0, 0, 5]) queue.add('foo', { priority });
  queue.add('foo', { after: 50 });
  expect([queue.length, metrics.read('workqueue_adds_total'), metrics.read('workqueue_depth')]).toEqual([1, 1, 1]);
});

it('a queue without a name publishes nothing; a queue that is shut down removes its gauges and leaves no timer [MET-03]', () => {
  const clock = new FakeClock();
  const metrics = new Recorder();
  const nameless = new WorkQueue({ clock, metrics });
  nameless.add('foo');
  expect(metrics.values.size + metrics.reads.size + metrics.observed.size).toBe(0);
  const named = new WorkQueue({ name: 'pods', clock, metrics });
  expect(metrics.reads.size).toBe(3);
  named.shutDown();
  expect(metrics.reads.size).toBe(0);
  expect(clock.pending).toBe(0);
});

it('times have the buckets of client-go: from 10 ns on, each ten times as long, twelve of them', () => {
  const buckets: (readonly number[] | undefined)[] = [];
  const metrics = {
    counter: () => ({ add() {} }),
    gauge: () => ({ set() {}, add() {} }),
    histogram: (_name: string, _labels: object, of?: readonly number[]) => {
      buckets.push(of);
      return { observe() {} };
    },
    observe: () => ({ [Symbol.dispose]() {} }),
  };
  using _ = new QueueMetrics({ name: 'q', metrics: metrics as never, depth: () => 0, ages: () => [] });
  expect(buckets).toHaveLength(2);
  for (const of of buckets) {
    expect(of).toHaveLength(12);
    expect([of?.[0], of?.at(-1)]).toEqual([expect.closeTo(1e-8, 12), expect.closeTo(1000, 6)]);
  }
});
