import { type Counter, type Histogram, type MetricsProvider, noMetrics } from '../../kit/metrics.ts';

/** Seconds. Source: component-base metrics/prometheus/restclient/metrics.go. */
const LATENCIES = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** A method that no request of this client has is not a label. */
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

/**
 * The requests of one transport under client-go's names. Labels: the method, the status code (`<error>` without a
 * response) and the host of the server; never a path, a name or a credential. A request that is repeated counts each
 * time.
 */
export class RequestMetrics {
  readonly #provider: MetricsProvider;
  readonly #host: string;
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();

  constructor(provider: MetricsProvider = noMetrics, server = '') {
    this.#provider = provider;
    this.#host = URL.canParse(server) ? new URL(server).host : '';
  }

  /** A response came, or an error. The latency of a watch, which is that of its headers, is not observed. */
  answered(method: string, code: number | '<error>', ms: number, isStream: boolean): void {
    this.#count('rest_client_requests_total', { code: String(code), method: known(method), host: this.#host });
    if (!isStream) this.#observe('rest_client_request_duration_seconds', method, ms);
  }

  /** A request is repeated, because the server asked for it with this status. */
  repeated(method: string, status: number): void {
    this.#count('rest_client_request_retries_total', {
      code: String(status),
      verb: known(method),
      host: this.#host,
    });
  }

  /** A request waited for the client's own rate limit. */
  delayed(method: string, ms: number): void {
    this.#observe('rest_client_rate_limiter_duration_seconds', method, ms);
  }

  #count(name: string, labels: Readonly<Record<string, string>>): void {
    const id = `${name} ${Object.values(labels).join(' ')}`;
    const counter = this.#counters.get(id) ?? this.#provider.counter(name, labels);
    this.#counters.set(id, counter);
    counter.add();
  }

  #observe(name: string, method: string, ms: number): void {
    const id = `${name} ${known(method)}`;
    const labels = { verb: known(method), host: this.#host };
    const histogram = this.#histograms.get(id) ?? this.#provider.histogram(name, labels, LATENCIES);
    this.#histograms.set(id, histogram);
    histogram.observe(ms / 1000);
  }
}

const known = (method: string) => (METHODS.has(method) ? method : 'other');
