import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { loadConfig } from '../../../src/client/kubeconfig.ts';
import { dynamicInformerFactory } from '../../../src/informer/informer-factory.ts';
import { keyOf } from '../../../src/model/key.ts';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import { Sandbox } from '../../../src/sandbox/index.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.start({ seed: 7, scenario: 'fleet', scenarioOptions: { pods: 5_600, ratePerSecond: 0.001 } });
});
afterAll(() => sandbox.stop());

const byKey = (objects: Iterable<ReadonlyObject>) => new Map(Iterator.from(objects).map((each) => [keyOf(each), each]));

// more objects than a cache keeps parsed, and more bytes than stay parsed of a packed one
it.each([
  ['auto', 'stream', true],
  ['auto', 'list', true],
  ['auto', 'list', false],
  ['compact', 'list', true],
  ['compact', 'stream', false],
] as const)(
  'a cache %s, filled by a %s, dropping managedFields: %s, has every object as the server has it',
  async (store, sync, dropManagedFields) => {
    await using client = createClient(await loadConfig({ kubeconfigText: sandbox.kubeconfig(), env: {} }), {
      dropManagedFields,
    });
    await using factory = dynamicInformerFactory(client, { store, sync });
    const { lister, informer } = factory.forResource(PODS);
    factory.start(AbortSignal.timeout(60_000));
    await factory.waitForSync();
    expect(informer.memory.packed).toBe(5_600);
    const { items } = await client.resource(PODS).list();
    expect(byKey(lister.list())).toEqual(byKey(items));
  },
);
