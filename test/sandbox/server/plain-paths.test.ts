import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyText, Sandbox } from '../../../src/sandbox/index.ts';
import { isHealthPath } from '../../../src/sandbox/server/plain-paths.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask } from '../../support/sandbox-requests.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, clock: new FakeClock(), seed: 1 });
});
afterAll(() => sandbox.stop());

it.each([
  ['/healthz', true],
  ['/livez/ping', true],
  ['/readyz', true],
  ['/readyzzz', false],
  ['/version', false],
])('%s is a health check: %s', (path, expected) => {
  expect(isHealthPath(path)).toBe(expected);
});

it('answers health checks with ok to every user', async () => {
  const { status, body } = await ask(sandbox, 'GET', '/readyz', undefined, { authorization: 'Bearer nonsense' });
  expect([status, body]).toEqual([200, 'ok']);
});

it.each(['/', '/version'])('indents the answer to %s for every client', async (path) => {
  const text = await bodyText(await sandbox.handle({ method: 'GET', path, headers: { 'user-agent': 'program' } }));
  expect(text).toMatch(/^\{\n {2}"/);
});

it.each([
  ['/nonsense', 404],
  ['/apis/nonsense', 404],
  ['/apis/apps/v9', 404],
  ['/openapi/v3/nonsense', 404],
  ['/metrics/cadvisor', 501],
])('answers GET %s with %i', async (path, status) => {
  const response = await sandbox.handle({ method: 'GET', path });
  expect(response.status).toBe(status);
  if (status === 404) expect(await bodyText(response)).toBe('404 page not found\n');
});

it.each([
  ['POST', '/version'],
  ['HEAD', '/version'],
  ['HEAD', '/apis'],
  ['POST', '/'],
  ['PUT', '/openapi/v3'],
])('refuses %s %s with 405', async (method, path) => {
  expect((await sandbox.handle({ method, path })).status).toBe(405);
});

describe('discovery', () => {
  const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

  it.each([
    [AGGREGATED, 'APIGroupDiscoveryList'],
    [`${AGGREGATED},application/json`, 'APIGroupDiscoveryList'],
    [`application/json,${AGGREGATED}`, 'APIGroupList'],
    [`application/json;q=0.5,${AGGREGATED}`, 'APIGroupDiscoveryList'],
    ['application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json', 'APIGroupList'],
    ['*/*', 'APIGroupList'],
  ])('for Accept %s is an %s', async (accept, kind) => {
    expect((await ask(sandbox, 'GET', '/apis', undefined, { accept })).body.kind).toBe(kind);
  });

  it('is not sent again to a client that has it, until a definition changes it', async () => {
    const first = await ask(sandbox, 'GET', '/apis', undefined, { accept: AGGREGATED });
    expect(first.headers).toMatchObject({ 'content-type': AGGREGATED, vary: 'Accept' });
    const headers = { accept: AGGREGATED, 'if-none-match': first.headers.etag ?? '' };
    const again = await ask(sandbox, 'GET', '/apis', undefined, headers);
    expect([again.status, again.body, again.headers.etag]).toEqual([304, '', first.headers.etag]);
    sandbox.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boxes.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'boxes', kind: 'Box' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    expect((await ask(sandbox, 'GET', '/apis', undefined, headers)).status).toBe(200);
    expect((await ask(sandbox, 'GET', '/apis/example.com')).body.kind).toBe('APIGroup');
    expect((await ask(sandbox, 'GET', '/apis/example.com/v1')).body.kind).toBe('APIResourceList');
  });

  it('names the address of the server', async () => {
    const { body } = await ask<{ serverAddressByClientCIDRs: object[] }>(sandbox, 'GET', '/api');
    expect(body.serverAddressByClientCIDRs).toEqual([
      { clientCIDR: '0.0.0.0/0', serverAddress: sandbox.url.slice('https://'.length) },
    ]);
  });
});
