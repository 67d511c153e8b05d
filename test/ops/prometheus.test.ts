import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/kit/logger.ts';
import { createPrometheusMetrics } from '../../src/ops/prometheus.ts';

const bare = () => createPrometheusMetrics({ process: false });
const linesOf = async (metrics: { text(): Promise<string> }) =>
  (await metrics.text()).split('\n').filter((line) => line !== '');

describe('createPrometheusMetrics', () => {
  it('serves counters, gauges and histograms with their help, labels and values', async () => {
    const metrics = await bare();
    const adds = metrics.counter('workqueue_adds_total', { name: 'pods' });
    adds.add();
    adds.add(2);
    const depth = metrics.gauge('workqueue_depth', { name: 'pods' });
    depth.set(5);
    depth.add(-2);
    metrics.histogram('workqueue_work_duration_seconds', { name: 'pods' }, [0.1, 1]).observe(0.5);
    expect(await linesOf(metrics)).toEqual([
      '# HELP workqueue_adds_total Total number of adds handled by workqueue',
      '# TYPE workqueue_adds_total counter',
      'workqueue_adds_total{name="pods"} 3',
      '# HELP workqueue_depth Current depth of workqueue',
      '# TYPE workqueue_depth gauge',
      'workqueue_depth{name="pods"} 3',
      '# HELP workqueue_work_duration_seconds How long in seconds processing an item from workqueue takes.',
      '# TYPE workqueue_work_duration_seconds histogram',
      'workqueue_work_duration_seconds_bucket{le="0.1",name="pods"} 0',
      'workqueue_work_duration_seconds_bucket{le="1",name="pods"} 1',
      'workqueue_work_duration_seconds_bucket{le="+Inf",name="pods"} 1',
      'workqueue_work_duration_seconds_sum{name="pods"} 0.5',
      'workqueue_work_duration_seconds_count{name="pods"} 1',
    ]);
    expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('two calls with the same name and labels give the same series; a counter exists with 0', async () => {
    const metrics = await bare();
    metrics.counter('a_total', { x: '1' });
    metrics.counter('a_total', { x: '2' }).add();
    metrics.counter('a_total', { x: '2' }).add();
    expect(await linesOf(metrics)).toEqual(expect.arrayContaining(['a_total{x="1"} 0', 'a_total{x="2"} 2']));
  });

  it('an observed gauge is read at each scrape, several with the same labels are added, and disposal removes it', async () => {
    const metrics = await bare();
    let value = 1;
    const first = metrics.observe('depth', { name: 'pods' }, () => value);
    const second = metrics.observe('depth', { name: 'pods' }, () => 10);
    expect(await linesOf(metrics)).toContain('depth{name="pods"} 11');
    value = 4;
    second[Symbol.dispose]();
    expect(await linesOf(metrics)).toContain('depth{name="pods"} 4');
    first[Symbol.dispose]();
    expect((await linesOf(metrics)).filter((line) => line.startsWith('depth'))).toEqual([]);
  });

  it('a gauge that fails when it is read is left out and logged, and the others are served', async () => {
    const logged: string[] = [];
    const logger = createLogger((level, message, { name }) => logged.push(`${level} ${message} ${name}`));
    const metrics = await createPrometheusMetrics({ process: false, logger });
    metrics.observe('broken', {}, () => {
      throw new Error('no');
    });
    metrics.observe('fine', {}, () => 7);
    const lines = await linesOf(metrics);
    expect(lines.filter((line) => !line.startsWith('#'))).toEqual(['fine 7']);
    expect(logged).toEqual(['warn a metric cannot be read broken']);
  });

  it('escapes label values, so that a name cannot forge a line', async () => {
    const metrics = await bare();
    metrics.counter('a_total', { x: 'one"\nb_total 5\\' }).add();
    expect(await linesOf(metrics)).toContain('a_total{x="one\\"\\nb_total 5\\\\"} 1');
  });

  it('has at most 1000 series of a metric; further values are counted under `other`', async () => {
    const metrics = await bare();
    for (let i = 0; i < 1500; i++) metrics.counter('a_total', { key: `pod-${i}` }).add();
    const lines = (await linesOf(metrics)).filter((line) => line.startsWith('a_total'));
    expect(lines).toHaveLength(1001);
    expect(lines).toContain('a_total{key="other"} 500');
  });

  it('refuses a metric with other labels or of another kind than before', async () => {
    const metrics = await bare();
    metrics.counter('a_total', { x: '1' });
    expect(() => metrics.counter('a_total', { y: '1' })).toThrow('is a counter with the labels {x}');
    expect(() => metrics.gauge('a_total', { x: '1' })).toThrow('not a gauge');
  });

  it("registers into the user's own prom-client registry, beside the user's metrics", async () => {
    const registry = new Registry();
    new Gauge({ name: 'mine', help: 'mine', registers: [registry] }).set(1);
    const metrics = await createPrometheusMetrics({ registry });
    metrics.counter('a_total', {}).add(2);
    const lines = (await registry.metrics()).split('\n');
    expect(lines).toEqual(expect.arrayContaining(['mine 1', 'a_total 2']));
    expect(await metrics.text()).toBe(await registry.metrics());
    expect(lines.some((line) => line.startsWith('process_'))).toBe(false);
  });

  it('adds the metrics of the process, with values that can be right', async () => {
    const metrics = await createPrometheusMetrics();
    const values = new Map((await linesOf(metrics)).map((line) => line.split(' ') as [string, string]));
    expect(Number(values.get('process_cpu_seconds_total'))).toBeGreaterThan(0);
    expect(Number(values.get('process_resident_memory_bytes'))).toBeGreaterThan(1e6);
    expect(values.get(`nodejs_version_info{version="${process.version}"}`)).toBe('1');
    const { timeOrigin } = performance;
    expect(Math.abs(Number(values.get('process_start_time_seconds')) - timeOrigin / 1000)).toBeLessThan(1);
  });

  it('shows the bounds of buckets as Go shows them', async () => {
    const metrics = await bare();
    metrics.histogram('workqueue_queue_duration_seconds', { name: 'le="1e-8"' }, [1e-8, 1e-7, 1e-6, 0.5]).observe(1);
    const text = await metrics.text();
    expect([...text.matchAll(/\{le="([^"]*)"/g)].map(([, le]) => le)).toEqual([
      '1e-08',
      '1e-07',
      '1e-06',
      '0.5',
      '+Inf',
    ]);
    expect(text).toContain('name="le=\\"1e-8\\""');
  });

  it('refuses unknown options and a value that is not a registry of prom-client', async () => {
    await expect(createPrometheusMetrics({ registy: 1 } as never)).rejects.toThrow('has no option "registy"');
    await expect(createPrometheusMetrics({ registry: {} as never })).rejects.toThrow('Registry of prom-client');
  });
});

it('a runtime that does not measure its event loop has all other metrics of the process', async () => {
  const measured = Object.getOwnPropertyDescriptor(performance, 'eventLoopUtilization');
  Object.defineProperty(performance, 'eventLoopUtilization', { value: undefined, configurable: true });
  try {
    const text = await (await createPrometheusMetrics()).text();
    expect(text).toContain('process_resident_memory_bytes ');
    expect(text).not.toContain('nodejs_eventloop_utilization_ratio');
  } finally {
    Reflect.deleteProperty(performance, 'eventLoopUtilization');
    if (measured) Object.defineProperty(performance, 'eventLoopUtilization', measured);
  }
});
