// The parts of prom-client that are used, loaded one by one: its main file loads a tracing library and a cluster mode.

interface PromSeries {
  inc(labels: Readonly<Record<string, string>>, value: number): void;
  set(labels: Readonly<Record<string, string>>, value: number): void;
  observe(labels: Readonly<Record<string, string>>, value: number): void;
  reset(): void;
  remove(labels: Readonly<Record<string, string>>): void;
}

interface PromMetricOptions<M> {
  name: string;
  help: string;
  labelNames: readonly string[];
  registers: readonly unknown[];
  buckets?: readonly number[];
  collect?: (this: M) => void;
}

declare module 'prom-client/lib/counter.js' {
  export default class Counter {
    constructor(options: PromMetricOptions<Counter>);
    inc: PromSeries['inc'];
    reset: PromSeries['reset'];
    remove: PromSeries['remove'];
  }
}

declare module 'prom-client/lib/gauge.js' {
  export default class Gauge {
    constructor(options: PromMetricOptions<Gauge>);
    inc: PromSeries['inc'];
    reset: PromSeries['reset'];
    remove: PromSeries['remove'];
  }
}

declare module 'prom-client/lib/histogram.js' {
  export default class Histogram {
    constructor(options: PromMetricOptions<Histogram>);
    observe: PromSeries['observe'];
  }
}

declare module 'prom-client/lib/registry.js' {
  export default class Registry {
    readonly contentType: string;
    registerMetric(metric: object): void;
    metrics(): Promise<string>;
  }
}
