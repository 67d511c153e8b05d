import type { Dispatcher } from 'undici';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import type { CredentialHeaders, Credentials } from './cluster-config.ts';
import { isLoopback, noAnswer } from './connection-text.ts';
import { dispatch } from './http-dispatch.ts';
import { answerOf, Exchange } from './http-exchange.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Settings of an {@link HttpPool}. */
export interface HttpPoolOptions {
  server: string;
  proxyUrl: string | undefined;
  compress: boolean;
  userAgent: string;
  timeoutMs: number | undefined;
  /** How long the body of an answer that is no stream may be silent. */
  idleMs: number;
  clock: Clock;
}

/** Longer than the API server itself lets a request that is not a watch take (60 s), so that its own answer is heard first. */
const HEADERS_TIMEOUT_MS = 75_000;
const CONNECT_TIMEOUT_MS = 30_000;
/** Below the idle timeouts of common load balancers (60 s). */
const TCP_KEEP_ALIVE_MS = 30_000;

/** Pooled HTTP/1.1 connections to one server. A new pool is made only when the TLS material changes; streams on the old one live on. */
export class HttpPool {
  readonly #options: HttpPoolOptions;
  readonly #origin: string;
  readonly #basePath: string;
  readonly #acceptEncoding: Readonly<Record<string, string>>;
  #pool: { fingerprint: string; dispatcher: Promise<Dispatcher> } | undefined;
  readonly #retired = new Set<Promise<Dispatcher>>();
  #closed = false;

  constructor(options: HttpPoolOptions) {
    const url = new URL(options.server);
    this.#options = options;
    checkProxy(options.proxyUrl);
    this.#origin = url.origin;
    this.#basePath = url.pathname.replace(/\/+$/, '');
    this.#acceptEncoding = options.compress && !isLoopback(url.hostname) ? { 'accept-encoding': 'gzip' } : {};
  }

  async send(init: TransportRequest, credentials: Credentials): Promise<TransportResponse> {
    const dispatcher = await this.#dispatcherFor(credentials);
    const exchange = new Exchange(init, { ...this.#options, headersMs: HEADERS_TIMEOUT_MS });
    try {
      const headers = {
        'user-agent': this.#options.userAgent,
        accept: 'application/json',
        ...(init.stream ? {} : this.#acceptEncoding),
        ...init.headers,
        ...mutable(credentials.headers),
      };
      const method = init.method as Dispatcher.HttpMethod;
      const request = { origin: this.#origin, path: this.#basePath + init.path, method, headers, body: init.body ?? null };
      const response = await dispatch(dispatcher, request, exchange.signal);
      exchange.answered();
      return answerOf(response, exchange, this.#origin);
    } catch (error) {
      exchange.end();
      throw exchange.abortReason ?? noAnswer(error, { origin: this.#origin, proxyUrl: this.#options.proxyUrl, closed: this.#closed });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#retired, ...(this.#pool ? [this.#pool.dispatcher] : [])];
    this.#pool = undefined;
    await Promise.all(all.map(async (dispatcher) => (await dispatcher).destroy(new InformerError('closed', 'the client was closed'))));
  }

  #dispatcherFor(credentials: Credentials): Promise<Dispatcher> {
    if (this.#closed) throw new InformerError('closed', 'the client was closed');
    if (this.#pool?.fingerprint === credentials.tlsFingerprint) return this.#pool.dispatcher;
    if (this.#pool) this.#retire(this.#pool.dispatcher);
    const dispatcher = createDispatcher(credentials, this.#options.proxyUrl);
    this.#pool = { fingerprint: credentials.tlsFingerprint, dispatcher };
    return dispatcher;
  }

  /** Lets the streams that are open on it run to their end. */
  #retire(dispatcher: Promise<Dispatcher>): void {
    this.#retired.add(dispatcher);
    dispatcher
      .then((old) => old.close())
      .catch(() => {}) // destroyed meanwhile
      .finally(() => this.#retired.delete(dispatcher));
  }
}

async function createDispatcher({ tls }: Credentials, proxyUrl: string | undefined): Promise<Dispatcher> {
  const { Agent, ProxyAgent, Socks5ProxyAgent } = await import('undici');
  // Its own timers are real; ours go by the clock that was handed in.
  const common = { bodyTimeout: 0, headersTimeout: 0, keepAliveTimeout: 30_000, allowH2: false };
  const connect = { ...tls, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS, timeout: CONNECT_TIMEOUT_MS };
  if (proxyUrl === undefined) return new Agent({ ...common, connect });
  if (/^socks5h?:/i.test(proxyUrl))
    return new Socks5ProxyAgent(proxyUrl.replace(/^socks5h:/i, 'socks5:'), { ...common, requestTls: connect });
  return new ProxyAgent({ ...common, uri: proxyUrl, requestTls: connect });
}

function checkProxy(proxyUrl: string | undefined): void {
  if (proxyUrl === undefined || /^(https?|socks5h?):\/\//i.test(proxyUrl)) return;
  throw new InformerError('config', `proxy-url ${JSON.stringify(proxyUrl)} has an unsupported scheme`, {
    hint: 'use http://, https:// or socks5://',
  });
}

function mutable(headers: CredentialHeaders): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]));
}
