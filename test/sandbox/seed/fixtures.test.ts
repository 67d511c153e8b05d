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
