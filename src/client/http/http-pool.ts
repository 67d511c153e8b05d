import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { withoutLogin } from '../../kit/secret-free-text.ts';
import { withoutEnd } from '../../kit/without-end.ts';
import type { CredentialHeaders, Credentials } from '../config/cluster-config.ts';
import { checkTls } from '../config/login-check.ts';
import { nodeTls } from '../config/node-tls.ts';
import { isLoopback, noAnswer } from './connection-text.ts';
import { answerOf, Exchange } from './http-exchange.ts';
import { NodeConnections } from './node-connections.ts';
import type { ExchangeObserver } from './one-shot-silence.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Settings of an {@link HttpPool}. */
export interface HttpPoolOptions {
  server: string;
  proxyUrl: string | undefined;
  compress: boolean;
  userAgent: string;
  timeoutMs: number | undefined;
  /** The longest time between two pieces of a body that is not a stream, ms. */
  idleMs: number;
  clock: Clock;
  observer?: ExchangeObserver | undefined;
}

/** Longer than the API server's own limit of a request that is not a watch (60 s): its own error arrives first. */
const HEADERS_TIMEOUT_MS = 75_000;
/** An API server answers a watch with its headers at once. */
const STREAM_HEADERS_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 30_000;
/** How long an idle connection is kept. Less than the idle timeout of common load balancers (60 s). */
const KEEP_ALIVE_MS = 30_000;
/** Time without a packet after which TCP probes a connection. Node closes it after ten probes, one a second. */
const TCP_PROBE_MS = 15_000;

/**
 * Pooled HTTP/1.1 connections to one server. A new pool is made only if the TLS material changes; open streams go on
 * over the old pool.
 */
export class HttpPool {
  readonly #options: HttpPoolOptions;
  readonly #origin: string;
  readonly #basePath: string;
  readonly #acceptEncoding: Readonly<Record<string, string>>;
  #pool: { fingerprint: string; connections: NodeConnections } | undefined;
  readonly #retired = new Set<NodeConnections>();
  #closed = false;

  constructor(options: HttpPoolOptions) {
    const url = new URL(options.server);
    this.#options = options;
    checkProxy(options.proxyUrl);
    this.#origin = url.origin;
    this.#basePath = withoutEnd(url.pathname, '/');
    const isWorthIt = url.protocol === 'https:' || !isLoopback(url.hostname);
    this.#acceptEncoding = options.compress && isWorthIt ? { 'accept-encoding': 'gzip' } : {};
  }

  async send(init: TransportRequest, credentials: Credentials): Promise<TransportResponse> {
    const connections = this.#connectionsFor(credentials);
    init.permit?.(); // no await from here to the dispatch
    const exchange = new Exchange(init, {
      ...this.#options,
      headersMs: init.headersMs ?? (init.stream ? STREAM_HEADERS_TIMEOUT_MS : HEADERS_TIMEOUT_MS),
    });
    try {
      const headers = {
        'user-agent': this.#options.userAgent,
        accept: 'application/json',
        ...(init.stream && !init.compressed ? {} : this.#acceptEncoding),
        ...init.headers,
        ...mutable(credentials.headers),
      };
      const request = {
        path: this.#basePath + init.path,
        method: init.method,
        headers,
        body: init.body ?? null,
        fresh: init.fresh ?? false,
      };
      const response = await connections.send(request, exchange.signal);
      exchange.answered();
      return answerOf(response, exchange, this.#origin);
    } catch (error) {
      exchange.end();
      throw (
        exchange.abortReason ??
        noAnswer(error, { origin: this.#origin, proxyUrl: this.#options.proxyUrl, closed: this.#closed })
      );
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#retired, ...(this.#pool ? [this.#pool.connections] : [])];
    this.#pool = undefined;
    const reason = new InformerError('closed', 'the client was closed');
    await Promise.all(all.map((connections) => connections.destroy(reason)));
  }

  #connectionsFor(credentials: Credentials): NodeConnections {
    if (this.#closed) throw new InformerError('closed', 'the client was closed');
    if (this.#pool?.fingerprint === credentials.tlsFingerprint) return this.#pool.connections;
    if (this.#origin.startsWith('https:')) checkTls(nodeTls(credentials.tls));
    if (this.#pool) this.#retire(this.#pool.connections);
    const connections = this.#connect(credentials);
    this.#pool = { fingerprint: credentials.tlsFingerprint, connections };
    return connections;
  }

  #connect({ tls }: Credentials): NodeConnections {
    const { proxyUrl, clock } = this.#options;
    const limits = { connectTimeoutMs: CONNECT_TIMEOUT_MS, keepAliveMs: KEEP_ALIVE_MS, tcpProbeMs: TCP_PROBE_MS };
    return new NodeConnections({ origin: this.#origin, tls: nodeTls(tls), proxyUrl, clock, ...limits });
  }

  /** Closes old connections once the streams that are open on them have ended. */
  #retire(connections: NodeConnections): void {
    this.#retired.add(connections);
    void connections.close().then(() => this.#retired.delete(connections));
  }
}

function checkProxy(proxyUrl: string | undefined): void {
  if (proxyUrl === undefined) return;
  if (/^(https?|socks5h?):\/\//i.test(proxyUrl)) {
    if (URL.canParse(proxyUrl)) return;
    throw new InformerError('config', `proxy-url ${JSON.stringify(withoutLogin(proxyUrl))} is not a URL`, {
      hint: 'write it as http://host:port',
    });
  }
  throw new InformerError('config', `proxy-url ${JSON.stringify(withoutLogin(proxyUrl))} has an unsupported scheme`, {
    hint: 'use http://, https:// or socks5://',
  });
}

function mutable(headers: CredentialHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}
