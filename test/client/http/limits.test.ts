import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { ItemsSplitter } from '../../../src/client/decode/items-splitter.ts';
import { readList } from '../../../src/client/decode/list-body.ts';
import { WatchStream } from '../../../src/client/decode/watch-body.ts';
import { WatchDecoder } from '../../../src/client/decode/watch-decoder.ts';
import { Discovery } from '../../../src/client/discovery/discovery.ts';
import { LARGEST_CREDENTIAL, LARGEST_ERROR_BODY, LARGEST_OBJECT } from '../../../src/client/http/limits.ts';
import type { InformerError } from '../../../src/kit/error.ts';
import { UnreadableObject } from '../../../src/model/unreadable.ts';
import { bytes, cut, scriptedBytes } from '../../support/scripted-bytes.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

function thrownBy(run: () => unknown): InformerError {
  try {
    run();
  } catch (error) {
    return error as InformerError;
  }
  return expect.unreachable();
}

const event = (name: string, rest = '', type = 'MODIFIED') =>
  `{"type":"${type}","object":{"kind":"Pod","metadata":{"name":"${name}","namespace":"shop","uid":"u-${name}","resourceVersion":"7"},"spec":{"a":"${rest}"}}}\n`;

describe('a line of a watch beyond the limit', () => {
  const limit = 300;

  it.each([1, 7, 100, 10_000])(
    'becomes an event that names its object, and the stream goes on, in chunks of %d bytes',
    (length) => {
      const text =
        event('small') + event('large', 'x'.repeat(1000)) + event('next') + event('last', 'y'.repeat(limit), 'DELETED');
      const decoder = new WatchDecoder<{ metadata: object }>({ limit });
      const events = [...cut(text, [length]).flatMap((chunk) => decoder.push(chunk)), ...decoder.finish()];
      expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'MODIFIED', 'MODIFIED', 'DELETED']);
      const [small, large, next, last] = events.map(({ object }) => object);
      expect([small, next]).toMatchObject([{ metadata: { name: 'small' } }, { metadata: { name: 'next' } }]);
      expect(large).toBeInstanceOf(UnreadableObject);
      expect(large).toMatchObject({
        metadata: { name: 'large', namespace: 'shop', uid: 'u-large', resourceVersion: '7' },
      });
      expect((large as unknown as UnreadableObject).error.message).toBe(
        `a line of the watch about "shop/large", from byte ${event('small').length} of the response, is longer than the limit of 300 bytes`,
      );
      expect(last).toBeInstanceOf(UnreadableObject);
    },
  );

  it('reads no name from another field with that name', () => {
    const decoder = new WatchDecoder({ limit });
    const line = `{"type":"ADDED","object":{"data":{"metadata":{"name":"wrong"},"a":"${'x'.repeat(400)}"},"metadata":{"name":"right"}}}\n`;
    const cutOff = new WatchDecoder({ limit }).push(
      Buffer.from(`{"type":"ADDED","object":{"data":{"name":"wrong","a":"${'x'.repeat(400)}"}}}\n`),
    );
    expect(decoder.push(Buffer.from(line))[0]?.object).toMatchObject({ metadata: { name: 'right' } });
    expect(cutOff[0]?.object).toMatchObject({ metadata: {} });
  });

  it.each([
    ['is no event', `${'x'.repeat(1000)}\n`],
    ['is an error or a bookmark', event('a', 'x'.repeat(1000), 'ERROR')],
  ])('that %s is an error with its offset and the limit', (_, line) => {
    for (const length of [3, 10_000]) {
      const decoder = new WatchDecoder({ limit });
      const error = thrownBy(() => {
        for (const chunk of cut(event('first') + line, [length])) decoder.push(chunk);
        decoder.finish();
      });
      expect(error).toMatchObject({
        code: 'decode',
        message: expect.stringContaining(`from byte ${event('first').length} of the response`),
      });
      expect(error.message).toContain('300 bytes');
    }
  });

  it('is skipped up to a limit', () => {
    const decoder = new WatchDecoder({ limit, mostSkipped: 1000 });
    decoder.push(Buffer.from(event('endless', 'x'.repeat(1000)).slice(0, 1000)));
    decoder.push(Buffer.alloc(300, 'x'));
    expect(thrownBy(() => decoder.push(Buffer.alloc(1, 'x')))).toMatchObject({ code: 'decode' });
  });

  it('in which the connection ends was cut, and is not too long', () => {
    const decoder = new WatchDecoder({ limit });
    decoder.push(Buffer.from(event('a', 'x'.repeat(1000)).slice(0, 900)));
    expect(thrownBy(() => decoder.finish())).toMatchObject({ code: 'transport' });
  });
});

