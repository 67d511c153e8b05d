import { createServer, request as forward, type Server } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy on a local port, and what it was asked for. */
export interface TestProxy extends AsyncDisposable {
  readonly port: number;
  readonly asked: string[];
}

/** Where a proxy connects to, instead of the address that it was asked for. */
type Where = (host: string, port: number) => { readonly host: string; readonly port: number };
const there: Where = (host, port) => ({ host, port });

async function listening(server: Server | TcpServer, asked: string[]): Promise<TestProxy> {
  const sockets = new Set<Duplex>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function joined(one: Duplex, other: Duplex): void {
  one.pipe(other).pipe(one);
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const)
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
}

/** An HTTP proxy: it opens tunnels, forwards requests with a whole URL, and wants a login if it is given one. */
export function httpProxy({ login, where = there }: { login?: string; where?: Where } = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const isAllowed = (header: string | undefined) =>
    login === undefined || header === `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createServer((incoming, response) => {
    const { url = '', method, headers } = incoming;
    asked.push(`${method} ${url}`);
    if (!isAllowed(headers['proxy-authorization'])) return response.writeHead(407).end();
    const { hostname, port, pathname, search } = new URL(url);
    const to = where(hostname, Number(port));
    const { 'proxy-authorization': _login, ...others } = headers;
    const onward = forward({ ...to, method, path: pathname + search, headers: others }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => response.destroy()).pipe(response);
      response.on('close', () => answer.destroy());
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    return void incoming.pipe(onward);
  });
  server.on('connect', ({ url = '', headers }, socket: Socket, head: Buffer) => {
    asked.push(`CONNECT ${url}`);
    if (!isAllowed(headers['proxy-authorization'])) return socket.end('HTTP/1.1 407 Login\r\n\r\n');
    const { hostname, port } = new URL(`http://${url}`);
    const onward = connect(where(hostname, Number(port || 80)), () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      if (head.length > 0) onward.write(head);
      joined(socket, onward);
    });
    return onward.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  });
  return listening(server, asked);
}

/** A SOCKS 5 proxy, which wants a login if it is given one, and may answer each request with a refusal. */
export function socksProxy({
  login,
  where = there,
  reply = 0,
}: {
  login?: string;
  where?: Where;
  reply?: number;
} = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const server = createTcpServer((socket) => {
    let bytes = Buffer.alloc(0);
    let step: 'greeting' | 'login' | 'request' = 'greeting';
    const take = (length: number) => {
      const taken = bytes.subarray(0, length);
      bytes = bytes.subarray(length);
      return taken;
    };
    const advance = () => {
      if (step === 'greeting' && bytes.length >= 2 && bytes.length >= 2 + (bytes[1] ?? 0)) {
        const methods = take(2 + (bytes[1] ?? 0)).subarray(2);
        const wanted = login === undefined ? 0 : 2;
        socket.write(Buffer.from([5, methods.includes(wanted) ? wanted : 0xff]));
        step = login === undefined ? 'request' : 'login';
      } else if (step === 'login') {
        const name = bytes.subarray(2, 2 + (bytes[1] ?? 0));
        const password = bytes.subarray(3 + name.length);
        if (password.length < (bytes[2 + name.length] ?? 1)) return;
        bytes = Buffer.alloc(0);
        socket.write(Buffer.from([1, `${name}:${password}` === login ? 0 : 1]));
        step = 'request';
      } else if (step === 'request' && bytes.length > 5 && bytes.length >= 7 + (bytes[4] ?? 0)) {
        const host = bytes.subarray(5, 5 + (bytes[4] ?? 0)).toString();
        const port = bytes.readUInt16BE(5 + host.length);
        asked.push(`${host}:${port}`);
        socket.off('data', seen);
        // the address of the proxy by name, in two pieces: a reader must not count on one
        socket.write(Buffer.from([5, reply, 0, 3]));
        setImmediate(() => {
          socket.write(Buffer.from([1, 0x61, 0, 80]));
          if (reply === 0) joined(socket, connect(where(host, port)));
        });
      }
    };
    const seen = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      advance();
    };
    socket.on('data', seen);
  });
  return listening(server, asked);
}
