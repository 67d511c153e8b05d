import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyText, Sandbox } from '../../../src/sandbox/index.ts';
import { ask, CONFIG_MAPS, configMapNamed, PODS, podNamed } from '../../support/sandbox-requests.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, seed: 1 });
  sandbox.apply([configMapNamed('small', { a: '1' }), podNamed('p')]);
});

afterAll(() => sandbox.stop());

it.each<[what: string, method: string, path: string, headers: Record<string, string>, status: number]>([
  ['unknown options', 'GET', `${CONFIG_MAPS}?limit=1&nonsense=1&pretty=x`, {}, 200],
  ['protobuf and nothing else', 'GET', CONFIG_MAPS, { accept: 'application/vnd.kubernetes.protobuf' }, 406],
  ['protobuf or JSON', 'GET', CONFIG_MAPS, { accept: 'application/vnd.kubernetes.protobuf,application/json' }, 200],
  ['YAML', 'GET', CONFIG_MAPS, { accept: 'application/yaml' }, 200],
  ['a watch as YAML', 'GET', `${CONFIG_MAPS}?watch=1`, { accept: 'application/yaml' }, 406],
  ['CBOR', 'GET', CONFIG_MAPS, { accept: 'application/cbor' }, 406],
  [
    'a Table of another version and nothing else',
    'GET',
    CONFIG_MAPS,
    { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io' },
    406,
  ],
  ['anything', 'GET', CONFIG_MAPS, { accept: 'text/html, */*;q=0.1' }, 200],
  ['watch=false', 'GET', `${CONFIG_MAPS}?watch=false`, {}, 200],
  ['watch=False', 'GET', `${CONFIG_MAPS}?watch=False`, {}, 200],
  ['the deprecated watch of a collection', 'GET', '/api/v1/watch/namespaces/default/configmaps', {}, 501],
  ['the deprecated watch of an object', 'GET', '/apis/apps/v1/watch/namespaces/default/deployments/web', {}, 501],
  ['a type that does not exist', 'GET', '/apis/apps/v1/nonsense', {}, 404],
  ['a group that does not exist', 'GET', '/apis/nonsense.example.com/v1', {}, 404],
  ['a page that does not exist', 'GET', '/nonsense', {}, 404],
  ['metrics', 'GET', '/metrics', {}, 501],
  ['OpenAPI v2', 'GET', '/openapi/v2', {}, 200],
  ['OpenAPI v2 as a page', 'GET', '/openapi/v2', { accept: 'text/html' }, 406],
  ['the head of an object', 'HEAD', `${CONFIG_MAPS}/small`, {}, 405],
  ['the head of discovery', 'HEAD', '/apis/apps/v1', {}, 405],
  ['the head of a health check', 'HEAD', '/readyz', {}, 200],
  ['the head of the index', 'HEAD', '/', {}, 200],
  ['options of HTTP', 'OPTIONS', CONFIG_MAPS, {}, 405],
  ['logs', 'GET', `${PODS}/a/log`, {}, 501],
  ['a type without columns of its own', 'GET', '/apis/node.k8s.io/v1/runtimeclasses', {}, 200],
])('asked for %s (%s %s) answers as it should', async (_what, method, path, headers, status) => {
  expect((await ask(sandbox, method, path, undefined, headers)).status).toBe(status);
});

it('opens a watch however it is asked for one, and never compresses it', async () => {
  for (const query of ['watch', 'watch=', 'watch=1', 'watch=yes']) {
    const leave = new AbortController();
    const headers = { 'accept-encoding': 'gzip' };
    const response = await sandbox.handle({
      method: 'GET',
      path: `${CONFIG_MAPS}?${query}`,
      headers,
      signal: leave.signal,
    });
    const first = await response.body[Symbol.asyncIterator]().next();
    expect(Buffer.from(first.value as Uint8Array).toString()).toMatch(/^\{"type":"ADDED"/);
    leave.abort();
  }
});

it('answers HEAD without a body, also when it refuses it', async () => {
  for (const path of ['/readyz', `${CONFIG_MAPS}/small`, '/nonsense']) {
    expect([path, await bodyText(await sandbox.handle({ method: 'HEAD', path }))]).toEqual([path, '']);
  }
});

it.each([
  ['GET', '/api/v1/namespaces/default/pods/p/log', 'the log subresource of pods'],
  ['POST', '/api/v1/namespaces/default/pods/p/exec', 'the exec subresource of pods'],
  ['GET', '/apis/autoscaling/v1/horizontalpodautoscalers', 'autoscaling/v1 HorizontalPodAutoscaler'],
  ['GET', '/api/v1/watch/pods', 'the deprecated /watch/ paths'],
])('answers 501 to %s %s, and names what the sandbox does not implement', async (method, path, what) => {
  const { status, body } = await ask(sandbox, method, path, method === 'POST' ? {} : undefined);
  expect([status, body.kind, body.reason]).toEqual([501, 'Status', 'NotImplemented']);
  expect(body.message).toContain(`the sandbox does not implement ${what}`);
});
