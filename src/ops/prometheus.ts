import { goText } from '../expr/go-text.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { defaultLogger, type Logger } from '../kit/logger.ts';
import type { Counter, Gauge, Histogram, MetricLabels, MetricsProvider } from '../kit/metrics.ts';
import { helpOf } from './metric-help.ts';
import { idOf, type Series, seriesOf } from './metric-series.ts';
import { observeProcess, type ReadingProvider } from './process-metrics.ts';

/** A registry of the library `prom-client`: of the caller's own copy, whichever version. */
export interface PrometheusRegistry {
  readonly contentType: string;
  registerMetric(metric: never): void;
  metrics(): Promise<string>;
}

/** Options of {@link createPrometheusMetrics}. */
export interface PrometheusOptions {
  /** The registry that gets the metrics, to serve them beside the caller's own. Default: a new one. */
  registry?: PrometheusRegistry | undefined;
  /** Whether the metrics of the process (`process_*`, `nodejs_*`) are added. Default: only without a `registry`. */
  process?: boolean | undefined;
  /** The logger of gauges that fail when they are read. */
  logger?: Logger | undefined;
}

/** Metrics in the text format of Prometheus. */
export interface PrometheusMetrics extends MetricsProvider {
  /** The value of the Content-Type header for {@link text}. */
  readonly contentType: string;
  /** All metrics of the registry now. A gauge that fails when it is read is left out, and logged. */
  text(): Promise<string>;
}

const KNOWN_OPTIONS = {
  registry: true,
  process: 'boolean',
  logger: 'logger',
} satisfies KnownOptionsOf<PrometheusOptions>;

/**
 * Creates a {@link MetricsProvider} that serves its values in the text format of Prometheus. Pass it as `metrics` to
 * `createClient`, `dynamicInformerFactory`, `createController` and `WorkQueue`, and its {@link PrometheusMetrics.text}
 * to an HTTP server (or to {@link createOpsServer}).
 *
 * Names are those of client-go and controller-runtime; what they do not have begins with `kubectl_informer_`. Times are
 * in seconds. Counters and gauges cost one addition; they are formatted when they are read. A metric has at most 1000
 * series; the values of further ones are added to one series with the label values `other`. {@link PrometheusMetrics.text}
 * writes the bounds of buckets as Go does (`1e-08`); the registry itself writes `1e-8`.
 *
 * Rejects with `argument` for unknown options, and for a value that is not a registry of prom-client.
 * @example
 * const metrics = await createPrometheusMetrics();
 * const client = createClient(await loadConfig(), { metrics });
 */
export async function createPrometheusMetrics(options: PrometheusOptions = {}): Promise<PrometheusMetrics> {
  checkOptions('createPrometheusMetrics', options, KNOWN_OPTIONS);
  const { registry, process: withProcess = registry === undefined, logger = defaultLogger } = options;
  if (registry !== undefined && typeof registry?.registerMetric !== 'function')
    throw new InformerError('argument', 'createPrometheusMetrics: registry must be a Registry of prom-client');
  const parts = await loadParts();
  const metrics = new PromMetrics(parts, registry ?? (new parts.Registry() as PrometheusRegistry), logger);
  if (withProcess) observeProcess(metrics);
  return metrics;
}

type Parts = Awaited<ReturnType<typeof loadParts>>;

async function loadParts() {
  const [counter, gauge, histogram, registry] = await Promise.all([
    import('prom-client/lib/counter.js'),
    import('prom-client/lib/gauge.js'),
    import('prom-client/lib/histogram.js'),
    import('prom-client/lib/registry.js'),
  ]);
  return { Counter: counter.default, Gauge: gauge.default, Histogram: histogram.default, Registry: registry.default };
}

/**
 * The bound of a bucket, which JavaScript writes as `1e-8`, and Go as `1e-08`: queries name bounds by their text. A quote
 * within the value of a label is escaped, so that none of them matches.
 */
