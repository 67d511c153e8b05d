/** The labels of a series. */
export type MetricLabels = Readonly<Record<string, string>>;

/** A value that only grows. */
export interface Counter {
  /** Adds to the count; default 1. */
  add(by?: number): void;
}

/** A value that grows and shrinks. */
export interface Gauge {
  set(value: number): void;
  add(by: number): void;
}

/** A distribution of values. */
export interface Histogram {
  observe(value: number): void;
}

/**
 * Receives metrics. Names and units are those of client-go and controller-runtime; times are in seconds. Two calls with
 * the same name and labels give the same series.
 */
export interface MetricsProvider {
  counter(name: string, labels: MetricLabels): Counter;
  gauge(name: string, labels: MetricLabels): Gauge;
  histogram(name: string, labels: MetricLabels, buckets: readonly number[]): Histogram;
  /** Adds a gauge whose value is computed at each read, so that it needs no timer. Disposal removes it. */
  observe(name: string, labels: MetricLabels, read: () => number): Disposable;
}

const nothing = { add() {}, set() {}, observe() {} };

/** A provider that ignores all values. */
export const noMetrics: MetricsProvider = {
  counter: () => nothing,
  gauge: () => nothing,
  histogram: () => nothing,
  observe: () => ({ [Symbol.dispose]() {} }),
};

/**
 * The bounds of `count` buckets: `start`, and each further one `factor` times the one before. They are rounded as those
 * of Go's client, so that both have the same labels `le`.
 */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  const bounds: number[] = [];
  for (let bound = start; bounds.length < count; bound *= factor) bounds.push(bound);
  return bounds;
}
