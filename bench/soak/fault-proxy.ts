import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';
import { type ConnectionOptions, createServer, type Server, type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { Identity } from './identities.ts';

/**
 * What a network does. `reset`: connections end and new ones are refused. `black hole`: nothing is answered any more,
 * on old connections and new ones. `half-open`: the same for the connections that are there, while new ones work.
 * `page` and `redirect`: what a load balancer or a login page answers. `slow`: few bytes a second.
 */
export type NetworkFault = 'reset' | 'black hole' | 'page' | 'redirect' | 'slow';

const PAGE = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n';
const ANSWERS = {
  page: `HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}\r\nConnection: close\r\n\r\n${PAGE}`,
  redirect:
    'HTTP/1.1 302 Found\r\nLocation: https://login.example.com/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
};
/** The bytes a second of a slow network, in pieces of a tenth of it. */
const SLOW_BYTES = 20_000;

/** The server behind a network. */
export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
  /** How to connect to one with TLS. */
  readonly tls?: ConnectionOptions;
}

interface Pair {
  readonly client: TLSSocket;
  readonly server: Socket;
  readonly gate: Gate;
}

/** Ends TLS in front of a server, and breaks what passes through. Knows how long each fault lasted. */
export class FaultProxy {
  readonly #target: ProxyTarget;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #sockets = new Set<Socket>();
  #fault: NetworkFault | undefined;
  accepted = 0;

  private constructor(target: ProxyTarget, { cert, key }: Identity) {
    this.#target = target;
    this.#server = createServer({ cert, key }, (socket) => this.#accept(socket));
    this.#server.on('tlsClientError', () => {});
    this.#server.on('connection', (socket: Socket) => {
      this.#keep(socket);
      this.accepted++;
      if (this.#fault === 'reset') socket.resetAndDestroy();
    });
  }

  static async start(target: ProxyTarget, identity: Identity): Promise<FaultProxy> {
    const proxy = new FaultProxy(target, identity);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks the network until {@link heal}. */
  break(fault: NetworkFault): void {
    this.#fault = fault;
    if (fault === 'slow') for (const { gate } of this.#pairs) gate.bytesASecond = SLOW_BYTES;
    else if (fault === 'black hole') for (const { gate } of this.#pairs) gate.isShut = true;
    else this.reset();
  }

  heal(): void {
    this.#fault = undefined;
    for (const pair of this.#pairs) {
      if (pair.gate.isShut) pair.client.destroy();
      pair.gate.bytesASecond = Number.POSITIVE_INFINITY;
    }
  }

  /** Ends all connections once. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Ends all connections after a few more bytes of their answers, wherever these fall. */
  cutAfter(bytes: number): void {
    for (const { gate } of this.#pairs) gate.left = bytes;
  }

  /** The connections that are there answer nothing any more. Returns a way to end them. */
  halfOpen(): () => void {
    const pairs = [...this.#pairs];
    for (const { gate } of pairs) gate.isShut = true;
    return () => {
      for (const { client } of pairs) client.destroy();
    };
  }

  /** Connections from now on see another certificate of the same authority. */
  rotate({ cert, key }: Identity): void {
    this.#server.setSecureContext({ cert, key });
    this.reset();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: TLSSocket): void {
    client.on('error', () => {});
    const fault = this.#fault;
    if (fault === 'page' || fault === 'redirect') {
      client.once('data', () => client.end(ANSWERS[fault]));
      return;
    }
    const { host, port, tls } = this.#target;
    const wire = connect({ host, port });
    this.#keep(wire);
    const server = tls ? tlsConnect({ ...tls, socket: wire }).on('error', () => {}) : wire;
    const gate = new Gate(() => client.destroy());
    gate.isShut = fault === 'black hole';
    if (fault === 'slow') gate.bytesASecond = SLOW_BYTES;
    const pair = { client, server, gate };
    this.#pairs.add(pair);
    client.pipe(server).pipe(gate).pipe(client);
    client.once('close', () => {
      this.#pairs.delete(pair);
      gate.destroy();
      server.destroy();
    });
    server.once('close', () => !gate.isShut && client.destroySoon());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true).on('error', () => {}); // a fault is one
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** Lets answers pass, slowly, up to a byte, or not at all. */
class Gate extends Transform {
  isShut = false;
  left = Number.POSITIVE_INFINITY;
  bytesASecond = Number.POSITIVE_INFINITY;
  readonly #onLast: () => void;

  constructor(onLast: () => void) {
    super();
    this.#onLast = onLast;
    this.on('error', () => {});
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (this.isShut) return; // never done: the server is not read any more
    if (chunk.length >= this.left) {
      this.push(chunk.subarray(0, this.left));
      this.isShut = true;
      setTimeout(this.#onLast, 5);
      return;
    }
    this.left -= chunk.length;
    this.push(chunk);
    if (this.bytesASecond === Number.POSITIVE_INFINITY) done();
    else setTimeout(done, (chunk.length / this.bytesASecond) * 1000);
  }
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
