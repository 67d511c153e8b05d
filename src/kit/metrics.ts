export type MetricLabels = Readonly<Record<string, string>>;

export interface Counter {
  /** Adds to the count, 1 unless said. */
  add(by?: number): void;
}

export interface Gauge {
  set(value: number): void;
  add(by: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

/**
 * Where numbers about the running machinery go. Names and units are the ones client-go and controller-runtime publish; times are seconds.
 * Asking twice for the same name and labels gives the same series.
 */
export interface MetricsProvider {
  counter(name: string, labels: MetricLabels): Counter;
  gauge(name: string, labels: MetricLabels): Gauge;
  histogram(name: string, labels: MetricLabels, buckets: readonly number[]): Histogram;
  /** A gauge whose value is asked for when it is read, so that nobody needs a timer to keep it fresh. Disposing takes it away. */
  observe(name: string, labels: MetricLabels, read: () => number): Disposable;
}

const nothing = { add() {}, set() {}, observe() {} };

/** Keeps no numbers. */
export const noMetrics: MetricsProvider = {
  counter: () => nothing,
  gauge: () => nothing,
  histogram: () => nothing,
  observe: () => ({ [Symbol.dispose]() {} }),
};

/** `count` bucket bounds from `start`, each `factor` times the one before. */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => start * factor ** i);
}
