import { expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { createController } from '../../../src/controller/controller.ts';
import { createFinalizerReconciler } from '../../../src/controller/finalizer-reconciler.ts';
import { enqueueOwner } from '../../../src/controller/sources/enqueue.ts';
import { createInformerSource } from '../../../src/controller/sources/informer-source.ts';
import { createOrPatch, createOrUpdate } from '../../../src/controller/writes/create-or-update.ts';
import { setControllerReference } from '../../../src/controller/writes/owner-references.ts';
import { serverSideApply } from '../../../src/controller/writes/server-side-apply.ts';
import { updateStatus } from '../../../src/controller/writes/update-status.ts';
import { dynamicInformerFactory } from '../../../src/informer/informer-factory.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { CONFIG_MAPS, type ConfigMap, inProcess, noting } from '../../support/in-process.ts';

const OWNING = { group: '', version: 'v1', resource: 'serviceaccounts' };
const OWNERS = Number(process.env.OWNERS ?? 300);
const FINALIZER = 'example.com/cleanup';
const owner = (i: number) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: `owner-${i}`, namespace: 'shop', finalizers: [FINALIZER] },
});

it('a restart over hundreds of objects with four children each sends nothing but lists and watches', async () => {
  const objects = Array.from({ length: OWNERS }, (_, i) => owner(i));
  await using place = await inProcess({ objects });
  const { sandbox, clock, transport } = place;
  const owners = sandbox.list(OWNING);
  const childOf = (parent: KubeObject, i: number) => {
    const metadata = { name: `${parent.metadata.name}-${i}`, namespace: 'shop' };
    const child: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    setControllerReference({ ...parent, apiVersion: 'v1', kind: 'ServiceAccount' }, child);
    return { ...child, data: { of: parent.metadata.name ?? '' } };
  };
  sandbox.apply(owners.flatMap((each) => [0, 1, 2].map((i) => childOf(each, i))));
  const maps = place.client.resource<ConfigMap>(CONFIG_MAPS, { namespace: 'shop' });
  for (const each of owners) await serverSideApply(maps, childOf(each, 3), { fieldManager: 'operator' });
  const sent: { method: string; path: string }[] = [];
  const client = createClient(noting(transport, sent as never), { clock, logger: silentLogger });
  const factory = dynamicInformerFactory(client);
  const parents = factory.forResource<KubeObject>(OWNING);
  const children = factory.forResource<ConfigMap>(CONFIG_MAPS);
  const done = new Set<string>();
  const controller = createController({
    name: 'restarted',
    workers: 4,
    sources: [
      createInformerSource(parents.informer, { name: 'owner', isPrimary: true }),
      createInformerSource(children.informer, {
        name: 'child',
        enqueue: enqueueOwner({ group: '', kind: 'ServiceAccount' }),
      }),
    ],
    reconcile: createFinalizerReconciler<KubeObject>({
      client,
      gvr: OWNING,
      objects: parents.lister as never,
      finalizers: { [FINALIZER]: () => {} },
      reconcile: async (parent, { key, namespace, name }) => {
        const resource = client.resource<ConfigMap>(CONFIG_MAPS, { namespace });
        for (let i = 0; i < 3; i++) {
          const write = i < 2 ? createOrUpdate : createOrPatch;
          const child = { metadata: { name: `${name}-${i}`, namespace } };
          const current = children.lister.get(`${namespace}/${name}-${i}`);
          const mutate = (draft: ConfigMap) => {
            setControllerReference({ ...parent, apiVersion: 'v1', kind: 'ServiceAccount' }, draft);
            draft.data = { of: name };
          };
          expect(await write(resource as never, child, mutate as never, { current } as never)).toBe('unchanged');
        }
        const applied = childOf(parent, 3);
        const current = children.lister.get(`${namespace}/${name}-3`);
        const { result } = await serverSideApply(resource, applied, { fieldManager: 'operator', current });
        expect(result).toBe('unchanged');
        await updateStatus(client.resource(OWNING, { namespace }) as never, parent, () => {});
        done.add(key);
      },
    }),
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  factory.start(stop.signal);
  for (let turn = 0; done.size < OWNERS && turn < 5_000; turn++) await clock.advance(20);
  expect(done.size).toBe(OWNERS);
  const collections = sent.filter(({ path }) => /\/(serviceaccounts|configmaps)(\?|$)/.test(path));
  expect(sent.filter(({ method }) => method !== 'GET')).toEqual([]);
  expect(sent.filter((request) => !collections.includes(request) && !/^\/apis?(\/|\?|$)/.test(request.path))).toEqual(
    [],
  );
  stop.abort();
  await clock.advance(0);
  await running;
  await factory.shutdown();
});
