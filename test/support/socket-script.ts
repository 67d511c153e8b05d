import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';

export interface SocketScript extends AsyncDisposable {
  url: string;
  /** Every request line with its headers, in the order of arrival. */
  seen: IncomingMessage[];
  /** How many connections were ever made. */
  connections: number;
  server: http.Server | https.Server;
}

type Handler = (request: IncomingMessage, response: ServerResponse, n: number) => void;

/**
 * A listening socket that does with each request what a test says.
 *
 * It is no API server: nothing here knows a resource. It is for what lies below the API, where the sandbox has no say:
 * client certificates asked for and refused, connections counted, kept, reset or left without an answer, headers
 * without a body, bodies that trickle, proxies, redirects, compression that lies. Where a test needs answers about
 * objects as well, the handler passes requests on to a sandbox.
 */
export async function socketScript(handle: Handler, tls?: https.ServerOptions): Promise<SocketScript> {
  const local: Pick<SocketScript, 'seen' | 'connections'> = { seen: [], connections: 0 };
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    handle(request, response, local.seen.push(request));
  const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
  server.on(tls ? 'secureConnection' : 'connection', () => local.connections++);
  const port = await listening(server);
  return Object.assign(local, {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

export interface RawSocketScript extends AsyncDisposable {
  url: string;
  server: net.Server;
  /** Those that are open. */
  sockets: ReadonlySet<Socket>;
}

/** The same a layer below: each connection is the test's, down to the bytes. What is still open is reset at the end. */
export async function rawSocketScript(handle: (socket: Socket) => void = () => {}): Promise<RawSocketScript> {
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    handle(socket);
  });
  return {
    url: `http://127.0.0.1:${await listening(server)}`,
    server,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listening(server: net.Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
