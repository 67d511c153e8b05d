import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../../src/client/http/http-dispatch.ts';
import { NodeConnections } from '../../../src/client/http/node-connections.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { httpProxy, socksProxy, type TestProxy } from '../../support/proxies.ts';
import { socketScript } from '../../support/socket-script.ts';

const MIB = 1 << 20;

const limits = { clock: systemClock, connectTimeoutMs: 5000, keepAliveMs: 5000, tcpProbeMs: 5000 };
let proxies: Record<'http' | 'socks5', TestProxy>;
beforeAll(async () => {
  proxies = { http: await httpProxy(), socks5: await socksProxy() };
});
afterAll(async () => {
  for (const proxy of Object.values(proxies)) await proxy[Symbol.asyncDispose]();
});
const through = (scheme: 'http' | 'socks5') => (origin: string) =>
  new NodeConnections({ origin, tls: {}, proxyUrl: `${scheme}://127.0.0.1:${proxies[scheme].port}`, ...limits });

const MAKERS: [string, (origin: string) => NodeConnections][] = [
  ['that are direct', (origin) => new NodeConnections({ origin, tls: {}, ...limits })],
  ['through an HTTP proxy', through('http')],
  ['through a SOCKS proxy', through('socks5')],
];

const get: HttpRequest = { path: '/', method: 'GET', headers: {}, body: null };

describe.each(MAKERS)('connections %s', (_, make) => {
  async function connected<T>(origin: string, use: (connections: NodeConnections) => Promise<T>): Promise<T> {
    const connections = make(origin);
    try {
      return await use(connections);
    } finally {
      await connections.destroy(new Error('over'));
    }
  }

  it('gives the body to its end, with its status and headers', async () => {
    await using server = await socketScript((_, response) => {
      response.writeHead(200, { 'x-a': '1' });
      for (let i = 0; i < 100; i++) response.write(Buffer.alloc(10_000, i));
      response.end();
    });
    await connected(server.url, async (connections) => {
      const { status, headers, body } = await connections.send(get, new AbortController().signal);
      expect([status, headers['x-a']]).toEqual([200, '1']);
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      expect(bytes.length).toBe(1_000_000);
      expect([0, 50, 99].map((i) => bytes[i * 10_000 + 5])).toEqual([0, 50, 99]);
      expect(await body.next()).toEqual({ done: true, value: undefined });
    });
  });

  it('joins small chunks that arrive together', async () => {
    await using server = await socketScript((_, response) => {
      response.flushHeaders();
      response.cork();
      for (let i = 0; i < 40; i++) response.write(`${i}\n`);
      response.uncork();
      response.end();
    });
    await connected(server.url, async (connections) => {
      const { body } = await connections.send(get, new AbortController().signal);
      const chunks: string[] = [];
      for await (const chunk of body) chunks.push(Buffer.from(chunk).toString());
      expect(chunks.join('').trim().split('\n')).toEqual(Array.from({ length: 40 }, (_, i) => String(i)));
      expect(chunks.length).toBeLessThan(10);
    });
  });

  it('pauses the server while the reader does not read, and resumes with it', async () => {
    const total = 64 * MIB;
    let sent = 0;
    await using server = await socketScript((_, response) => {
      const write = () => {
        while (sent < total) {
          sent += MIB;
          if (!response.write(Buffer.alloc(MIB))) return response.once('drain', write);
        }
        return response.end();
      };
      write();
    });
    await connected(server.url, async (connections) => {
      const { body } = await connections.send(get, new AbortController().signal);
      let before = -1;
      await eventually(() => {
        const isStill = sent === before;
        before = sent;
        return isStill;
      });
      expect(sent).toBeLessThan(total / 2);
      let length = 0;
      for await (const chunk of body) length += chunk.length;
      expect(length).toBe(total);
    });
  });

  it('rejects at once with the reason of a signal that aborts before there is an answer', async () => {
    await using server = await socketScript(() => {});
    await connected(server.url, async (connections) => {
      const controller = new AbortController();
      const answer = connections.send(get, controller.signal);
      controller.abort(new Error('enough'));
      await expect(answer).rejects.toThrow('enough');
      await expect(connections.send(get, controller.signal)).rejects.toThrow('enough');
    });
  });

  it('aborts a body with its signal, and drops unread bytes', async () => {
    let isClosed = false;
    await using server = await socketScript((_, response) => {
      response.on('close', () => (isClosed = true));
      response.write('some');
    });
    await connected(server.url, async (connections) => {
      const controller = new AbortController();
      const { body } = await connections.send(get, controller.signal);
      await body.next();
      const next = body.next();
      controller.abort(new Error('enough'));
      await expect(next).rejects.toThrow('enough');
      await expect(body.next()).rejects.toThrow('enough');
      await eventually(() => isClosed);
    });
  });

  it('closes the connection of a body that is closed, also before it was read', async () => {
    let isClosed = false;
    await using server = await socketScript((_, response) => {
      response.on('close', () => (isClosed = true));
      response.write('some');
    });
    await connected(server.url, async (connections) => {
      const { body } = await connections.send(get, new AbortController().signal);
      body.close();
      await eventually(() => isClosed);
    });
  });

  it('gives the bytes that arrived before the connection broke, then rejects', async () => {
    await using server = await socketScript((_, response) => {
      response.write('some');
      setImmediate(() => response.destroy());
    });
    await connected(server.url, async (connections) => {
      const { body } = await connections.send(get, new AbortController().signal);
      expect(Buffer.from((await body.next()).value ?? []).toString()).toBe('some');
      await expect(body.next()).rejects.toThrow();
    });
  });

  it.each(['POST', 'DELETE'])('says how long the body of a %s is, and sends it', async (method) => {
    const heard: string[] = [];
    await using server = await socketScript(async (request, response) => {
      for await (const chunk of request) heard.push(String(chunk));
      response.end(request.headers['content-length']);
    });
    await connected(server.url, async (connections) => {
      const { body } = await connections.send({ ...get, method, body: '{"ä":1}' }, new AbortController().signal);
      expect(Buffer.from((await body.next()).value ?? []).toString()).toBe('8');
    });
    expect(heard).toEqual(['{"ä":1}']);
  });

  it('lets open exchanges end when it closes, and aborts them when it is destroyed', async () => {
    let finish = () => {};
    await using server = await socketScript((_, response) => {
      response.write('some');
      finish = () => response.end('more');
    });
    await connected(server.url, async (connections) => {
      const { body } = await connections.send(get, new AbortController().signal);
      expect(Buffer.from((await body.next()).value ?? []).toString()).toBe('some');
      const closing = connections.close();
      finish();
      expect(Buffer.from((await body.next()).value ?? []).toString()).toBe('more');
      expect((await body.next()).done).toBe(true);
      await closing;
    });
    await connected(server.url, async (connections) => {
      const { body } = await connections.send(get, new AbortController().signal);
      await body.next();
      await connections.destroy(new Error('it is over'));
      await expect(body.next()).rejects.toThrow('it is over');
    });
  });
});

it('Node’s own client uses a connection again', async () => {
  const ports = new Set<number | undefined>();
  await using server = await socketScript((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('ok');
  });
  const [, make] = MAKERS[0] as (typeof MAKERS)[number];
  const connections = make(server.url);
  try {
    for (let i = 0; i < 3; i++) {
      const { body } = await connections.send(get, new AbortController().signal);
      for await (const _ of body);
    }
  } finally {
    await connections.destroy(new Error('over'));
  }
  expect(ports.size).toBe(1);
});
