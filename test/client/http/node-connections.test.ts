import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../../src/client/http/http-dispatch.ts';
import { NodeConnections } from '../../../src/client/http/node-connections.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { rawSocketScript } from '../../support/socket-script.ts';

const get: HttpRequest = { path: '/', method: 'GET', headers: {}, body: null };

/** Answers each request with the bytes of the test. */
const scripted = (answer: (socket: Socket, request: string) => void) =>
  rawSocketScript((socket) => socket.on('data', (chunk) => answer(socket, chunk.toString('latin1'))));

function connect(origin: string): NodeConnections & AsyncDisposable {
  const connections = new NodeConnections({
    origin,
    tls: {},
    clock: systemClock,
    connectTimeoutMs: 5000,
    keepAliveMs: 5000,
    tcpProbeMs: 5000,
  });
  return Object.assign(connections, { [Symbol.asyncDispose]: () => connections.destroy(new Error('over')) });
}

/** Waits for turns of the event loop, so that sent bytes can arrive. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

describe('a body whose connection closes', () => {
  const CUT: [string, string][] = [
    ['before the length it promised', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
    ['before its last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'],
    ['within a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\nabc'],
    ['within its last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n'],
  ];
  it.each(CUT)('%s is broken', async (_, bytes) => {
    await using server = await scripted((socket) => socket.end(bytes));
    await using connections = connect(server.url);
    const { body } = await connections.send(get, new AbortController().signal);
    await expect(textOf(body)).rejects.toThrow('other side closed');
  });

  it('and that has no other end is whole', async () => {
    await using server = await scripted((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nabc'));
    await using connections = connect(server.url);
    expect(await textOf((await connections.send(get, new AbortController().signal)).body)).toBe('abc');
  });

  it.each([1, 20, 40, 100])(
    'is whole for a reader that comes late, when all of it had come: %d KiB behind the first pause',
    async (more) => {
      const length = 256 * 1024 + more * 1024;
      const piece = `400\r\n${'x'.repeat(1024)}\r\n`;
      let isSent = false;
      await using server = await scripted((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n');
        socket.end(`${piece.repeat(length / 1024)}0\r\n\r\n`, () => (isSent = true));
      });
      await using connections = connect(server.url);
      const { body } = await connections.send(get, new AbortController().signal);
      await eventually(() => isSent);
      // what was sent has been read, or waits
      for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
      expect((await textOf(body)).length).toBe(length);
    },
  );
});

describe('answers without a body', () => {
  it.each(['204 No Content', '304 Not Modified'])('end at once: %s', async (status) => {
    await using server = await scripted((socket) => socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 7\r\n\r\n`));
    await using connections = connect(server.url);
    expect(await textOf((await connections.send(get, new AbortController().signal)).body)).toBe('');
  });
  it('to HEAD end at once, whatever their length header says', async () => {
    await using server = await scripted((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n'));
    await using connections = connect(server.url);
    expect(await textOf((await connections.send({ ...get, method: 'HEAD' }, new AbortController().signal)).body)).toBe(
      '',
    );
  });
});

it('informational responses are skipped', async () => {
  await using server = await scripted((socket) =>
    socket.write(
      'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
    ),
  );
  await using connections = connect(server.url);
  const { status, body } = await connections.send(get, new AbortController().signal);
  expect([status, await textOf(body)]).toEqual([200, 'ok']);
});

it('an answer that switches protocols is refused', async () => {
  await using server = await scripted((socket) =>
    socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  );
  await using connections = connect(server.url);
  await expect(connections.send(get, new AbortController().signal)).rejects.toThrow('other side closed');
});

it.each(['not http at all\r\n\r\n', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`])(
  'an answer that cannot be read is an error: %#',
  async (bytes) => {
    await using server = await scripted((socket) => socket.write(bytes));
    await using connections = connect(server.url);
    await expect(connections.send(get, new AbortController().signal)).rejects.toThrow();
  },
);

it('two callers of close() both resolve', async () => {
  let reply = () => {};
  await using server = await scripted(
    (socket) => (reply = () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')),
  );
  await using connections = connect(server.url);
  const answer = connections.send(get, new AbortController().signal);
  const closing = [connections.close(), connections.close()];
  await eventually(() => expect(server.sockets.size).toBe(1));
  await turns(20);
  reply();
  expect(await textOf((await answer).body)).toBe('ok');
  await Promise.all(closing);
});

it('ten thousand requests leave nothing on a signal and a connection', async () => {
  await using server = await scripted((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
  await using connections = connect(server.url);
  for (let i = 0; i < 10_000; i++) await textOf((await connections.send(get, new AbortController().signal)).body);
  expect(server.sockets.size).toBe(1);
});

it('bytes that break the protocol after an abort do no harm', async () => {
  await using server = await scripted((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n');
    setImmediate(() => socket.write('garbage\r\n'));
  });
  await using connections = connect(server.url);
  for (let i = 0; i < 20; i++) {
    const ending = new AbortController();
    const { body } = await connections.send(get, ending.signal);
    const read = textOf(body);
    if (i % 2 === 0) ending.abort(new Error('enough'));
    await expect(read).rejects.toThrow();
    body.close();
  }
  await eventually(() => expect(server.sockets.size).toBe(0));
});
