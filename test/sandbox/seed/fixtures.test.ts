import { expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, briefly, CONFIG_MAPS, configMapNamed, podNamed, startWatch } from '../../support/sandbox-requests.ts';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const start = () => Sandbox.start({ socket: false, clock: new FakeClock(), seed: 1 });

it('keeps the status, uid and creation time of an applied object, and creates a missing namespace', async () => {
  await using sandbox = await start();
  const [pod] = sandbox.apply({
    ...podNamed('p'),
    metadata: {
      name: 'p',
      namespace: 'new',
      uid: 'u-1',
      creationTimestamp: '2020-01-01T00:00:00Z',
      resourceVersion: '77',
      labels: { a: 'b' },
    },
    status: { phase: 'Running', podIP: '10.0.0.1' },
  });
  expect(pod).toMatchObject({
    metadata: { uid: 'u-1', creationTimestamp: '2020-01-01T00:00:00Z' },
    status: { phase: 'Running', podIP: '10.0.0.1' },
  });
  expect(pod?.metadata.resourceVersion).toBe(sandbox.resourceVersion);
  expect(sandbox.get({ apiVersion: 'v1', kind: 'Namespace' }, 'new')).toBeDefined();
});

it('updates an object that exists, under its uid', async () => {
  await using sandbox = await start();
  const [first] = sandbox.apply(configMapNamed('a', { n: '1' }));
  const [second] = sandbox.apply(configMapNamed('a', { n: '2' }));
  expect(second?.metadata.uid).toBe(first?.metadata.uid);
  expect(second?.data).toEqual({ n: '2' });
});

it('keeps the stored status when the applied object has none', async () => {
  await using sandbox = await start();
  sandbox.apply({ ...podNamed('p'), status: { phase: 'Running' } });
  const [again] = sandbox.apply({ ...podNamed('p', { now: 'labelled' }) });
  expect(again?.status).toMatchObject({ phase: 'Running' });
});

it('returns copies, and takes copies', async () => {
  await using sandbox = await start();
  const object = configMapNamed('a', { n: '1' });
  const [applied] = sandbox.apply(object);
  (applied?.data as Record<string, string>).n = 'changed';
  expect(sandbox.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'default/a')?.data).toEqual({ n: '1' });
  expect(object).toEqual(configMapNamed('a', { n: '1' }));
});

it('names a type that is not served', async () => {
  await using sandbox = await start();
  expect(() => sandbox.apply({ apiVersion: 'example.com/v1', kind: 'Apple', metadata: { name: 'x' } })).toThrow(
    'the sandbox serves no example.com/v1 Apple',
  );
  expect(() => sandbox.list({ group: 'x', version: 'v1', resource: 'y' })).toThrow('the sandbox serves no x/v1/y');
  for (const type of ['v1/pods', undefined, null, 7, {}, { kind: 'Pod' }, { resource: 'pods' }]) {
    const refusal = expect.objectContaining({
      code: 'argument',
      message: expect.stringContaining('must be a type of the API'),
    });
    expect(() => sandbox.list(type as never)).toThrow(refusal);
    expect(() => sandbox.get(type as never, 'shop/web')).toThrow(refusal);
    expect(() => sandbox.delete(type as never, 'shop/web')).toThrow(refusal);
  }
});

it('finds objects by GVR or by kind, in key order, in one namespace or in all', async () => {
  await using sandbox = await start();
  const inSpace = (name: string, namespace: string) => ({ ...CONFIG_MAP, metadata: { name, namespace } });
  sandbox.apply([inSpace('b', 'one'), inSpace('a', 'two'), inSpace('a', 'one')]);
  const gvr = { group: '', version: 'v1', resource: 'configmaps' };
  const keys = (objects: { metadata: { name?: string; namespace?: string } }[]) =>
    objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  expect(keys(sandbox.list(gvr))).toEqual(['one/a', 'one/b', 'two/a']);
  expect(keys(sandbox.list(CONFIG_MAP, { namespace: 'one' }))).toEqual(['one/a', 'one/b']);
  expect(sandbox.get(gvr, 'one/b')).toEqual(sandbox.get(CONFIG_MAP, 'one/b'));
  expect(sandbox.get(gvr, 'one/none')).toBeUndefined();
});

it('deletes as a client would: finalizers delay it, and 404 is thrown for an object that does not exist', async () => {
  await using sandbox = await start();
  sandbox.apply([configMapNamed('free'), { ...CONFIG_MAP, metadata: { name: 'kept', finalizers: ['example.com/x'] } }]);
  sandbox.delete(CONFIG_MAP, 'default/free');
  sandbox.delete(CONFIG_MAP, 'default/kept');
  expect(sandbox.get(CONFIG_MAP, 'default/free')).toBeUndefined();
  expect(sandbox.get(CONFIG_MAP, 'default/kept')?.metadata.deletionTimestamp).toBeDefined();
  expect(() => sandbox.delete(CONFIG_MAP, 'default/free')).toThrow('configmaps "free" not found');
});

