import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { builtin } from '../../kit/builtin.ts';
import type { Clock } from '../../kit/clock.ts';
import type { NodeTls } from '../config/node-tls.ts';
import { type Flow, type HttpRequest, type RawAnswer, RawBody } from './http-dispatch.ts';
import { ProxyRoute } from './proxy-route.ts';

/** Settings of {@link NodeConnections}. */
export interface NodeConnectionsOptions {
  /** `https://host:port` */
  readonly origin: string;
  readonly tls: NodeTls;
  /** The proxy, if connections go through one: see {@link ProxyRoute}. */
  readonly proxyUrl?: string | undefined;
  readonly connectTimeoutMs: number;
  /** How long an idle connection stays open, ms. */
  readonly keepAliveMs: number;
  /** Time without a packet after which TCP probes the other side, ms. */
  readonly tcpProbeMs: number;
  readonly clock: Clock;
}

/**
 * Connections made by Node's own HTTP client, directly or through a proxy. Its parser is native code; undici's parser is
 * WebAssembly, and costs every command 20 MB of memory once V8 has optimized it.
 */
export class NodeConnections {
  readonly #options: NodeConnectionsOptions;
  readonly #request: (options: RequestOptions) => ClientRequest;
  readonly #agent: Agent;
  readonly #address: Pick<RequestOptions, 'host' | 'port'>;
  readonly #proxy: ProxyRoute | undefined;
  readonly #connected: 'connect' | 'secureConnect';
  readonly #active = new Set<ClientRequest>();
  readonly #idle = new Set<() => void>();

  constructor(options: NodeConnectionsOptions) {
    const { origin, tls, keepAliveMs } = options;
    const { protocol, hostname, port } = new URL(origin);
    const isSecure = protocol === 'https:';
    const http = isSecure ? builtin.https() : builtin.http();
    this.#options = options;
    this.#request = http.request;
    this.#agent = new http.Agent({ keepAlive: true, timeout: keepAliveMs, ...(isSecure ? tls : {}) });
    this.#address = { host: hostname.replace(/^\[|\]$/g, ''), port: port || (isSecure ? 443 : 80) };
    this.#connected = isSecure ? 'secureConnect' : 'connect';
    const { proxyUrl, ...limits } = options;
    this.#proxy = proxyUrl === undefined ? undefined : new ProxyRoute({ ...limits, proxyUrl });
    if (this.#proxy) this.#connectThrough(this.#proxy, isSecure);
  }

  /** Makes the sockets of the agent lead through the proxy: with TLS to the server, if it has one. */
  #connectThrough(proxy: ProxyRoute, isSecure: boolean): void {
    const agent = this.#agent;
    const secured = agent.createConnection.bind(agent);
    agent.createConnection = (options, callback) => {
      proxy.connect().then(
        (socket) => callback?.(null, isSecure ? (secured({ ...options, socket } as never) as Duplex) : socket),
        (error) => callback?.(error, undefined as never),
      );
      return undefined;
    };
  }

  /**
   * Sends one request. The signal must belong to this request alone. Resolves when the headers have arrived. Rejects
   * if the connection breaks before them, or at once with the signal's reason.
   */
  send({ method, path, headers, body: content, fresh = false }: HttpRequest, signal: AbortSignal): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const body = new RawBody();
      // Node sends none with a DELETE
      const length = content === null ? {} : { 'content-length': String(Buffer.byteLength(content)) };
      if (fresh) this.#forgetIdle();
      const request = this.#request({
        agent: this.#agent,
        ...this.#address,
        method,
        path: (this.#proxy?.pathPrefix ?? '') + path,
        headers: { ...headers, ...length, ...this.#proxy?.headers },
      });
      const broken = (error: Error) => {
        body.end({ error: asClosed(error) });
        reject(asClosed(error));
      };
      const aborted = () => {
        body.abort(signal.reason);
        reject(signal.reason);
      };
      const over = () => {
        signal.removeEventListener('abort', aborted);
        broken(closed()); // no effect on a body that has ended
        this.#ended(request);
      };
      signal.addEventListener('abort', aborted, { once: true });
      this.#active.add(request);
      let answer: IncomingMessage | undefined;
      body.begin(new CoreFlow(request));
      request
        .on('socket', (socket) => this.#watchOver(request, socket))
        .on('response', (response) => {
          answer = response;
          feed(body, response);
          body.begin(new CoreFlow(request, response));
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        })
        .on('error', broken)
        .on('close', () => (answer && isWaiting(answer) ? answer.once('close', over) : over()))
        .end(content ?? undefined);
    });
  }

  /** Takes no more requests; resolves when all open exchanges have ended. */
  async close(): Promise<void> {
    this.#agent.maxFreeSockets = 0;
    this.#forgetIdle();
    if (this.#active.size > 0) await new Promise<void>((resolve) => this.#idle.add(resolve));
    this.#agent.destroy();
  }

  /** Aborts all open exchanges. */
  async destroy(reason: Error): Promise<void> {
    for (const request of this.#active) request.destroy(reason);
    this.#proxy?.destroy(reason);
    this.#agent.destroy();
  }

  /** Closes the idle connections, so that the next request opens a new one. */
  #forgetIdle(): void {
    for (const socket of Object.values(this.#agent.freeSockets).flat()) socket?.destroy();
  }

  #watchOver(request: ClientRequest, socket: import('node:net').Socket): void {
    const { clock, connectTimeoutMs, tcpProbeMs } = this.#options;
    socket.setKeepAlive(true, tcpProbeMs);
    // through a proxy the socket is connected before its TLS begins
    if (!socket.connecting && !(socket as { secureConnecting?: boolean }).secureConnecting) return;
    const timer = clock.after(connectTimeoutMs, () =>
      request.destroy(Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' })),
    );
    socket.once(this.#connected, () => timer.cancel());
    request.once('close', () => timer.cancel());
  }

  #ended(request: ClientRequest): void {
    this.#active.delete(request);
    if (this.#active.size > 0) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }
}

class CoreFlow implements Flow {
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage | undefined;

  constructor(request: ClientRequest, response?: IncomingMessage) {
    this.#request = request;
    this.#response = response;
  }

  get paused(): boolean {
    return this.#response?.isPaused() ?? false;
  }

  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  abort(reason: Error): void {
    this.#request.destroy(reason);
    this.#response?.destroy(); // a request that is over does not destroy its response
  }
}

/** Whether a response has arrived whole, but is not yet read whole. The connection may close before that. */
const isWaiting = ({ complete, closed }: IncomingMessage) => complete && !closed;

function feed(body: RawBody, response: IncomingMessage): void {
  response
    .on('data', (chunk: Uint8Array) => body.push(chunk))
    .on('end', () => body.end(response.complete ? {} : { error: closed() }))
    .on('error', (error) => body.end({ error: asClosed(error) }));
}

const closed = () => Object.assign(new Error('other side closed'), { code: 'ECONNRESET' });

/** One error for the several errors of Node that mean the same: the server closed the connection too early. */
function asClosed(error: Error & { code?: unknown }): Error {
  return error.code === 'ECONNRESET' && /^(aborted|socket hang up)$/.test(error.message) ? closed() : error;
}