const BUCKET_BOUND = /(?<=[{,]le=")[\d.e-]+(?=")/g;

type Kind = 'counter' | 'gauge' | 'histogram';

interface Family {
  readonly kind: Kind;
  readonly labelNames: readonly string[];
  readonly series: Map<string, Series>;
  readonly observe?: (labels: MetricLabels, value: number) => void;
}

class PromMetrics implements PrometheusMetrics, ReadingProvider {
  readonly #parts: Parts;
  readonly #registry: PrometheusRegistry;
  readonly #logger: Logger;
  readonly #families = new Map<string, Family>();

  constructor(parts: Parts, registry: PrometheusRegistry, logger: Logger) {
    this.#parts = parts;
    this.#registry = registry;
    this.#logger = logger;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async text(): Promise<string> {
    const text = await this.#registry.metrics();
    return text.replaceAll(BUCKET_BOUND, (bound) => goText(Number(bound)));
  }

  counter(name: string, labels: MetricLabels): Counter {
    const series = this.#held(name, 'counter', labels);
    return {
      add(by = 1) {
        if (by > 0) series.value += by;
      },
    };
  }

  gauge(name: string, labels: MetricLabels): Gauge {
    const series = this.#held(name, 'gauge', labels);
    return {
      set(value) {
        series.value = value;
      },
      add(by) {
        series.value += by;
      },
    };
  }

  histogram(name: string, labels: MetricLabels, buckets: readonly number[]): Histogram {
    const family = this.#familyOf(name, 'histogram', labels, buckets);
    const { labels: shown } = seriesOf(family, labels);
    return {
      observe: (value) => {
        if (Number.isFinite(value)) family.observe?.(shown, value);
      },
    };
  }

  observe(name: string, labels: MetricLabels, read: () => number): Disposable {
    return this.#reading(name, 'gauge', labels, read);
  }

  observeCounter(name: string, labels: MetricLabels, read: () => number): Disposable {
    return this.#reading(name, 'counter', labels, read);
  }

  #reading(name: string, kind: Kind, labels: MetricLabels, read: () => number): Disposable {
    const family = this.#familyOf(name, kind, labels);
    const series = seriesOf(family, labels);
    const reader = () => read(); // its own, so that the same function can be added twice
    series.readers.add(reader);
    return {
      [Symbol.dispose]() {
        series.readers.delete(reader);
        if (!series.isHeld && series.readers.size === 0) family.series.delete(idOf(series.labels, family.labelNames));
      },
    };
  }

  #held(name: string, kind: Kind, labels: MetricLabels): Series {
    const series = seriesOf(this.#familyOf(name, kind, labels), labels);
    series.isHeld = true;
    return series;
  }

  #familyOf(name: string, kind: Kind, labels: MetricLabels, buckets: readonly number[] = []): Family {
    const known = this.#families.get(name);
    const labelNames = Object.keys(labels).sort();
    if (!known) {
      const family = this.#create(name, kind, labelNames, buckets);
      this.#families.set(name, family);
      return family;
    }
    if (known.kind !== kind || known.labelNames.join() !== labelNames.join()) {
      const given = `a ${kind} with the labels {${labelNames.join(', ')}}`;
      throw new InformerError(
        'argument',
        `the metric ${name} is a ${known.kind} with the labels {${known.labelNames.join(', ')}}, not ${given}`,
      );
    }
    return known;
  }

  #create(name: string, kind: Kind, labelNames: readonly string[], buckets: readonly number[]): Family {
    const { Counter, Gauge, Histogram } = this.#parts;
    const shared = { name, help: helpOf(name), labelNames, registers: [this.#registry] };
    const series = new Map<string, Series>();
    if (kind === 'histogram') {
      const histogram = new Histogram({ ...shared, buckets: [...buckets] });
      return { kind, labelNames, series, observe: (labels, value) => histogram.observe(labels, value) };
    }
    const failed = (error: unknown) => this.#logger.warn('a metric cannot be read', { name, error: messageOf(error) });
    const values = function* () {
      for (const each of series.values()) {
        const value = each.read(failed);
        if (value !== undefined) yield { labels: each.labels, value };
      }
    };
    new (kind === 'counter' ? Counter : Gauge)({
      ...shared,
      collect() {
        this.reset();
        if (labelNames.length === 0) this.remove({}); // a reset leaves it there with 0
        for (const { labels, value } of values()) this.inc(labels, value);
      },
    });
    return { kind, labelNames, series };
  }
}
