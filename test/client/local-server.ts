import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

export interface LocalServer extends AsyncDisposable {
  url: string;
  /** Every request line with its headers, in the order of arrival. */
  seen: IncomingMessage[];
  /** How many connections were ever made. */
  connections: number;
  server: http.Server | https.Server;
}

type Handler = (request: IncomingMessage, response: ServerResponse, n: number) => void;

export async function localServer(handle: Handler, tls?: https.ServerOptions): Promise<LocalServer> {
  const local: Pick<LocalServer, 'seen' | 'connections'> = { seen: [], connections: 0 };
  const listener = (request: IncomingMessage, response: ServerResponse) => handle(request, response, local.seen.push(request));
  const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
  server.on(tls ? 'secureConnection' : 'connection', () => local.connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(local, {
    url,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

export interface Authority {
  ca: string;
  server: { cert: string; key: string };
  client(name: string): Promise<{ cert: string; key: string }>;
}

/** A certificate authority, a server certificate for the name `api.test` and for 127.0.0.1, and client certificates as needed; in memory only. */
export async function authority(): Promise<Authority> {
  const ca = await generate([{ name: 'commonName', value: 'test-ca' }], {
    keySize: 2048,
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  });
  const signed = async (name: string) => {
    const pem = await generate([{ name: 'commonName', value: name }], {
      keySize: 2048,
      ca: { cert: ca.cert, key: ca.private },
      extensions: [
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'api.test' },
            { type: 7, ip: '127.0.0.1' },
          ],
        },
      ],
    });
    return { cert: pem.cert, key: pem.private };
  };
  return { ca: ca.cert, server: await signed('api.test'), client: signed };
}
