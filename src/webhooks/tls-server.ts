import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../kit/certificate.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { requestBody } from '../kit/request-body.ts';

/** One request: the path, the query, and the body of a POST. */
export interface TlsRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Undefined for a body that is too large. */
  readonly body: string | undefined;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

export interface TlsAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** The API server sends an object at most twice; one has at most 3 MiB. */
const LARGEST_BODY = 8 * 1024 * 1024;
const REQUEST_MS = 10_000;

/** An HTTPS server whose certificate can be replaced while it runs. */
export class TlsServer {
  readonly #server: Server;
  readonly address: { readonly host: string; readonly port: number };

  private constructor(server: Server) {
    this.#server = server;
    const { address, port } = server.address() as AddressInfo;
    this.address = { host: address, port };
  }

  /** Rejects with `config` if the address cannot be used. */
  static async listen(
    at: { readonly host: string | undefined; readonly port: number },
    certificate: Certificate,
    answer: (request: TlsRequest) => Promise<TlsAnswer>,
  ): Promise<TlsServer> {
    const server = createServer({ ...certificate, minVersion: 'TLSv1.2' }, (incoming, outgoing) => {
      void exchange(incoming, outgoing, answer);
    });
    server.requestTimeout = REQUEST_MS;
    server.headersTimeout = REQUEST_MS;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) =>
        reject(new InformerError('config', `the webhook server cannot listen on port ${at.port}`, { cause })),
      );
      server.listen({ port: at.port, ...(at.host === undefined ? {} : { host: at.host }) }, resolve);
    });
    server.on('tlsClientError', () => {}); // TLS says it to a client that does not trust the certificate
    return new TlsServer(server);
  }

  /** New connections get this certificate; open ones keep theirs. */
  replace(certificate: Certificate): void {
    this.#server.setSecureContext({ ...certificate, minVersion: 'TLSv1.2' });
  }

  /** Takes no new request, and waits for `graceMs` until those that are open have their answers. */
  async close(clock: Clock, graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    using _late = clock.after(graceMs, () => this.#server.closeAllConnections());
    await closed;
  }
}

async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: TlsRequest) => Promise<TlsAnswer>,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  try {
    const body = (await requestBody(incoming, LARGEST_BODY))?.toString('utf8');
    const { method = 'GET', url = '/' } = incoming;
    const [path = '/', query = ''] = url.split('?', 2);
    const given = await answer({ method, path, query: new URLSearchParams(query), body, signal: gone.signal });
    outgoing.writeHead(given.status, { 'content-type': given.type }).end(given.body);
  } catch {
    outgoing.destroy(); // the client has gone
  }
}
