import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { builtin } from '../../kit/builtin.ts';
import type { Clock } from '../../kit/clock.ts';
import { messageOf } from '../../kit/error.ts';

/** Settings of a {@link ProxyRoute}. */
export interface ProxyRouteOptions {
  /** `http://`, `https://`, `socks5://` or `socks5h://`, with a login or without one. */
  readonly proxyUrl: string;
  /** The server behind the proxy, `https://host:port`. */
  readonly origin: string;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
}

/**
 * The way to a server through a proxy: a tunnel, by CONNECT or SOCKS 5. The server of a plain `http:` URL is reached
 * without a tunnel through an HTTP proxy, which gets the whole URL. The proxy resolves the name of the server. The
 * certificate of an `https:` proxy is always checked, against the authorities of Node.
 * Source: RFC 9110 (9.3.6), RFC 1928, RFC 1929; golang.org/x/net/proxy and net/http, which kubectl uses.
 */
export class ProxyRoute {
  readonly #proxy: URL;
  readonly #options: ProxyRouteOptions;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #open = new Set<Duplex>();
  #destroyed: (() => never) | undefined;

  constructor(options: ProxyRouteOptions) {
    const { protocol, hostname, port } = new URL(options.origin);
    this.#options = options;
    this.#proxy = new URL(options.proxyUrl);
    this.#target = { host: bare(hostname), port: Number(port || (protocol === 'https:' ? 443 : 80)) };
  }

  /** Comes before the path of a request, for a proxy that gets the whole URL. */
  get pathPrefix(): string {
    return this.#hasTunnel ? '' : this.#options.origin;
  }

  /** The headers of each request that the proxy itself reads. */
  get headers(): Readonly<Record<string, string>> {
    return this.#hasTunnel ? {} : this.#login;
  }

  /**
   * Opens a socket that leads to the server. It has no TLS of the server yet. Rejects if the proxy cannot be reached, or
   * does not connect.
   */
  async connect(): Promise<Duplex> {
    const { clock, connectTimeoutMs } = this.#options;
    this.#destroyed?.();
    const socket = this.#dial();
    socket.on('error', () => {}); // it may come between two steps; the next one finds the socket destroyed
    this.#open.add(socket);
    const late = () => socket.destroy(Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' }));
    using _timer = clock.after(connectTimeoutMs, late);
    try {
      if (this.#isSocks) await this.#socks(socket);
      else if (this.#hasTunnel) await this.#tunnel(socket);
      else await connected(socket);
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      this.#open.delete(socket);
    }
  }

  /** Ends what is being opened. */
  destroy(reason: Error): void {
    this.#destroyed = () => {
      throw reason;
    };
    for (const socket of this.#open) socket.destroy(reason);
  }

  get #isSocks(): boolean {
    return this.#proxy.protocol.startsWith('socks');
  }

  get #hasTunnel(): boolean {
    return this.#isSocks || this.#options.origin.startsWith('https:');
  }

  get #user(): { readonly name: string; readonly password: string } | undefined {
    const { username, password } = this.#proxy;
    if (username === '' && password === '') return undefined;
    return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
  }

