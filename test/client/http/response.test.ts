import { describe, expect, it } from 'vitest';
import { isOversized } from '../../../src/client/http/limits.ts';
import { discard, hold, isSuccess, readText, readWhole, statusErrorOf } from '../../../src/client/http/response.ts';
import { retryAfterMs } from '../../../src/client/http/retry-after.ts';
import { failure } from '../../../src/model/status.ts';
import { bytes } from '../../support/scripted-bytes.ts';

const answer = (status: number, text: string, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: bytes([text]),
});
const PODS = { group: '', resource: 'pods' };

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{');
  throw new Error('reset');
}

/** A body of pieces that remembers whether it was closed. */
function body(...pieces: string[]) {
  const state = { isClosed: false, taken: 0 };
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (const piece of pieces) {
        state.taken += 1;
        yield Buffer.from(piece);
      }
    } finally {
      state.isClosed = true;
    }
  }
  return Object.assign(read(), { state });
}

describe('readWhole', () => {
  it('joins the pieces of a body', async () => {
    expect(String(await readWhole(body('ab', 'c', ''), 'it', 3))).toBe('abc');
    expect(await readText(body('ä'))).toBe('ä');
  });

  it('rejects with the limit and closes the body when it is longer', async () => {
    const long = body('ab', 'cd', 'ef');
    const error = await readWhole(long, 'the answer of /x', 3).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'decode', message: 'the answer of /x is longer than the limit of 3 bytes' });
    expect([isOversized(error), long.state.isClosed]).toEqual([true, true]);
  });
});

describe('discard', () => {
  it('reads a small body to its end, closes a large one, and never rejects', async () => {
    const small = body('a', 'b');
    await discard(small);
    expect(small.state.taken).toBe(2);
    expect([small.state.isClosed, await small.next()]).toEqual([true, { done: true, value: undefined }]);
    const large = body('x'.repeat(65_537), 'y');
    await discard(large);
    expect(large.state).toEqual({ isClosed: true, taken: 1 });
    await expect(discard(broken())).resolves.toBeUndefined();
  });
});

describe('hold', () => {
  it('gives the Status and a response that can be read again', async () => {
    const status = failure(409, 'Conflict', 'changed', {});
    const { response, status: held } = await hold(answer(409, JSON.stringify(status)));
    expect(held).toEqual(status);
    expect(JSON.parse(await readText(response.body))).toEqual(status);
  });

  it.each(['', 'not JSON', '{"kind":"Pod"}'])('gives no Status for %j', async (text) => {
    const { response, status } = await hold(answer(500, text));
    expect([status, await readText(response.body)]).toEqual([undefined, text]);
  });

  it('takes a broken body for an empty one', async () => {
    const { response, status } = await hold({ status: 500, headers: {}, body: broken() });
    expect([status, await readText(response.body)]).toEqual([undefined, '']);
  });
});

describe('statusErrorOf', () => {
  it("is the server's own Status, with the code of the response where it has none", async () => {
    const { code: _, ...status } = failure(403, 'Forbidden', 'pods is forbidden', {});
    const error = await statusErrorOf(answer(403, JSON.stringify(status)), { verb: 'get' });
    expect(error).toMatchObject({ message: 'pods is forbidden', status: { code: 403, reason: 'Forbidden' } });
  });

  it.each<[number, string, string]>([
    [400, 'BadRequest', 'the server rejected our request for an unknown reason (get pods web)'],
    [401, 'Unauthorized', 'the server has asked for the client to provide credentials (get pods web)'],
    [403, 'Forbidden', 'the server does not allow access to the requested resource (get pods web)'],
    [404, 'NotFound', 'the server could not find the requested resource (get pods web)'],
    [410, 'Gone', 'the requested resource is no longer available (get pods web)'],
    [
      429,
      'TooManyRequests',
      'the server has received too many requests and has asked us to try again later (get pods web)',
    ],
    [
      418,
      'Unknown',
      'the server responded with the status code 418 but did not return more information (get pods web)',
    ],
    [502, 'InternalError', 'an error on the server ("oops") has prevented the request from succeeding (get pods web)'],
    [503, 'ServiceUnavailable', 'the server is currently unable to handle the request (get pods web)'],
  ])('makes a Status for %i from its code, as client-go does', async (code, reason, message) => {
    const error = await statusErrorOf(answer(code, 'oops\n'), { verb: 'get', resource: PODS, name: 'web' });
    expect(error).toMatchObject({
      message,
      status: {
        code,
        reason,
        details: { name: 'web', kind: 'pods', causes: [{ reason: 'UnexpectedServerResponse', message: 'oops' }] },
      },
    });
  });

  it('takes a conflict of a create for an object that exists already', async () => {
    expect(await statusErrorOf(answer(409, ''), { verb: 'create' })).toMatchObject({
      status: { reason: 'AlreadyExists' },
    });
    expect(await statusErrorOf(answer(409, ''), { verb: 'update' })).toMatchObject({ status: { reason: 'Conflict' } });
  });

  it('has the wait of Retry-After, and a hint for a login and for TLS', async () => {
    expect(await statusErrorOf(answer(429, '', { 'retry-after': '3' }), { verb: 'get' })).toMatchObject({
      retryAfterMs: 3000,
    });
    expect(await statusErrorOf(answer(401, ''), { verb: 'get' })).toMatchObject({
      hint: expect.stringContaining('log in again'),
    });
    const text = 'Client sent an HTTP request to an HTTPS server.\n';
    expect(await statusErrorOf(answer(400, text), { verb: 'get' })).toMatchObject({
      hint: 'the server wants TLS: write it https://…',
    });
  });
});

it.each([
  ['5', 5000],
  [' 7 ', 7000],
  ['0', 0],
  ['Wed, 21 Oct 2015 07:28:00 GMT', undefined],
  ['-1', undefined],
])('Retry-After: %s is %s ms', (value, ms) => {
  expect(retryAfterMs({ 'retry-after': value })).toBe(ms);
  expect(retryAfterMs({})).toBeUndefined();
});

it.each([
  [199, false],
  [200, true],
  [299, true],
  [300, false],
])('a response with status %i is a success: %s', (status, expected) => {
  expect(isSuccess({ status })).toBe(expected);
});
