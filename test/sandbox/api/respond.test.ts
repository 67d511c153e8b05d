import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { failure } from '../../../src/model/status.ts';
import { type ApiResponse, bodyBytes, bodyText } from '../../../src/sandbox/api/exchange.ts';
import { compress, respond, respondEncoded, respondStatus, respondText } from '../../../src/sandbox/api/respond.ts';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { CONFIG_MAPS, configMapNamed } from '../../support/sandbox-requests.ts';

const LARGE = 9_007_199_254_740_993n;

it.each([
  [{ syntax: 'json', pretty: false }, 'application/json', `{"a":${LARGE}}\n`],
  [{ syntax: 'json', pretty: true }, 'application/json', `{\n  "a": ${LARGE}\n}`],
  [{ syntax: 'yaml', pretty: false }, 'application/yaml', `a: ${LARGE}\n`],
] as const)('answers %j as %s, with numbers exact, from a value and from encoded JSON', async (syntax, type, text) => {
  const [made, encoded] = [
    respond(201, { a: LARGE }, syntax),
    respondEncoded(201, Buffer.from(`{"a":${LARGE}}\n`), syntax),
  ];
  for (const answer of [made, encoded]) {
    expect([answer.status, answer.headers['content-type'], await bodyText(answer)]).toEqual([201, type, text]);
  }
});

it('keeps the headers it is given', () => {
  expect(respond(200, {}, undefined, { etag: '"1"' }).headers).toEqual({
    'content-type': 'application/json',
    etag: '"1"',
  });
  expect(
    respondEncoded(200, Buffer.from('{}'), { syntax: 'json', pretty: false }, { warning: 'w' }).headers.warning,
  ).toBe('w');
});

it('answers text as plain text', async () => {
  const answer = respondText(404, 'no page\n');
  expect([answer.status, answer.headers['content-type'], await bodyText(answer)]).toEqual([
    404,
    'text/plain; charset=utf-8',
    'no page\n',
  ]);
});

it('answers a Status with its code, and with Retry-After when it has retryAfterSeconds', async () => {
  const slow = respondStatus(failure(429, 'TooManyRequests', 'slow down', { retryAfterSeconds: 3 }));
  expect([slow.status, slow.headers['retry-after'], JSON.parse(await bodyText(slow)).reason]).toEqual([
    429,
    '3',
    'TooManyRequests',
  ]);
  expect(respondStatus(failure(403, 'Forbidden', 'no')).headers).not.toHaveProperty('retry-after');
});

const THRESHOLD = 128 * 1024;

function answerOf(sizes: readonly number[], onLeave = () => {}): ApiResponse {
  async function* body() {
    try {
      for (const size of sizes) yield Buffer.alloc(size, 'x');
    } finally {
      onLeave();
    }
  }
  return { status: 200, headers: { etag: '"1"' }, body: body() };
}

it.each([
  ['gzip', [THRESHOLD], true],
  ['deflate, gzip;q=0.5', [THRESHOLD, 10], true],
  ['gzip', [THRESHOLD - 1], false],
  ['gzip', [], false],
  ['deflate', [THRESHOLD], false],
  [undefined, [THRESHOLD], false],
])('for Accept-Encoding %s a body of chunks %j is compressed: %s', async (encoding, sizes, compressed) => {
  const answer = await compress(answerOf(sizes), encoding);
  const bytes = await bodyBytes(answer);
  const length = sizes.reduce((sum, size) => sum + size, 0);
  expect((compressed ? gunzipSync(bytes) : bytes).length).toBe(length);
  expect(answer.headers).toEqual({
    etag: '"1"',
    ...(compressed ? { 'content-encoding': 'gzip', vary: 'Accept-Encoding' } : {}),
  });
});

it('a reader that leaves a body early releases its source, compressed or not', async () => {
  for (const [encoding, sizes] of [
    [undefined, [10, 10]],
    ['gzip', [10, 10]],
    ['gzip', [THRESHOLD, ...Array(100).fill(THRESHOLD)]],
  ] as const) {
    const left = Promise.withResolvers<void>();
    const { body } = await compress(answerOf(sizes, left.resolve), encoding);
    for await (const _chunk of body) break;
    await left.promise;
  }
});

it('compresses an object from 128 KiB on, for clients that accept gzip', async () => {
  await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
  sandbox.apply([configMapNamed('small'), configMapNamed('large', { text: 'x'.repeat(129 * 1024) })]);
  const get = (name: string, headers = {}) =>
    sandbox.handle({ method: 'GET', path: `${CONFIG_MAPS}/${name}`, headers });
  const packed = await get('large', { 'accept-encoding': 'gzip' });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(JSON.parse(gunzipSync(await bodyBytes(packed)).toString()).metadata.name).toBe('large');
  expect((await get('small', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined();
  expect((await get('large')).headers['content-encoding']).toBeUndefined();
});
