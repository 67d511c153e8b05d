import { expect, it } from 'vitest';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { UiHub } from '../../../src/serve/ui/hub.ts';
import { inProcess } from '../../support/in-process.ts';
import { uiProgram } from '../../support/ui.ts';

it('has a time line for each namespace, also of caches that synced before it', async () => {
  await using scene = await inProcess({
    objects: ['a', 'b'].map((namespace) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'one', namespace },
    })),
  });
  const { client, clock } = scene;
  const type = await client.mapper.find('configmaps');
  if (!type) throw new Error('no configmaps');
  const namespaces = ['a', 'b'];
  const informer = new SharedInformer<UnknownObject>(
    namespaces.map((namespace) => ({ namespace, source: client.resource<UnknownObject>(type.gvr, { namespace }) })),
    { clock },
  );
  const ending = new AbortController();
  const running = informer.run(ending.signal);
  await informer.whenSynced();
  using hub = new UiHub(uiProgram([{ id: 'v1/configmaps', type, informer, namespaces }], { clock }));
  expect(hub.lanes.map(({ lane: { scope, marks } }) => [scope, marks.map(({ kind }) => kind)])).toEqual([
    ['a', ['synced']],
    ['b', ['synced']],
  ]);
  ending.abort();
  await running;
});
