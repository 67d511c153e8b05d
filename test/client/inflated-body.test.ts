import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { staticConfig } from '../../src/client/cluster-config.ts';
import { createTransport } from '../../src/client/http-transport.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { socketScript } from '../support/socket-script.ts';

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

it.each(BODIES)('a compressed body that %s is an error for its reader, however late that comes, and for nobody else', async (_, bytes) => {
  await using server = await socketScript((__, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(bytes);
  });
  const transport = createTransport(staticConfig({ server: server.url }), { clock: new FakeClock() });
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
});
