import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** How a network is cut. `reset` ends connections and refuses new ones; `black hole` answers nothing and says nothing. */
export type Cut = 'reset' | 'black hole';

/** A TCP proxy whose connections can be cut. What was under way during a cut never arrives. */
export class CuttingProxy {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cut: Cut | undefined;

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
    // nothing is read before there is a way to the server
    this.#server = createServer({ pauseOnConnect: true }, (socket) => this.#accept(socket));
  }

  static async start({ hostname, port }: URL): Promise<CuttingProxy> {
    const proxy = new CuttingProxy({ host: hostname, port: Number(port) });
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(how: Cut): void {
    this.#cut = how;
    for (const socket of this.#sockets) {
      if (how === 'reset') socket.resetAndDestroy();
      else socket.unpipe().pause();
    }
  }

  heal(): void {
    if (this.#cut === 'black hole') for (const socket of this.#sockets) socket.resetAndDestroy();
    this.#cut = undefined;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    this.#keep(client);
    if (this.#cut === 'reset') client.resetAndDestroy();
    if (this.#cut !== undefined) return;
    const server = connect(this.#target);
    this.#keep(server);
    client.pipe(server).pipe(client);
    client.once('close', () => server.destroy());
    server.once('close', () => client.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true).on('error', () => {}); // a cut is one
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
