import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FieldSet } from '../../../src/sandbox/types/field-set.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, type Loose } from '../../support/sandbox-requests.ts';

const CONFIG_MAP = '/api/v1/namespaces/default/configmaps/cm';
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/web';
const clock = new FakeClock();
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterEach(() => sandbox.stop());

const apply = (path: string, manager: string, body: object, force = false) =>
  ask(sandbox, 'PATCH', `${path}?fieldManager=${manager}${force ? '&force=true' : ''}`, body, {
    'content-type': 'application/apply-patch+yaml',
  });

const data = (values: Record<string, string>) => ({ apiVersion: 'v1', kind: 'ConfigMap', data: values });
const ownersOf = (object: Loose) => object.metadata.managedFields?.map((m) => `${m.manager} ${m.operation} ${JSON.stringify(m.fieldsV1)}`);

it('takes away what its manager applied before and names no more', async () => {
  await apply(CONFIG_MAP, 'one', data({ a: '1', b: '2' }));
  const { body } = await apply(CONFIG_MAP, 'one', data({ b: '2' }));
  expect(body.data).toEqual({ b: '2' });
});

it('leaves what another manager owns too', async () => {
  await apply(CONFIG_MAP, 'one', data({ a: '1', b: '2' }));
  await apply(CONFIG_MAP, 'two', data({ a: '1' }));
  const { body } = await apply(CONFIG_MAP, 'one', data({ b: '2' }));
  expect(body.data).toEqual({ a: '1', b: '2' });
  expect(ownersOf(body)).toEqual(['two Apply {"f:data":{"f:a":{}}}', 'one Apply {"f:data":{"f:b":{}}}']); // who changed nothing has no time, and comes first
});

it('refuses to change another manager’s field and names every conflict', async () => {
  await apply(CONFIG_MAP, 'one', data({ a: '1', b: '2' }));
  const { status, body } = await apply(CONFIG_MAP, 'two', data({ a: 'x', b: 'y', c: 'z' }));
  expect(status).toBe(409);
  expect(body.message).toBe('Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b');
  expect(body.details.causes.map((c) => c.field)).toEqual(['.data.a', '.data.b']);
});

it('says in which version an updater holds the field', async () => {
  await ask(sandbox, 'POST', '/api/v1/namespaces/default/configmaps?fieldManager=editor', { metadata: { name: 'cm' }, data: { a: '1' } });
  const { body } = await apply(CONFIG_MAP, 'two', data({ a: 'x' }));
  expect(body.message).toBe('Apply failed with 1 conflict: conflict with "editor" using v1: .data.a');
});

it('takes the field over when forced', async () => {
  await apply(CONFIG_MAP, 'one', data({ a: '1' }));
  const { body } = await apply(CONFIG_MAP, 'two', data({ a: 'x' }), true);
  expect(body.data).toEqual({ a: 'x' });
  expect(ownersOf(body)).toEqual(['two Apply {"f:data":{"f:a":{}}}']);
});

it('merges containers by name and drops the one that is gone with its defaults', async () => {
  const web = (...containers: object[]) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: { selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, spec: { containers } } },
  });
  await apply(DEPLOYMENT, 'one', web({ name: 'main', image: 'nginx:1' }, { name: 'side', image: 'proxy:1' }));
  await ask(sandbox, 'PATCH', `${DEPLOYMENT}?fieldManager=scaler`, { spec: { replicas: 4 } });
  const { status, body } = await apply(DEPLOYMENT, 'one', web({ name: 'main', image: 'nginx:2' }));
  expect(status).toBe(200);
  const spec = body.spec as { replicas: number; template: { spec: { containers: { name: string; image: string }[] } } };
  expect(spec.template.spec.containers.map((c) => `${c.name} ${c.image}`)).toEqual(['main nginx:2']);
  expect(spec.replicas).toBe(4);
});

