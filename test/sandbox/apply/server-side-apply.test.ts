import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
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
const ownersOf = (object: Loose) =>
  object.metadata.managedFields?.map((m) => `${m.manager} ${m.operation} ${JSON.stringify(m.fieldsV1)}`);

it('removes a field that the manager applied before and that the configuration no longer has', async () => {
  await apply(CONFIG_MAP, 'one', data({ a: '1', b: '2' }));
  const { body } = await apply(CONFIG_MAP, 'one', data({ b: '2' }));
  expect(body.data).toEqual({ b: '2' });
});

it('keeps a field that another manager owns too', async () => {
  await apply(CONFIG_MAP, 'one', data({ a: '1', b: '2' }));
  await apply(CONFIG_MAP, 'two', data({ a: '1' }));
  const { body } = await apply(CONFIG_MAP, 'one', data({ b: '2' }));
  expect(body.data).toEqual({ a: '1', b: '2' });
  // a manager that changed nothing has no time, and comes first
  expect(ownersOf(body)).toEqual(['two Apply {"f:data":{"f:a":{}}}', 'one Apply {"f:data":{"f:b":{}}}']);
});

it('refuses to change another manager’s field and names every conflict', async () => {
  await apply(CONFIG_MAP, 'one', data({ a: '1', b: '2' }));
  const { status, body } = await apply(CONFIG_MAP, 'two', data({ a: 'x', b: 'y', c: 'z' }));
  expect(status).toBe(409);
  expect(body.message).toBe('Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b');
  expect(body.details.causes.map((c) => c.field)).toEqual(['.data.a', '.data.b']);
});

it('names the API version of an updater that owns the field', async () => {
  await ask(sandbox, 'POST', '/api/v1/namespaces/default/configmaps?fieldManager=editor', {
    metadata: { name: 'cm' },
    data: { a: '1' },
  });
  const { body } = await apply(CONFIG_MAP, 'two', data({ a: 'x' }));
  expect(body.message).toBe('Apply failed with 1 conflict: conflict with "editor" using v1: .data.a');
});

it('changes the owner of the field when forced', async () => {
  await apply(CONFIG_MAP, 'one', data({ a: '1' }));
  const { body } = await apply(CONFIG_MAP, 'two', data({ a: 'x' }), true);
  expect(body.data).toEqual({ a: 'x' });
  expect(ownersOf(body)).toEqual(['two Apply {"f:data":{"f:a":{}}}']);
});

it('merges containers by name and removes the one that is gone with its defaults', async () => {
  const web = (...containers: object[]) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
    },
  });
  await apply(DEPLOYMENT, 'one', web({ name: 'main', image: 'nginx:1' }, { name: 'side', image: 'proxy:1' }));
  await ask(sandbox, 'PATCH', `${DEPLOYMENT}?fieldManager=scaler`, { spec: { replicas: 4 } });
  const { status, body } = await apply(DEPLOYMENT, 'one', web({ name: 'main', image: 'nginx:2' }));
  expect(status).toBe(200);
  const spec = body.spec as { replicas: number; template: { spec: { containers: { name: string; image: string }[] } } };
  expect(spec.template.spec.containers.map((c) => `${c.name} ${c.image}`)).toEqual(['main nginx:2']);
  expect(spec.replicas).toBe(4);
});

it('reads YAML, and stores nothing in a dry run', async () => {
  const yaml = 'apiVersion: v1\nkind: ConfigMap\ndata:\n  a: "1"\n';
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const { status, body } = await ask(sandbox, 'PATCH', `${CONFIG_MAP}?fieldManager=one&dryRun=All`, yaml, headers);
  expect([status, body.data]).toEqual([201, { a: '1' }]);
  expect((await ask(sandbox, 'GET', CONFIG_MAP)).status).toBe(404);
});

const containers = (...names: { name: string; image?: string; foo?: number }[]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: names } },
  },
});

it('keeps a list item with a field of another manager, and removes its own fields from it', async () => {
  await apply(DEPLOYMENT, 'one', containers({ name: 'a', image: 'i' }, { name: 'b', image: 'i' }));
  const change = { spec: { template: { spec: { containers: [{ name: 'b', stdin: true }] } } } };
  const headers = { 'content-type': 'application/strategic-merge-patch+json' };
  await ask(sandbox, 'PATCH', `${DEPLOYMENT}?fieldManager=editor`, change, headers);
  const { status, body } = await apply(DEPLOYMENT, 'one', containers({ name: 'a', image: 'i' }));
  expect(status).toBe(422); // the container that is left has no image any more, as on a real server
  expect(body.message).toContain('spec.template.spec.containers[1].image: Required value');
});

it('refuses duplicate keys when strict, and else takes the last one with a warning', async () => {
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
