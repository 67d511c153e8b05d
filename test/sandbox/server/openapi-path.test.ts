import { afterAll, beforeAll, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask } from '../../support/sandbox-requests.ts';

const clock = new FakeClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterAll(() => sandbox.stop());

async function index() {
  const { body } = await ask<{ paths: Record<string, { serverRelativeURL: string }> }>(sandbox, 'GET', '/openapi/v3');
  return body.paths as Readonly<Record<string, { serverRelativeURL: string }>>;
}

it('a document may be cached for a year under its hash, and is not sent again to a client that has it', async () => {
  const path = (await index())['apis/apps/v1']?.serverRelativeURL ?? '';
  const first = await ask(sandbox, 'GET', path);
  expect(first.status).toBe(200);
  expect(first.headers).toMatchObject({
    'cache-control': 'public, immutable',
    vary: 'Accept',
    expires: new Date(clock.now() + 365 * 86_400_000).toUTCString(),
  });
  expect((await ask(sandbox, 'GET', path, undefined, { 'if-none-match': first.headers.etag ?? '' })).status).toBe(304);
  const unversioned = await ask(sandbox, 'GET', '/openapi/v3/apis/apps/v1');
  expect([unversioned.headers.etag, unversioned.headers['cache-control']]).toEqual([first.headers.etag, undefined]);
});

it.each([
  ['/openapi/v3/apis/nonsense/v1', {}, 404],
  ['/openapi/v3/apis/apps/v1', { accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf' }, 406],
  ['/openapi/v3/apis/apps/v1', { accept: 'application/json' }, 200],
])('answers %s with %o by %i', async (path, headers: Record<string, string>, status) => {
  expect((await ask(sandbox, 'GET', path, undefined, headers)).status).toBe(status);
});
it('a request with an old hash is redirected to the present one', async () => {
  const { serverRelativeURL } = (await index())['api/v1'] ?? {};
  const old = await ask(sandbox, 'GET', '/openapi/v3/api/v1?hash=OLD');
  expect([old.status, old.headers.location, old.body]).toEqual([301, serverRelativeURL, '']);
});

it('the index lists every group and version that is served', async () => {
  const { body } = await ask<{ groups: { versions: { groupVersion: string }[] }[] }>(sandbox, 'GET', '/apis');
  const served = body.groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `apis/${groupVersion}`));
  expect(Object.keys(await index()).sort()).toEqual(['api/v1', ...served].sort());
});
