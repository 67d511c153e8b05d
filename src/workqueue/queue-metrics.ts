import type { Counter, Histogram, MetricsProvider } from '../kit/metrics.ts';
import { exponentialBuckets, noMetrics } from '../kit/metrics.ts';

/** Source: client-go util/workqueue/metrics.go. The names are those of controller-runtime, pkg/metrics/workqueue.go. */
const BUCKETS = exponentialBuckets(10e-9, 10, 12);

export interface QueueMetricsOptions {
  /** Without a name a queue publishes nothing. */
  name?: string | undefined;
  metrics?: MetricsProvider | undefined;
  /** The number of keys in line, and of those that return to it when they are released. */
  depth: () => number;
  /** For each key that is being processed, for how long, ms. */
  ages: () => number[];
}

/**
 * The metrics of one queue. The ages of keys that are being processed are computed when they are read, without a timer.
 */
export class QueueMetrics implements Disposable {
  /** False where all values are ignored, so that the queue need not measure them. */
  readonly arePublished: boolean;
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #queueSeconds: Histogram;
  readonly #workSeconds: Histogram;
  readonly #observed: Disposable[];

  constructor({ name, metrics, depth, ages }: QueueMetricsOptions) {
    const provider = name && metrics ? metrics : noMetrics;
    this.arePublished = provider !== noMetrics;
    const labels = { name: name ?? '' };
    this.#adds = provider.counter('workqueue_adds_total', labels);
    this.#retries = provider.counter('workqueue_retries_total', labels);
    this.#queueSeconds = provider.histogram('workqueue_queue_duration_seconds', labels, BUCKETS);
    this.#workSeconds = provider.histogram('workqueue_work_duration_seconds', labels, BUCKETS);
    this.#observed = [
      provider.observe('workqueue_depth', labels, depth),
      provider.observe(
        'workqueue_unfinished_work_seconds',
        labels,
        () => ages().reduce((sum, ms) => sum + ms, 0) / 1000,
      ),
      provider.observe(
        'workqueue_longest_running_processor_seconds',
        labels,
        () => ages().reduce((a, b) => Math.max(a, b), 0) / 1000,
      ),
    ];
  }

  added(): void {
    this.#adds.add();
  }

  retried(): void {
    this.#retries.add();
  }

  started(waitedMs: number): void {
    this.#queueSeconds.observe(waitedMs / 1000);
  }

  finished(workedMs: number): void {
    this.#workSeconds.observe(workedMs / 1000);
  }

  /** Removes the gauges. The counters stay as they are. */
  [Symbol.dispose](): void {
    for (const gauge of this.#observed.splice(0)) gauge[Symbol.dispose]();
  }
}
