import type { MetricLabels, MetricsProvider } from '../../src/kit/metrics.ts';

/** Keeps the present value of each counter and gauge. */
export class RecordingMetrics implements MetricsProvider {
  readonly #values = new Map<string, number>();

  value(name: string, labels: MetricLabels): number | undefined {
    return this.#values.get(keyOf(name, labels));
  }

  counter(name: string, labels: MetricLabels) {
    const key = keyOf(name, labels);
    this.#values.set(key, this.#values.get(key) ?? 0);
    return { add: (by = 1) => void this.#values.set(key, (this.#values.get(key) ?? 0) + by) };
  }

  gauge(name: string, labels: MetricLabels) {
    const key = keyOf(name, labels);
    return {
      set: (value: number) => void this.#values.set(key, value),
      add: (by: number) => void this.#values.set(key, (this.#values.get(key) ?? 0) + by),
    };
  }

  histogram() {
    return { observe() {} };
  }

  observe() {
    return { [Symbol.dispose]() {} };
  }
}

const keyOf = (name: string, labels: MetricLabels) => `${name} ${JSON.stringify(labels)}`;
