import type { MetricLabels, MetricsProvider } from '../kit/metrics.ts';

/** A provider that also has counters whose value is computed when it is read. */
export interface ReadingProvider extends MetricsProvider {
  /** As `observe`, for a value that only grows. */
  observeCounter(name: string, labels: MetricLabels, read: () => number): Disposable;
}

/** Adds the metrics of this process under the names that Prometheus dashboards know. They are read at each scrape. */
export function observeProcess(metrics: ReadingProvider): void {
  const cpu = (part: 'user' | 'system') => process.cpuUsage()[part] / 1e6;
  metrics.observeCounter('process_cpu_user_seconds_total', {}, () => cpu('user'));
  metrics.observeCounter('process_cpu_system_seconds_total', {}, () => cpu('system'));
  metrics.observeCounter('process_cpu_seconds_total', {}, () => cpu('user') + cpu('system'));
  const startedAt = Math.round(performance.timeOrigin) / 1000;
  metrics.observe('process_start_time_seconds', {}, () => startedAt);
  const memory = (part: keyof NodeJS.MemoryUsage) => process.memoryUsage()[part];
  metrics.observe('process_resident_memory_bytes', {}, () => process.memoryUsage.rss());
  metrics.observe('nodejs_heap_size_total_bytes', {}, () => memory('heapTotal'));
  metrics.observe('nodejs_heap_size_used_bytes', {}, () => memory('heapUsed'));
  metrics.observe('nodejs_external_memory_bytes', {}, () => memory('external'));
  observeEventLoop(metrics);
  metrics.observe('nodejs_version_info', { version: process.version }, () => 1);
}

/** Other runtimes than Node may not measure it. */
function observeEventLoop(metrics: ReadingProvider): void {
  if (typeof performance.eventLoopUtilization !== 'function') return;
  let last = performance.eventLoopUtilization();
  metrics.observe('nodejs_eventloop_utilization_ratio', {}, () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  });
}
