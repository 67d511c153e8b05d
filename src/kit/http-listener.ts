import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { builtin } from './builtin.ts';
import type { Certificate } from './certificate.ts';
import { InformerError } from './error.ts';
import { requestBody } from './request-body.ts';

/** Where a server listens: a port of a host, or a socket in the file system. */
export type ListenAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** A request as it came. */
export interface ServerRequest {
  readonly method: string;
  /** The path with its query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Whether a streamed answer may have trailers, and is seen to be incomplete when it is cut: not in HTTP/1.0, not for HEAD. */
  readonly takesTrailers: boolean;
  /** The whole body as text; undefined if it is too large. */
  text(): Promise<string | undefined>;
  /** The body as it arrives. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Aborts when the client has gone, or has its answer. */
  readonly signal: AbortSignal;
}

/** A whole answer. */
export interface WholeAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An answer that is written while it is made. */
export interface StreamedAnswer {
  readonly status: number;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Writes the body, and ends it; `addTrailers` before that sends trailers that a header names. If it rejects, the connection is cut, so that the answer is seen to be incomplete. */
  stream(body: Writable & Partial<Pick<ServerResponse, 'addTrailers'>>): Promise<void>;
}

export interface HttpAnswers {
  answer(request: ServerRequest, peer: Peer): Promise<WholeAnswer | StreamedAnswer>;
}

/** Limits of a server. */
export interface ListenerLimits {
  /** Connections at a time. Default 128. */
  readonly mostConnections?: number | undefined;
  /** A client that has not sent its whole request by then is cut off, ms. 0 = never. Default 10 s. */
  readonly requestMs?: number | undefined;
  /** Serves HTTPS with this certificate. Default: HTTP. */
  readonly certificate?: Certificate | undefined;
}

/** Who asks. */
export interface Peer {
  /** The address of the other side; undefined on a socket of the file system. */
  readonly address: string | undefined;
  /** The Host header. */
  readonly host: string | undefined;
}

/** A server that listens. Disposal ends all connections at once. */
export interface HttpListener extends AsyncDisposable {
  /** `127.0.0.1:8080`, or the path of the socket. */
  readonly address: string;
  /** New connections get this certificate; open ones keep theirs. Only for one that serves HTTPS. */
  replace(certificate: Certificate): void;
}

const LARGEST_HEADERS = 16 * 1024;
/** As many keys as one request may have (see key-changes.ts), each as long as a namespace and a name may be. */
const LARGEST_BODY = 4 * 1024 * 1024;
const MOST_CONNECTIONS = 128;
const REQUEST_MS = 10_000;
const IDLE_MS = 5_000;

/**
 * Listens, and answers each request. Headers, bodies, connections and the time for a request are limited. Rejects with
 * `config` if the address cannot be used.
 */
export async function listen(
  at: ListenAddress,
  { answer }: HttpAnswers,
  { mostConnections = MOST_CONNECTIONS, requestMs = REQUEST_MS, certificate }: ListenerLimits = {},
): Promise<HttpListener> {
  const limits = {
    maxHeaderSize: LARGEST_HEADERS,
    headersTimeout: REQUEST_MS,
    requestTimeout: requestMs,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: IDLE_MS,
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    respond(request, response, answer).catch(() => response.destroy());
  };
  const server = certificate
    ? builtin.https().createServer({ ...limits, ...contextOf(certificate), handshakeTimeout: REQUEST_MS }, onRequest)
    : builtin.http().createServer(limits, onRequest);
  server.maxConnections = mostConnections;
  await started(server, at);
  return {
    address: addressOf(server, at),
    replace(next) {
      if ('setSecureContext' in server) server.setSecureContext(contextOf(next));
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const contextOf = ({ cert, key }: Certificate) => ({ cert, key, minVersion: 'TLSv1.2' as const });

function started(server: Server, at: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(at, error)));
    server.listen(at, () => {
      server.removeAllListeners('error');
      server.on('error', () => {}); // of one connection, which it ends
      resolve();
    });
  });
}

const HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there: choose another port, or 0 for a free one',
  EACCES: 'ports below 1024 belong to the superuser: choose a higher one',
  EADDRNOTAVAIL: 'no network interface of this machine has this address',
  ENOTFOUND: 'the name of the host is not known here',
};

function cannotListen(at: ListenAddress, error: NodeJS.ErrnoException): InformerError {
  const where = 'path' in at ? at.path : textOf(at.host, at.port);
  return new InformerError('config', `cannot listen on ${where}: ${error.code ?? error.message}`, {
    hint: HINTS[error.code ?? ''],
  });
}

function addressOf(server: Server, at: ListenAddress): string {
  const address = server.address();
  if ('path' in at || address === null || typeof address === 'string') return 'path' in at ? at.path : String(address);
  return textOf(address.address, address.port);
}

const textOf = (host: string, port: number) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: HttpAnswers['answer'],
): Promise<void> {
  const { method = 'GET', url = '/', headers, socket } = request;
  const peer = { address: socket.remoteAddress, host: headers.host };
  let isTooLarge = false;
  const text = async () => {
    const body = (await requestBody(request, LARGEST_BODY))?.toString('utf8');
    isTooLarge = body === undefined;
    return body;
  };
  const gone = new AbortController();
  response.once('close', () => gone.abort(new InformerError('closed', 'the client has gone')));
  const { signal } = gone;
  const path = url.startsWith('/') ? url : '/';
  const takesTrailers = method !== 'HEAD' && request.httpVersion !== '1.0';
  const given = await answer({ method, url: path, headers, takesTrailers, text, chunks: request, signal }, peer);
  const head = {
    'content-type': given.type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...given.headers,
    ...(isTooLarge ? { connection: 'close' } : {}),
  };
  if ('stream' in given) {
    response.writeHead(given.status, head);
    response.flushHeaders(); // the first line may take long
    if (method === 'HEAD') response.end();
    else await given.stream(response);
    return;
  }
  response.writeHead(given.status, { ...head, 'content-length': Buffer.byteLength(given.body) });
  response.end(method === 'HEAD' ? undefined : given.body);
}
