import { type Clock, systemClock } from '../../kit/clock.ts';
import type { KnownOptionsOf } from '../../kit/known-options.ts';
import { defaultLogger, type Logger } from '../../kit/logger.ts';
import { tell } from '../../kit/user-callback.ts';
import { isConnectionReset } from '../../model/connection-error.ts';
import { isTooLargeResourceVersion } from '../../model/status.ts';
import type { ClusterConfig, Credentials } from '../config/cluster-config.ts';
import { HttpPool } from './http-pool.ts';
import { discard, hold, retryAfterMs } from './response.ts';
import type { ExchangeObserver } from './server-silence.ts';
import { TokenBucket } from './token-bucket.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { onceEach, parseWarnings } from './warnings.ts';

/** Settings of a transport over the network. */
export interface TransportOptions {
  clock?: Clock | undefined;
  logger?: Logger | undefined;
  userAgent?: string | undefined;
  /** Requests per second on average, default 50; negative = unlimited. Watches do not count. */
  qps?: number | undefined;
  /** Requests at once before `qps` holds back, default 300. */
  burst?: number | undefined;
  /** For one request, ms; default the config's own, else none. */
  requestTimeoutMs?: number | undefined;
  /** How long the body of an answer that is no watch may be silent, ms; then it rejects with `transport`. Default 60 s. */
  bodyIdleTimeoutMs?: number | undefined;
  /** Told of each exchange with the server as it goes on. */
  observer?: ExchangeObserver | undefined;
  /** Called when the server asks, by Retry-After, for a wait of more than 5 s, before the wait. Watches are not waited for here. */
  onThrottled?: ((wait: ThrottledWait) => void) | undefined;
  /** Hears each text the server warns with, once. */
  onWarning?: ((text: string) => void) | undefined;
}

/** What {@link TransportOptions} may hold. */
export const KNOWN_TRANSPORT_OPTIONS = {
  clock: true,
  logger: true,
  userAgent: 'text',
  qps: 'number',
  burst: 'number',
  requestTimeoutMs: 'number',
  bodyIdleTimeoutMs: 'number',
  observer: true,
  onThrottled: 'function',
  onWarning: 'function',
} satisfies KnownOptionsOf<TransportOptions>;

/** A wait that the server asked for. */
export interface ThrottledWait {
  /** The path of the request, without its query. */
  readonly path: string;
  readonly status: number;
  /** What Retry-After said, ms. */
  readonly askedMs: number;
  /** What is waited, ms: at most a minute. */
  readonly waitMs: number;
}

/** A longer Retry-After is not obeyed: the request is repeated earlier. */
const LONGEST_WAIT_MS = 60_000;
/** A longer wait is reported. */
const LONG_WAIT_MS = 5_000;
/** How often an answer with Retry-After is asked again. Source: client-go rest/request.go. */
const MOST_RETRIES = 10;
/** As long as the server itself lets a request take that is no watch. Source: kube-apiserver --request-timeout. */
const BODY_IDLE_MS = 60_000;

/** A transport to the server of a config. Connects on the first request. */
export function createTransport(config: ClusterConfig, options: TransportOptions = {}): Transport {
  return new HttpTransport(config, options);
}

class HttpTransport implements Transport {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #pool: HttpPool;
  readonly #bucket: TokenBucket;
  readonly #warn: (text: string) => void;
  readonly #onThrottled: (wait: ThrottledWait) => void;

  constructor(config: ClusterConfig, options: TransportOptions) {
    this.#config = config;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? defaultLogger;
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
    this.#onThrottled = (wait) => tell('onThrottled', options.onThrottled, this.#logger, wait);
    const { onWarning = (text: string) => this.#logger.warn('the server warns', { text }) } = options;
    this.#warn = onceEach((text) => tell('onWarning', onWarning, this.#logger, text));
  }

  async request(init: TransportRequest): Promise<TransportResponse> {
    init.signal?.throwIfAborted();
    const isAskedOnce = init.stream || init.once;
    if (!isAskedOnce) await this.#holdBack(init);
    for (let retries = 0; ; retries++) {
      const answer = await this.#authenticated(init);
      this.#warnings(answer);
      const askedMs = retryWaitMs(answer);
      if (isAskedOnce || askedMs === undefined || retries === MOST_RETRIES) return answer;
      const { response, status } = await hold(answer);
      if (isTooLargeResourceVersion(status)) return response; // whoever asked has a better answer to this than to wait
      const waitMs = Math.min(askedMs, LONGEST_WAIT_MS);
      init.onWait?.(waitMs);
      if (waitMs > LONG_WAIT_MS) this.#onThrottled({ path: pathIn(init), status: response.status, askedMs, waitMs });
      this.#logger.info('retrying as the server asks', { method: init.method, path: init.path, status: response.status, waitMs });
      await this.#clock.sleep(waitMs, { signal: init.signal });
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #holdBack({ method, path, signal }: TransportRequest): Promise<void> {
    const waitMs = await this.#bucket.take(signal);
    if (waitMs > 0) this.#logger.debug('request held back by the client rate', { method, path, waitMs });
  }

  /** A 401 is an answer only after the credentials were read anew and turned out to be the same, or refused as well. */
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
    const response = await this.#attempt(init, credentials);
    const ms = Math.round(this.#clock.monotonic() - startedAt);
    this.#logger.debug('request', { method: init.method, path: init.path, status: response.status, ms });
    return response;
  }

  /**
   * A pooled connection may have been closed by the server just as it was taken; what only reads is sent once more. A reset of a new connection
   * is the server's own answer.
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

/** Only a 429 or 5xx that says when. Source: client-go rest/with_retry.go. */
function retryWaitMs({ status, headers }: TransportResponse): number | undefined {
  return status === 429 || status >= 500 ? retryAfterMs(headers) : undefined;
}
