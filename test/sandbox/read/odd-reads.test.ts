import { request as httpsRequest } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyBytes, bodyText, Sandbox } from '../../../src/sandbox/index.ts';
import { ask, CONFIG_MAPS, configMapNamed, PODS } from '../../support/sandbox-requests.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.start({ seed: 1 });
  sandbox.apply(configMapNamed('small', { a: '1' }));
});

afterAll(() => sandbox.stop());

const text = async (path: string, headers: Record<string, string> = {}) => bodyText(await sandbox.handle({ method: 'GET', path, headers }));

it.each<[what: string, method: string, path: string, headers: Record<string, string>, status: number]>([
  ['options nobody knows', 'GET', `${CONFIG_MAPS}?limit=1&nonsense=1&pretty=x`, {}, 200],
  ['protobuf and nothing else', 'GET', CONFIG_MAPS, { accept: 'application/vnd.kubernetes.protobuf' }, 406],
  ['protobuf or JSON', 'GET', CONFIG_MAPS, { accept: 'application/vnd.kubernetes.protobuf,application/json' }, 200],
  ['YAML', 'GET', CONFIG_MAPS, { accept: 'application/yaml' }, 200],
  ['a watch as YAML', 'GET', `${CONFIG_MAPS}?watch=1`, { accept: 'application/yaml' }, 406],
  ['CBOR', 'GET', CONFIG_MAPS, { accept: 'application/cbor' }, 406],
  ['a Table of another version and nothing else', 'GET', CONFIG_MAPS, { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io' }, 406],
  ['anything', 'GET', CONFIG_MAPS, { accept: 'text/html, */*;q=0.1' }, 200],
  ['watch=false', 'GET', `${CONFIG_MAPS}?watch=false`, {}, 200],
  ['watch=False', 'GET', `${CONFIG_MAPS}?watch=False`, {}, 200],
  ['the deprecated watch of a collection', 'GET', '/api/v1/watch/namespaces/default/configmaps', {}, 501],
  ['the deprecated watch of an object', 'GET', '/apis/apps/v1/watch/namespaces/default/deployments/web', {}, 501],
  ['a type that does not exist', 'GET', '/apis/apps/v1/nonsense', {}, 404],
  ['a group that does not exist', 'GET', '/apis/nonsense.example.com/v1', {}, 404],
  ['a page that does not exist', 'GET', '/nonsense', {}, 404],
  ['metrics', 'GET', '/metrics', {}, 501],
  ['OpenAPI v2', 'GET', '/openapi/v2', {}, 501],
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
    const response = await sandbox.handle({ method: 'GET', path: `${CONFIG_MAPS}?${query}`, headers, signal: leave.signal });
    const first = await response.body[Symbol.asyncIterator]().next();
    expect(Buffer.from(first.value as Uint8Array).toString()).toMatch(/^\{"type":"ADDED"/);
    leave.abort();
  }
});

it('prints for people and for programs as the real server does', async () => {
  expect(await text(`${CONFIG_MAPS}/small`, { 'user-agent': 'curl/8.5.0' })).toMatch(/^\{\n {2}"kind": "ConfigMap",\n[\s\S]*\n\}$/);
  expect(await text(`${CONFIG_MAPS}/small`, { 'user-agent': 'kubectl/v1.35.0' })).toMatch(/^\{"kind":"ConfigMap",.*\}\n$/);
  expect(await text(`${CONFIG_MAPS}/small?pretty=0`, { 'user-agent': 'curl/8.5.0' })).toMatch(/^\{"kind"/);
  expect(await text('/version', { 'user-agent': 'program' })).toMatch(/^\{\n {2}"major": "1",/);
});

it('answers a HEAD without a body, also a wrong one', async () => {
  for (const path of ['/readyz', `${CONFIG_MAPS}/small`, '/nonsense']) {
    expect([path, await bodyText(await sandbox.handle({ method: 'HEAD', path }))]).toEqual([path, '']);
  }
});

it('shows a Scale as a table, as its metadata, and as an object', async () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 3, selector: { matchLabels: { a: 'b' } }, template };
  sandbox.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec, status: { replicas: 2 } });
  const scale = (accept: string) => ask(sandbox, 'GET', '/apis/apps/v1/namespaces/default/deployments/web/scale', undefined, { accept });
  const table = (await scale('application/json;as=Table;v=v1;g=meta.k8s.io')).body;
  expect([table.kind, table.columnDefinitions?.map((c) => c.name)]).toEqual(['Table', ['Name', 'Desired', 'Available', 'Age']]);
  expect(table.rows[0]?.cells.slice(0, 3)).toEqual(['web', 3, 2]);
  expect((await scale('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io')).body.kind).toBe('PartialObjectMetadata');
  expect((await scale('application/json')).body).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 3 } });
});

it('compresses from 128 KiB on, for those who take gzip', async () => {
  sandbox.apply(configMapNamed('large', { text: 'x'.repeat(129 * 1024) }));
  const get = (name: string, headers = {}) => sandbox.handle({ method: 'GET', path: `${CONFIG_MAPS}/${name}`, headers });
  const packed = await get('large', { 'accept-encoding': 'gzip' });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(JSON.parse(gunzipSync(await bodyBytes(packed)).toString()).metadata.name).toBe('large');
  expect((await get('small', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined();
  expect((await get('large')).headers['content-encoding']).toBeUndefined();
});

it('reads very long request lines, as selectors can be', async () => {
  const names = Array.from({ length: 8_000 }, (_, i) => `value-${i}`).join(',');
  const path = `${CONFIG_MAPS}?labelSelector=${encodeURIComponent(`app in (${names})`)}`;
  const status = await new Promise((resolve, reject) => {
    const { url: base, token, caPem: ca } = sandbox;
    const sent = httpsRequest(`${base}${path}`, { ca, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject).end();
  });
  expect([path.length > 64 * 1024, status]).toEqual([true, 200]);
});

it('drops what built-in types do not know, warns of it, and refuses it when strict', async () => {
  const pod = (name: string) => ({
    metadata: { name, lables: {} },
    spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 1, containerport: 1 }] }], nodename: 'n' },
  });
  const unknown = ['metadata.lables', 'spec.containers[0].ports[0].containerport', 'spec.nodename'];
  const loose = await ask(sandbox, 'POST', PODS, pod('loose'));
  expect([loose.status, loose.headers.warning]).toEqual([201, unknown.map((field) => `299 - "unknown field \\"${field}\\""`).join(', ')]);
  expect(loose.body.spec).not.toHaveProperty('nodename');
  const strict = await ask(sandbox, 'POST', `${PODS}?fieldValidation=Strict`, pod('strict'));
  const message = `Pod in version "v1" cannot be handled as a Pod: strict decoding error: ${unknown.map((f) => `unknown field "${f}"`).join(', ')}`;
  expect([strict.status, strict.body.message]).toEqual([400, message]);
  const ignored = await ask(sandbox, 'POST', `${PODS}?fieldValidation=Ignore`, pod('ignored'));
  expect([ignored.status, ignored.headers.warning]).toEqual([201, undefined]);
});

it('refuses micro-times it cannot read', async () => {
  const lease = { metadata: { name: 'l' }, spec: { renewTime: '2026-01-01T00:00:00Z' } };
  const { status, body } = await ask(sandbox, 'POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', lease);
  expect([status, body.message]).toEqual([400, expect.stringContaining('cannot parse "Z" as ".000000"')]);
});
