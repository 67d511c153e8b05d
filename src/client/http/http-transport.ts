import { type Clock, systemClock } from '../../kit/clock.ts';
import type { KnownOptionsOf } from '../../kit/known-options.ts';
import { defaultLogger, type Logger } from '../../kit/logger.ts';
import type { MetricsProvider } from '../../kit/metrics.ts';
import { withSurroundings } from '../../kit/surroundings.ts';
import { guarded, notify } from '../../kit/user-callback.ts';
import { isConnectionReset } from '../../model/connection-error.ts';
import { isTooLargeResourceVersion } from '../../model/status.ts';
import type { ClusterConfig, Credentials } from '../config/cluster-config.ts';
import { HttpPool } from './http-pool.ts';
import type { ExchangeObserver } from './one-shot-silence.ts';
import { RequestMetrics } from './request-metrics.ts';
import { discard, hold } from './response.ts';
import { MOST_RETRIES, MOST_WAIT_MS, REPORTED_WAIT_MS, retryWaitMs } from './retry-after.ts';
import { DELAY_REPORTS_MS, LONG_DELAY_MS, TokenBucket } from './token-bucket.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { onceEach, parseWarnings } from './warnings.ts';

/** Options of {@link createTransport}. */
export interface TransportOptions {
  clock?: Clock | undefined;
  logger?: Logger | undefined;
  /** The name of the program in the server's audit log, and the field manager of writes that name none. Default `kubectl-informer`. */
  userAgent?: string | undefined;
  /**
   * Average requests per second, default 50. Negative = unlimited. Watches do not count. A request that waits for this
   * limit for a second or longer is logged as a warning, one in ten seconds.
   */
  qps?: number | undefined;
  /** Requests that may be sent at once before `qps` applies, default 300. */
  burst?: number | undefined;
  /** Time limit of one request, ms. Default: that of the config, else none. */
  requestTimeoutMs?: number | undefined;
  /**
   * The longest time between two pieces of a body, ms; then reading rejects with `transport`. Not applied to watches.
   * Default 60 s.
   */
  bodyIdleTimeoutMs?: number | undefined;
  /** Gets the requests under client-go's names: `rest_client_requests_total` and others. */
  metrics?: MetricsProvider | undefined;
  /** Notified of the progress of each request. */
  observer?: ExchangeObserver | undefined;
  /** Called before a wait of more than 5 s that the server's Retry-After asks for. Not called for watches. */
  onThrottled?: ((wait: ThrottledWait) => void) | undefined;
  /** Called once with the text of each warning of the server. */
  onWarning?: ((text: string) => void) | undefined;
}

/** The names and types of {@link TransportOptions}, for their check. */
export const KNOWN_TRANSPORT_OPTIONS = {
  clock: 'clock',
  logger: 'logger',
  userAgent: 'text',
  qps: 'number',
  burst: 'number',
  requestTimeoutMs: 'number',
  bodyIdleTimeoutMs: 'number',
  metrics: 'metrics',
  observer: true,
  onThrottled: 'function',
  onWarning: 'function',
} satisfies KnownOptionsOf<TransportOptions>;

/** A wait that the server asked for by Retry-After. */
export interface ThrottledWait {
  /** The path of the request, without its query. */
  readonly path: string;
  readonly status: number;
  /** The value of Retry-After, ms. */
  readonly askedMs: number;
  /** The wait until the request is repeated, ms: at most one minute. */
  readonly waitMs: number;
}

/** The server's own limit of a request that is not a watch. Source: kube-apiserver --request-timeout. */
const BODY_IDLE_MS = 60_000;

/** Creates a transport to the server of a config. It connects at the first request. */
export function createTransport(config: ClusterConfig, options: TransportOptions = {}): Transport {
  return withSurroundings(new HttpTransport(config, options), { ...options, server: config.server });
}

class HttpTransport implements Transport {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #pool: HttpPool;
  readonly #metrics: RequestMetrics;
  readonly #bucket: TokenBucket;
  readonly #warn: (text: string) => void;
  #delayReportedAt = Number.NEGATIVE_INFINITY;
  readonly #onThrottled: (wait: ThrottledWait) => void;

