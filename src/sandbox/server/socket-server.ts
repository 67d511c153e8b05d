import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../../kit/certificate.ts';
import { requestBody } from '../../kit/request-body.ts';
import { failure } from '../../model/status.ts';
import type { ApiRequest, ApiResponse } from '../api/exchange.ts';
import { respondStatus } from '../api/respond.ts';

export interface SocketServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly certificate?: Certificate | undefined;
  readonly serve: (request: ApiRequest) => Promise<ApiResponse>;
}

/** Larger bodies are refused with 413. Source: apiserver MaxRequestBodyBytes. */
const LARGEST_BODY = 3 * 1024 * 1024;

/** The largest request line with headers: selectors can be long. Source: Go net/http DefaultMaxHeaderBytes. */
const LARGEST_HEADER = 1024 * 1024;

/** How long an idle connection stays open, ms. */
const KEEP_ALIVE_MS = 90_000;

/**
 * An HTTP/1.1 server that passes requests to the server core. `stop` breaks every connection, so that none keeps the
 * process alive.
 */
export class SocketServer {
  readonly #server: Server;
  readonly port: number;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  /**
   * Resolves when the server accepts connections. Rejects with the system's error when it cannot listen on the address.
   */
  static async listen({ host, port, certificate, serve }: SocketServerOptions): Promise<SocketServer> {
    const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void exchange(incoming, outgoing, serve);
    const options = {
      maxHeaderSize: LARGEST_HEADER,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: 0,
      noDelay: true,
    };
    const server = certificate
      ? createHttpsServer({ ...certificate, ...options }, listener)
      : createHttpServer(options, listener);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return new SocketServer(server, (server.address() as AddressInfo).port);
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}

async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  serve: SocketServerOptions['serve'],
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  try {
    const body = await requestBody(incoming, LARGEST_BODY);
    const { method = 'GET', url: path = '/' } = incoming;
    const request = { method, path, headers: headersOf(incoming), body, signal: gone.signal };
    await send(body ? await serve(request) : tooLarge(), outgoing, method === 'HEAD', gone.signal);
  } catch {
    outgoing.destroy(); // the client left, or a fault broke the connection: no answer is possible
  }
}

function headersOf({ headers }: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

function tooLarge(): ApiResponse {
  return respondStatus(failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${LARGEST_BODY}`));
}

/** Writes an answer chunk by chunk without delay, and waits while the socket is full. */
async function send(
  { status, headers, body }: ApiResponse,
  outgoing: ServerResponse,
  headOnly: boolean,
  gone: AbortSignal,
): Promise<void> {
  outgoing.writeHead(status, headers);
  if (headOnly) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  for await (const chunk of body) {
    if (gone.aborted) return;
    if (!outgoing.write(chunk)) await drained(outgoing);
  }
  outgoing.end();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.once('drain', done);
    outgoing.once('close', done);
  });
}
