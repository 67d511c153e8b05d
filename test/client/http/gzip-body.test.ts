import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createConfig } from '../../../src/client/config/cluster-config.ts';
import { createTransport } from '../../../src/client/http/http-transport.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { socketScript } from '../../support/socket-script.ts';

const TEXT = JSON.stringify({ items: Array.from({ length: 100 }, (_, i) => i) });
const WHOLE = gzipSync(TEXT);

const BODIES: [string, Buffer][] = [
  ['is cut', WHOLE.subarray(0, WHOLE.length - 20)],
  ['is empty', Buffer.alloc(0)],
  ['is none', Buffer.from(TEXT)],
  ['is spoilt', Buffer.concat([WHOLE.subarray(0, 40), Buffer.alloc(40), WHOLE.subarray(80)])],
];

async function readAll(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}

it.each(BODIES)(
  'a compressed body that %s is an error for its reader, however late it reads, and is not unhandled',
  async (_, bytes) => {
    await using server = await socketScript((__, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(bytes);
    });
    const transport = createTransport(createConfig({ server: server.url }), { clock: new FakeClock() });
    const thrown: unknown[] = [];
    const heard = (error: unknown) => thrown.push(error);
    process.on('uncaughtExceptionMonitor', heard);
    try {
      for (const isRead of [true, false]) {
        const { body } = await transport.request({ method: 'GET', path: '/' });
        for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve));
        if (isRead) await expect(readAll(body)).rejects.toMatchObject({ code: 'transport' });
        else await body[Symbol.asyncIterator]().return?.();
      }
      for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
      expect(thrown).toEqual([]);
    } finally {
      process.off('uncaughtExceptionMonitor', heard);
      await transport.close();
    }
  },
);

/** Bytes of one letter, compressed by a factor of a thousand. */
function bomb(bytes: number): Buffer {
  return gzipSync(Buffer.alloc(bytes, 'x'));
}

it('a gzip bomb is an error with the limit soon after 64 MiB of text, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await socketScript((_, response) => {
    response.on('close', closed.resolve);
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.write(bomb(256 * 1024 * 1024)); // and more would come
  });
  const transport = createTransport(createConfig({ server: server.url }), { clock: new FakeClock() });
  const { body } = await transport.request({ method: 'GET', path: '/' });
  let length = 0;
  const reading = (async () => {
    for await (const chunk of body) length += chunk.length;
  })();
  await expect(reading).rejects.toMatchObject({
    code: 'decode',
    message: expect.stringMatching(/gzip expands more than the limit of 400 times: its first \d+ bytes became \d+/),
  });
  expect(length).toBeLessThan(65 * 1024 * 1024);
  await closed.promise;
  await transport.close();
});

it('a short text that compresses as well as a bomb, and lists that compress well, are read whole', async () => {
  const list = JSON.stringify({
    items: Array.from({ length: 200_000 }, (_, i) => ({ metadata: { name: `web-${i}`, labels: { app: 'web' } } })),
  });
  const texts = [Buffer.alloc(1024 * 1024, 'x'), Buffer.from(list.repeat(8))];
  await using server = await socketScript((_, response, n) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(texts[n - 1] as Buffer, { level: 1 }));
  });
  const transport = createTransport(createConfig({ server: server.url }), { clock: new FakeClock() });
  for (const text of texts) {
    const { body } = await transport.request({ method: 'GET', path: '/' });
    const parts: Uint8Array[] = [];
    for await (const chunk of body) parts.push(chunk);
    expect(Buffer.concat(parts).equals(text)).toBe(true);
  }
  expect((texts[1] as Buffer).length).toBeGreaterThan(64 * 1024 * 1024);
  await transport.close();
});