  constructor(config: ClusterConfig, options: TransportOptions) {
    this.#config = config;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? defaultLogger;
    const { metrics } = options;
    this.#metrics = new RequestMetrics(metrics && guarded('the metrics', metrics, this.#logger), config.server);
    this.#bucket = new TokenBucket({ qps: options.qps ?? 50, burst: options.burst ?? 300, clock: this.#clock });
    this.#pool = new HttpPool({
      server: config.server,
      proxyUrl: config.proxyUrl,
      compress: !config.disableCompression,
      userAgent: options.userAgent ?? 'kubectl-informer',
      timeoutMs: options.requestTimeoutMs ?? config.requestTimeoutMs,
      idleMs: options.bodyIdleTimeoutMs ?? BODY_IDLE_MS,
      clock: this.#clock,
      observer: options.observer,
    });
    this.#onThrottled = (wait) => notify('onThrottled', options.onThrottled, this.#logger, wait);
    const { onWarning = (text: string) => this.#logger.warn('the server warns', { text }) } = options;
    this.#warn = onceEach((text) => notify('onWarning', onWarning, this.#logger, text));
  }

  async request(init: TransportRequest): Promise<TransportResponse> {
    init.signal?.throwIfAborted();
    const isAskedOnce = init.stream || init.once;
    if (!isAskedOnce && !init.urgent) await this.#limitRate(init);
    for (let retries = 0; ; retries++) {
      const answer = await this.#authenticated(init);
      this.#warnings(answer);
      const askedMs = retryWaitMs(answer);
      if (isAskedOnce || askedMs === undefined || retries === MOST_RETRIES) return answer;
      const { response, status } = await hold(answer);
      if (isTooLargeResourceVersion(status)) return response; // the caller has a better answer to this than a wait
      const waitMs = Math.min(askedMs, MOST_WAIT_MS);
      init.onWait?.(waitMs);
      if (waitMs > REPORTED_WAIT_MS)
        this.#onThrottled({ path: pathIn(init), status: response.status, askedMs, waitMs });
      this.#logger.info('retrying as the server asks', {
        method: init.method,
        path: init.path,
        status: response.status,
        waitMs,
      });
      await this.#clock.sleep(waitMs, { signal: init.signal });
      this.#metrics.repeated(init.method, response.status);
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #limitRate({ method, path, signal }: TransportRequest): Promise<void> {
    const waitMs = await this.#bucket.take(signal);
    this.#metrics.delayed(method, waitMs);
    if (waitMs === 0) return;
    const message = "a request waited for the client's own rate limit";
    const now = this.#clock.monotonic();
    const isReported = waitMs >= LONG_DELAY_MS && now - this.#delayReportedAt >= DELAY_REPORTS_MS;
    if (!isReported) return this.#logger.debug(message, { method, path, waitMs });
    this.#delayReportedAt = now;
    this.#logger.warn(message, { method, path, waitMs: Math.round(waitMs), next: 'raise qps and burst of the client' });
  }

  /** After a 401 reads the credentials again. If they have changed, repeats the request with them once. */
  async #authenticated(init: TransportRequest): Promise<TransportResponse> {
    const { signal } = init;
    const credentials = await this.#config.credentials({ signal });
    const response = await this.#send(init, credentials);
    if (response.status !== 401) return response;
    const renewed = await this.#config.credentials({ rejected: credentials, signal });
    if (renewed.fingerprint === credentials.fingerprint) return response;
    await discard(response.body);
    return this.#send(init, renewed);
  }

  async #send(init: TransportRequest, credentials: Credentials): Promise<TransportResponse> {
    const startedAt = this.#clock.monotonic();
    const answered = (code: number | '<error>') =>
      this.#metrics.answered(init.method, code, this.#clock.monotonic() - startedAt, init.stream === true);
    const response = await this.#attempt(init, credentials).catch((error) => {
      answered('<error>');
      throw error;
    });
    answered(response.status);
    const ms = Math.round(this.#clock.monotonic() - startedAt);
    this.#logger.debug('request', { method: init.method, path: init.path, status: response.status, ms });
    return response;
  }

  /**
   * Sends a request. The server may close a pooled connection just when it is taken. So a GET whose connection is reset
   * is sent once more, unless the request has `once` or `fresh`.
   */
  async #attempt(init: TransportRequest, credentials: Credentials): Promise<TransportResponse> {
    try {
      return await this.#pool.send(init, credentials);
    } catch (error) {
      const isFinal = init.method !== 'GET' || init.once || init.fresh;
      if (isFinal || init.signal?.aborted || !isConnectionReset(error)) throw error;
      return this.#pool.send(init, credentials);
    }
  }

  #warnings({ headers }: TransportResponse): void {
    if (headers.warning !== undefined) for (const text of parseWarnings(headers.warning)) this.#warn(text);
  }
}

const pathIn = ({ path }: TransportRequest) => path.split('?', 1)[0] ?? path;
