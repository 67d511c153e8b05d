import { exponentialBuckets, type MetricsProvider } from '../kit/metrics.ts';

/**
 * The measurements of informers, for an exporter. An informer calls a method once for each list, stream or batch, never
 * for each event. The last argument is always the name of the informer, so that one object can serve all informers of a
 * factory. The methods must not throw. The names in brackets are client-go's Prometheus metrics.
 *
 * A {@link MetricsProvider}, given in its place, gets all of them under these names.
 */
export interface InformerMetrics {
  /**
   * A LIST or streaming list was completed [reflector_lists_total, reflector_list_duration_seconds,
   * reflector_items_per_list].
   */
  listed?(durationMs: number, objects: number, informer: string): void;
  /**
   * A stream ended [reflector_watches_total, reflector_watch_duration_seconds, reflector_items_per_watch,
   * reflector_short_watches_total].
   */
  watched?(durationMs: number, events: number, isShort: boolean, informer: string): void;
  /** The number of deltas in the queue, after a push or a pop [informer_queued_items]. */
  queued?(depth: number, informer: string): void;
  /** A batch of deltas was applied to the store [informer_processing_latency_seconds]. */
  applied?(durationMs: number, deltas: number, informer: string): void;
  /** A handler threw or rejected. */
  handlerFailed?(informer: string): void;
  /**
   * The cache did not store this number of changes, or not under every index, because a transform or an index function
   * threw.
   */
  storeFailed?(changes: number, informer: string): void;
}

/** The metrics of one informer: its callbacks without the name. */
export type NamedMetrics = {
  [M in keyof Required<InformerMetrics>]: Required<InformerMetrics>[M] extends (...args: [...infer A, string]) => void
    ? (...args: A) => void
    : never;
};

/** The metrics with the name of the informer in each call. A provider gets them under client-go's names. */
export function namedMetrics(metrics: InformerMetrics | MetricsProvider, name: string): NamedMetrics {
  const target = 'counter' in metrics ? exported(metrics, name) : metrics;
  return {
    listed: (durationMs, objects) => target.listed?.(durationMs, objects, name),
    watched: (durationMs, events, isShort) => target.watched?.(durationMs, events, isShort, name),
    queued: (depth) => target.queued?.(depth, name),
    applied: (durationMs, deltas) => target.applied?.(durationMs, deltas, name),
    handlerFailed: () => target.handlerFailed?.(name),
    storeFailed: (changes) => target.storeFailed?.(changes, name),
  };
}

/** Seconds. Source: component-base metrics/prometheus/clientgo/fifo/metrics.go. */
const LATENCIES = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Seconds: from a list of a small type to a watch that the server ends after an hour. */
const DURATIONS = [0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600];
const ITEMS = [0, ...exponentialBuckets(1, 10, 7)];

/**
 * Under the names of client-go's reflector and FIFO metrics. Where client-go has summaries these are histograms, which
 * have the same `_sum` and `_count`.
 */
function exported(provider: MetricsProvider, name: string): Required<InformerMetrics> {
  const labels = { name };
  const lists = provider.counter('reflector_lists_total', labels);
  const listSeconds = provider.histogram('reflector_list_duration_seconds', labels, DURATIONS);
  const listItems = provider.histogram('reflector_items_per_list', labels, ITEMS);
  const watches = provider.counter('reflector_watches_total', labels);
  const shortWatches = provider.counter('reflector_short_watches_total', labels);
  const watchSeconds = provider.histogram('reflector_watch_duration_seconds', labels, DURATIONS);
  const watchItems = provider.histogram('reflector_items_per_watch', labels, ITEMS);
  const applySeconds = provider.histogram('informer_processing_latency_seconds', labels, LATENCIES);
  const handlerErrors = provider.counter('kubectl_informer_handler_errors_total', labels);
  const storeErrors = provider.counter('kubectl_informer_store_errors_total', labels);
  return {
    listed(durationMs, objects) {
      lists.add();
      listSeconds.observe(durationMs / 1000);
      listItems.observe(objects);
    },
    watched(durationMs, events, isShort) {
      watches.add();
      if (isShort) shortWatches.add();
      watchSeconds.observe(durationMs / 1000);
      watchItems.observe(events);
    },
    queued() {}, // read at each scrape: see InformerGauges
    applied: (durationMs) => applySeconds.observe(durationMs / 1000),
    handlerFailed: () => handlerErrors.add(),
    storeFailed: (changes) => storeErrors.add(changes),
  };
}