it('is seen by watches like the writes of a client, and signs its fields as sandbox', async () => {
  await using sandbox = await start();
  await using watching = await startWatch(sandbox, `${CONFIG_MAPS}?watch=1&resourceVersion=${sandbox.resourceVersion}`);
  sandbox.apply(configMapNamed('a', { n: '1' }));
  sandbox.apply(configMapNamed('a', { n: '2' }));
  sandbox.delete(CONFIG_MAP, 'default/a');
  const { body } = await ask(sandbox, 'GET', CONFIG_MAPS);
  expect(body.items).toEqual([]);
  expect(briefly(watching.events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
  expect(watching.events[0]?.object.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['sandbox']);
});

const CLIENT = { 'content-type': 'application/merge-patch+json' };
const workload = (containers: object[], more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', ...more },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
  },
});
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/web';

it('apply removes what it applied before and is given no longer, and keeps what others set', async () => {
  await using sandbox = await start();
  sandbox.apply(
    workload(
      [
        { name: 'app', image: 'a:1' },
        { name: 'helper', image: 'h:1' },
      ],
      { labels: { a: '1', b: '1' } },
    ),
  );
  const change = {
    metadata: { labels: { theirs: 'yes' }, annotations: { 'example.com/by': 'them' } },
    spec: { replicas: 3, template: { spec: { containers: [{ name: 'sidecar', image: 's:1' }] } } },
  };
  await ask(sandbox, 'PATCH', DEPLOYMENT, change, { 'content-type': 'application/strategic-merge-patch+json' });
  const [applied] = sandbox.apply(workload([{ name: 'app', image: 'a:2' }], { labels: { a: '2' } }));
  expect(applied?.metadata.labels).toEqual({ a: '2', theirs: 'yes' });
  expect(applied?.metadata.annotations).toEqual({ 'example.com/by': 'them' });
  const { replicas, template } = (applied?.spec ?? {}) as {
    replicas: number;
    template: { spec: { containers: object[] } };
  };
  expect(replicas).toBe(3);
  expect(template.spec.containers.map((c) => (c as { image: string }).image)).toEqual(['a:2', 's:1']);
});

it('apply overwrites what others set differently, and so owns it', async () => {
  await using sandbox = await start();
  sandbox.apply(configMapNamed('a', { n: '1' }));
  await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/a`, { data: { n: 'theirs', m: 'theirs' } }, CLIENT);
  const [applied] = sandbox.apply(configMapNamed('a', { n: '2' }));
  expect(applied?.data).toEqual({ n: '2', m: 'theirs' });
  const mine = applied?.metadata.managedFields?.find(({ manager }) => manager === 'sandbox');
  expect(mine).toMatchObject({ operation: 'Apply', fieldsV1: { 'f:data': { 'f:n': {} } } });
});

it('apply of an object as it was read, with a change, works without a conflict', async () => {
  await using sandbox = await start();
  sandbox.apply(configMapNamed('a', { n: '1' }));
  const [read] = sandbox.list({ group: '', version: 'v1', resource: 'configmaps' });
  await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/a`, { data: { m: '1' } }, CLIENT);
  const [applied] = sandbox.apply({ ...read, data: { n: '2' } });
  expect(applied?.data).toEqual({ n: '2', m: '1' });
});

it('an object that does not change by an apply keeps its version', async () => {
  await using sandbox = await start();
  sandbox.apply(workload([{ name: 'app', image: 'a:1' }]));
  const before = sandbox.resourceVersion;
  sandbox.apply(workload([{ name: 'app', image: 'a:1' }]));
  expect(sandbox.resourceVersion).toBe(before);
});

it('a pod that is applied without a status gets that of a new pod', async () => {
  await using sandbox = await start();
  expect(sandbox.apply(podNamed('p'))[0]?.status).toMatchObject({ phase: 'Pending' });
  expect(sandbox.put(podNamed('q'))[0]?.status).toMatchObject({ phase: 'Pending' });
});

it('put replaces an object, with what others set, and keeps its uid and its status', async () => {
  await using sandbox = await start();
  const [first] = sandbox.put({ ...podNamed('p', { a: '1' }), status: { phase: 'Running' } });
  const labels = { metadata: { labels: { theirs: 'yes' }, finalizers: ['example.com/x'] } };
  await ask(sandbox, 'PATCH', '/api/v1/namespaces/default/pods/p', labels, CLIENT);
  const [replaced] = sandbox.put(podNamed('p', { b: '1' }));
  expect(replaced?.metadata).toMatchObject({ uid: first?.metadata.uid, labels: { b: '1' } });
  expect(replaced?.metadata.labels).toEqual({ b: '1' });
  expect(replaced?.metadata.finalizers).toBeUndefined();
  expect(replaced?.status).toMatchObject({ phase: 'Running' });
});
