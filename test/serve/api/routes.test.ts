import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { InformerError } from '../../../src/kit/error.ts';
import type { ServerRequest } from '../../../src/kit/http-listener.ts';
import { json, jsonError, ndjson, routed, type ServeRoutes } from '../../../src/serve/api/routes.ts';

const HEADERS = { 'kubectl-informer-protocol': expect.any(String) };
const request = (method: string, url: string) => ({ method, url }) as ServerRequest;
const other = async () => json({ other: true }, 404);

const ROUTES: ServeRoutes = {
  '/v1/read': { methods: ['GET'], answer: (_, { searchParams }, access) => json({ q: searchParams.get('q'), access }) },
  '/v1/both': { methods: ['GET', 'POST'], answer: async ({ method }) => json({ method }) },
  '/v1/stop': { methods: ['POST'], access: 'private', answer: () => json({ stopping: true }) },
  '/v1/argument': {
    methods: ['GET'],
    answer: () => {
      throw new InformerError('argument', 'no such index', { hint: 'name one' });
    },
  },
  '/v1/broken': {
    methods: ['GET'],
    answer: async () => {
      throw new Error('broken');
    },
  },
};

describe('a request', () => {
  const ask = async (method: string, url: string, access: 'private' | 'token' = 'private') => {
    const answer = await routed(ROUTES, access, request(method, url), other);
    return [answer.status, 'body' in answer ? JSON.parse(answer.body) : undefined, answer.headers];
  };

  it('is answered by the route of its path, which gets its query and who asks', async () => {
    expect(await ask('GET', '/v1/read?q=x%20y', 'token')).toEqual([200, { q: 'x y', access: 'token' }, HEADERS]);
    expect(await ask('HEAD', '/v1/read')).toEqual([200, { q: null, access: 'private' }, HEADERS]);
    expect(await ask('POST', '/v1/both')).toEqual([200, { method: 'POST' }, HEADERS]);
  });

  it.each(['/v1/reads', '/', '/constructor', '/toString'])(
    'of the path %s, which has no route, goes elsewhere',
    async (path) => {
      expect((await ask('GET', path)).slice(0, 2)).toEqual([404, { other: true }]);
    },
  );

  it.each([
    ['POST', '/v1/read', 'GET'],
    ['DELETE', '/v1/both', 'GET, POST'],
    ['HEAD', '/v1/stop', 'POST'],
  ])('%s %s is refused with the methods that are allowed: %s', async (method, path, allow) => {
    const error = { message: `${path} takes ${allow.replace(', ', ' and ')}` };
    expect(await ask(method, path)).toEqual([405, { error }, { ...HEADERS, allow }]);
  });

  it('for what the private socket alone answers is refused on a port', async () => {
    expect((await ask('POST', '/v1/stop', 'token')).slice(0, 2)).toEqual([
      403,
      { error: { message: '/v1/stop is answered on the private socket only' } },
    ]);
    expect((await ask('POST', '/v1/stop'))[0]).toBe(200);
  });

  it('that is wrong gets 400 with its hint, and a failure 500: the connection goes on', async () => {
    expect((await ask('GET', '/v1/argument')).slice(0, 2)).toEqual([
      400,
      { error: { message: 'no such index', hint: 'name one' } },
    ]);
    expect((await ask('GET', '/v1/broken')).slice(0, 2)).toEqual([500, { error: { message: 'broken' } }]);
  });
});

it('an answer is one line of JSON, an error names its hint if it has one, and lines are streamed', async () => {
  expect(json({ a: 1 })).toEqual({ status: 200, type: 'application/json', body: '{"a":1}\n', headers: HEADERS });
  expect(jsonError(418, 'no')).toEqual({ ...json({ error: { message: 'no' } }), status: 418 });
  expect(JSON.parse(jsonError(418, 'no', 'do it').body)).toEqual({ error: { message: 'no', hint: 'do it' } });
  const bodies: unknown[] = [];
  const answer = ndjson(async (body) => void bodies.push(body));
  const body = new PassThrough();
  await answer.stream(body);
  expect([answer.status, answer.type, answer.headers, bodies]).toEqual([200, 'application/x-ndjson', HEADERS, [body]]);
});
