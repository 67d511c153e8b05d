import { expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { APPLES, apple, configMap } from '../support/fixture.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };
const SHOP = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };

it('a wiped server is a new cluster: versions start again, and uids are different', async () => {
  await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
  const first = sandbox.resourceVersion;
  const uid = sandbox.get(NAMESPACES, 'default')?.metadata.uid;
  sandbox.apply([SHOP, configMap('a', {}), APPLES]);
  await sandbox.wipe();
  expect(sandbox.resourceVersion).toBe(first);
  expect(sandbox.list(CONFIG_MAPS, { namespace: 'shop' })).toEqual([]);
  expect(sandbox.get(NAMESPACES, 'default')?.metadata.uid).not.toBe(uid);
  const client = createClient(sandbox.transport());
  expect(await client.mapper.find('myapples')).toBeUndefined();
  await client.close();
});

it('a restored server has the state of the snapshot, continues from its version, and has no history', async () => {
  await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
  sandbox.apply([SHOP, configMap('a', { at: 'then' }), APPLES, apple('one', 'red')]);
  const [then, known] = [sandbox.snapshot(), sandbox.get(CONFIG_MAPS, 'shop/a')];
  const version = Number(sandbox.resourceVersion);
  sandbox.apply([configMap('a', { at: 'later' }), configMap('b', {})]);
  await sandbox.restore(then);
  expect(Number(sandbox.resourceVersion)).toBe(version);
  expect(sandbox.list(CONFIG_MAPS, { namespace: 'shop' })).toEqual([known]);
  sandbox.apply([configMap('c', {})]);
  expect(Number(sandbox.resourceVersion)).toBe(version + 1);
  const client = createClient(sandbox.transport());
  const apples = client.resource({ group: 'stable.example.com', version: 'v1', resource: 'myapples' });
  expect((await apples.list()).items.map(({ metadata }) => metadata.name)).toEqual(['one']);
  const maps = client.resource(CONFIG_MAPS);
  for await (const events of await maps.watch({ resourceVersion: String(version - 1) })) {
    expect(events).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
    break;
  }
  await client.close();
});

it('a snapshot has a version, and only a snapshot can be restored', async () => {
  await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
  const snapshot = sandbox.snapshot();
  expect(snapshot).toEqual({ resourceVersion: sandbox.resourceVersion });
  expect(() => sandbox.restore({ ...snapshot })).toThrow('restore takes what snapshot() of a sandbox returned');
});
