import { expect, it } from 'vitest';
import { createTargets } from '../../../src/cli/session/informers.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import type { Representation } from '../../../src/client/resource-api.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { inProcess } from '../../support/in-process.ts';

const MANY = 5_001;

const configMaps = Array.from({ length: MANY }, (_, i) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `c${i}`, namespace: 'shop' },
}));

it.each<[Representation, number]>([
  [{ table: 'Metadata' }, 0],
  [{ table: 'Object' }, MANY],
])('of 5,001 objects that are read as %j, %i become compact', async (as, packed) => {
  await using world = await inProcess({ objects: configMaps });
  const { client, clock } = world;
  const ending = new AbortController();
  const { signal } = ending;
  const session = { client, clock, logger: silentLogger, signal } as unknown as Session;
  const { types } = await client.discovery.snapshot();
  const type = types.find(({ gvr }) => gvr.resource === 'configmaps');
  if (!type) throw new Error('config maps are not served');
  const plan = { as, namespaces: [''], selector: undefined, fieldSelector: undefined, keepManagedFields: false };
  const [target] = createTargets(session, [{ type, names: [], versioned: true }], plan);
  const running = target?.informer.run(signal);
  await target?.informer.whenSynced(signal);
  await expect.poll(() => target?.informer.memory.packed).toBe(packed);
  expect(target?.informer.lister.size).toBe(MANY);
  ending.abort();
  await running;
});