  get #login(): Readonly<Record<string, string>> {
    const user = this.#user;
    if (!user) return {};
    return { 'proxy-authorization': `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}` };
  }

  #dial(): Socket {
    const { protocol, hostname, port } = this.#proxy;
    const host = bare(hostname);
    const { connect, isIP } = builtin.net();
    if (protocol !== 'https:') return connect({ host, port: Number(port || (this.#isSocks ? 1080 : 80)) });
    const servername = isIP(host) ? '' : host;
    const options: ConnectionOptions = { host, port: Number(port || 443), servername, rejectUnauthorized: true };
    return builtin.tls().connect({ ...options, ALPNProtocols: ['http/1.1'] });
  }

  #tunnel(socket: Socket): Promise<void> {
    const { host, port } = this.#target;
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    return new Promise((resolve, reject) => {
      builtin
        .http()
        .request({
          createConnection: () => socket,
          method: 'CONNECT',
          path: authority,
          headers: { host: authority, ...this.#login },
        })
        .on('connect', ({ statusCode }, _, head) => {
          if (statusCode !== 200) return reject(new Error(`the proxy answered ${statusCode}`));
          if (head.length > 0) socket.unshift(head);
          return resolve();
        })
        .on('error', reject)
        .end();
    });
  }

  async #socks(socket: Socket): Promise<void> {
    const user = this.#user;
    socket.write(Buffer.from(user ? [SOCKS, 2, NO_LOGIN, PASSWORD] : [SOCKS, 1, NO_LOGIN]));
    const [version, method] = await read(socket, 2);
    if (version !== SOCKS) throw new Error('the proxy does not speak SOCKS 5');
    if (method === PASSWORD && user) {
      socket.write(Buffer.concat([Buffer.from([1]), short(user.name), short(user.password)]));
      const [, status] = await read(socket, 2);
      if (status !== 0) throw new Error('the proxy refused the login');
    } else if (method !== NO_LOGIN) throw new Error('the proxy wants a login of another kind');
    const { host, port } = this.#target;
    const name = Buffer.concat([Buffer.from([BY_NAME]), short(host)]);
    socket.write(Buffer.concat([Buffer.from([SOCKS, 1, 0]), name, Buffer.from([port >> 8, port & 0xff])]));
    const [, reply = 1, , kind] = await read(socket, 4);
    if (reply !== 0) throw refusal(reply);
    const [length = 0] = kind === BY_NAME ? await read(socket, 1) : [kind === 4 ? 16 : 4];
    await read(socket, length + 2); // the address that the proxy uses
  }
}

const SOCKS = 5;
const NO_LOGIN = 0;
const PASSWORD = 2;
const BY_NAME = 3;

/** The replies of a proxy that have a code of the system. Source: RFC 1928, section 6. */
const REFUSALS: Readonly<Record<number, readonly [code: string, words: string]>> = {
  2: ['EACCES', 'its rules do not allow it'],
  3: ['ENETUNREACH', 'network unreachable'],
  4: ['EHOSTUNREACH', 'host unreachable'],
  5: ['ECONNREFUSED', 'connection refused'],
  6: ['ETIMEDOUT', 'the connection timed out'],
};

function refusal(reply: number): Error {
  const [code, words] = REFUSALS[reply] ?? [undefined, `SOCKS reply ${reply}`];
  return Object.assign(new Error(`the proxy did not connect: ${words}`), code && { code });
}

/** A text of at most 255 bytes, after its length. */
function short(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length <= 0xff) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  throw new Error('the login of the proxy, or the name of the server, is longer than 255 bytes');
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** Resolves when the socket is connected, with its TLS. */
function connected(socket: Socket): Promise<void> {
  return until(socket, 'encrypted' in socket ? 'secureConnect' : 'connect', () => true);
}

/** Exactly `length` bytes of the socket. */
async function read(socket: Socket, length: number): Promise<Buffer> {
  const read: Buffer[] = [];
  await until(socket, 'readable', () => {
    const bytes: Buffer | null = socket.read(length);
    if (bytes) read.push(bytes);
    return bytes !== null;
  });
  return Buffer.concat(read);
}

/** Resolves when an event came and `isDone` says so. Rejects if the socket fails or ends before. */
function until(socket: Socket, event: string, isDone: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown) => {
      socket.off(event, look).off('error', settle).off('end', ended).off('close', ended);
      if (error === undefined) resolve();
      else reject(error instanceof Error ? error : new Error(messageOf(error)));
    };
    const look = () => isDone() && settle();
    const ended = () => settle(Object.assign(new Error('the proxy closed the connection'), { code: 'ECONNRESET' }));
    socket.on(event, look).on('error', settle).on('end', ended).on('close', ended);
    if (event === 'readable') look();
    if (socket.destroyed || socket.readableEnded) ended();
  });
}