it('events before a broken line are returned first, also from one chunk, and the error follows without a further chunk', async () => {
  const never = new Promise<void>(() => {});
  async function* body() {
    yield Buffer.from(`${event('a')}${event('b')}nonsense\n${event('c')}`);
    await never;
  }
  const stream = new WatchStream(body(), {
    gvr: { group: '', version: 'v1', resource: 'pods' },
    table: false,
    dropManagedFields: true,
  });
  const { value } = await stream.next();
  expect(value).toMatchObject([{ object: { metadata: { name: 'a' } } }, { object: { metadata: { name: 'b' } } }]);
  await expect(stream.next()).rejects.toMatchObject({
    code: 'decode',
    message: expect.stringContaining(`byte ${2 * event('a').length} `),
  });
});

describe('a part of a list beyond the limit', () => {
  const item = (name: string, length: number) =>
    `{"metadata":{"name":"${name}","namespace":"shop"},"spec":{"a":"${'x'.repeat(length)}"}}`;
  const head = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[';

  it.each([1, 7, 100, 10_000])(
    'is an error that names the item, its offset and the limit, in chunks of %d bytes',
    (length) => {
      const before = `${head}${item('a', 20)},${item('b', 20)},`;
      const splitter = new ItemsSplitter({ limit: 200 });
      const error = thrownBy(() => {
        for (const chunk of cut(`${before}${item('large', 500)},${item('c', 20)}]}`, [length])) splitter.push(chunk);
        splitter.finish();
      });
      expect(error.code).toBe('decode');
      expect(error.message).toBe(
        `an item of the list ("shop/large"), from byte ${before.length} of the response, is longer than the limit of 200 bytes`,
      );
    },
  );

  it('is found out before its end has come', () => {
    const splitter = new ItemsSplitter({ limit: 200 });
    splitter.push(Buffer.from(`${head}${item('large', 500)}`.slice(0, head.length + 200)));
    expect(thrownBy(() => splitter.push(Buffer.from('x')))).toMatchObject({ code: 'decode' });
  });

  it.each(['{"metadata":{"x":"', '{"', '{"a":[1,2,'])('may be a field: %s', (text) => {
    const splitter = new ItemsSplitter({ limit: 200 });
    expect(thrownBy(() => splitter.push(Buffer.from(text + '3'.repeat(300)))).message).toContain('a field of the list');
  });
});

it.each([
  ['{"kind":"PodList","apiVersion":"v1","items":[null]}', 'an item that is not an object but null'],
  ['{"items":[7],"kind":"PodList","apiVersion":"v1"}', 'an item that is not an object but a number'],
  ['{"kind":"PodList","apiVersion":"v1","items":{"a":1}}', 'is not a list'],
  [
    '{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{}],"rows":[{"cells":[]}]}',
    'a column that has no name',
  ],
  [
    '{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[],"rows":[null]}',
    'a row that is not an object but null',
  ],
])('the list %s is refused with its own message', async (text, message) => {
  const options = { gvr: PODS, table: text.includes('Table'), dropManagedFields: true };
  await expect(readList(bytes([text]), options)).rejects.toMatchObject({
    code: 'decode',
    message: expect.stringContaining(message),
  });
});

/** A body without an end, which counts the bytes that are read. It throws at twice the limit. */
function endless(limit: number) {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const body = {
    taken: 0,
    isClosed: false,
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          body.taken += chunk.length;
          if (body.taken > 2 * limit) throw new Error('the limit was not kept');
          yield chunk;
        }
      } finally {
        body.isClosed = true;
      }
    },
  };
  return body;
}

describe('an answer without end', () => {
  type Call = (client: ReturnType<typeof createClient>) => Promise<unknown>;
  const api: Call = (client) => client.resource(PODS, { namespace: 'shop' }).get('web');
  it.each<[string, number, Call, string]>([
    ['to a GET', LARGEST_OBJECT, api, 'the answer to get /api/v1/namespaces/shop/pods/web'],
    ['to raw()', LARGEST_OBJECT, (client) => client.raw('/openapi/v3'), 'the answer of /openapi/v3'],
    ['to discovery', LARGEST_OBJECT, (client) => new Discovery(client.transport).snapshot(), 'the answer of /api'],
    ['to version()', LARGEST_CREDENTIAL, (client) => client.version(), 'the answer of /version'],
  ])('%s is closed at the limit, which the error names', async (_, limit, call, what) => {
    const bodies: ReturnType<typeof endless>[] = [];
    const client = createClient(
      scriptedBytes(() => {
        const raw = endless(limit);
        bodies.push(raw);
        return { raw };
      }),
    );
    const size = `${limit / 1024 / 1024} MiB`;
    await expect(call(client)).rejects.toMatchObject({
      code: 'decode',
      message: `${what} is longer than the limit of ${limit} bytes (${size})`,
    });
    expect(bodies.every(({ isClosed }) => isClosed)).toBe(true);
  });

  it('that is an error is cut at the limit, and its message says that', async () => {
    const body = endless(LARGEST_ERROR_BODY);
    const client = createClient(scriptedBytes(() => ({ status: 403, raw: body })));
    const error = (await api(client).catch((e) => e)) as InformerError;
    expect(error.message).toContain(`its text was cut after ${LARGEST_ERROR_BODY} bytes, the limit of an error`);
    expect(error.message.length).toBeLessThan(500);
    expect(body.isClosed).toBe(true);
  });
});