it('reads YAML and keeps nothing of a dry run', async () => {
  const yaml = 'apiVersion: v1\nkind: ConfigMap\ndata:\n  a: "1"\n';
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const { status, body } = await ask(sandbox, 'PATCH', `${CONFIG_MAP}?fieldManager=one&dryRun=All`, yaml, headers);
  expect([status, body.data]).toEqual([201, { a: '1' }]);
  expect((await ask(sandbox, 'GET', CONFIG_MAP)).status).toBe(404);
});

it('reads and writes the sets of fields that managedFields hold', () => {
  const fields = {
    'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
    'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {} } }, 'f:finalizers': { 'v:"x"': {} } },
  };
  const set = FieldSet.fromFieldsV1(fields);
  expect(set.toFieldsV1()).toEqual(fields);
  expect(set.paths()).toEqual([
    '.metadata.labels',
    '.metadata.labels.app',
    '.spec.containers[name="c"]',
    '.spec.containers[name="c"].image',
    '.spec.finalizers[="x"]',
  ]);
  expect(set.minus(set).isEmpty).toBe(true);
  expect(set.union(new FieldSet()).equals(set)).toBe(true);
});

const containers = (...names: { name: string; image?: string; foo?: number }[]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: names } },
  },
});

it('keeps a list item somebody else holds a field of, and takes its own fields out of it', async () => {
  await apply(DEPLOYMENT, 'one', containers({ name: 'a', image: 'i' }, { name: 'b', image: 'i' }));
  const change = { spec: { template: { spec: { containers: [{ name: 'b', stdin: true }] } } } };
  const headers = { 'content-type': 'application/strategic-merge-patch+json' };
  await ask(sandbox, 'PATCH', `${DEPLOYMENT}?fieldManager=editor`, change, headers);
  const { status, body } = await apply(DEPLOYMENT, 'one', containers({ name: 'a', image: 'i' }));
  expect(status).toBe(422); // the container that is left has no image any more, as on a real server
  expect(body.message).toContain('spec.template.spec.containers[1].image: Required value');
});

it.each<[string, object, string]>([
  ['a field there is not', containers({ name: 'a', foo: 1 }), '.spec.template.spec.containers[name="a"].foo: field not declared in schema'],
  ['one item twice', containers({ name: 'a' }, { name: 'a' }), '.spec.template.spec.containers: duplicate entries for key [name="a"]'],
  [
    'an item without its key',
    { ...containers(), spec: { template: { spec: { containers: [{ image: 'i' }] } } } },
    '.spec.template.spec.containers: element 0: associative list with keys has an element that omits key field "name" (and doesn\'t have default value)',
  ],
  [
    'values of other types',
    { ...containers(), spec: { replicas: '3', paused: 1 } },
    'errors:\n  .spec.replicas: expected numeric (int or float), got &value.valueUnstructured{Value:"3"}\n  .spec.paused: expected boolean, got &value.valueUnstructured{Value:1}',
  ],
])('refuses %s with 500, as the real server does', async (_what, body, problem) => {
  const answer = await apply(DEPLOYMENT, 'one', body);
  expect([answer.status, answer.body.message]).toEqual([
    500,
    `failed to create typed patch object (/web; apps/v1, Kind=Deployment): ${problem}`,
  ]);
});

it('refuses keys that stand twice when strict, and takes the last with a warning else', async () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\ndata:\n  a: "1"\n  a: "2"\n';
  const send = (how: string) =>
    ask(sandbox, 'PATCH', `${CONFIG_MAP}?fieldManager=one&fieldValidation=${how}`, text, {
      'content-type': 'application/apply-patch+yaml',
    });
  const strict = await send('Strict');
  const problem =
    'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 5: key "a" already set in map';
  expect([strict.status, strict.body.message]).toEqual([400, problem]);
  const warned = await send('Warn');
  expect([warned.status, warned.body.data]).toEqual([201, { a: '2' }]);
  expect(warned.headers.warning).toContain('already set in map');
});
