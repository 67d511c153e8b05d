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

const source = (state: 'connected' | 'connecting' | 'disconnected', more: object = {}) => ({
  connection: { state, since: 7, ...(state === 'disconnected' ? { why: 'connection' } : {}) },
  relists: 1,
  gapCount: 2,
  gaps: [],
  ...more,
});

/** The state of a type whose sources are as given. */
function stateOf(continuity: readonly object[], isLeftOut?: (source: number) => boolean) {
  const type = { kind: 'Pod', namespaced: true, gvr: { group: 'apps', version: 'v1', resource: 'pods' } };
  const stopped = { isStopped: true, onContinuity: () => ({ [Symbol.dispose]() {} }) };
  const informer = { ...stopped, continuity, hasSynced: true, lister: { size: 3, resourceVersion: '9' } };
  using hub = new UiHub(uiProgram([{ id: 'apps/v1/pods', type, informer, isLeftOut } as never]));
  return hub.states[0];
}

it('the state of a type has what it is, its connection, and the sums of its sources', () => {
  expect(stateOf([source('connected', { lastSignOfLife: 50 }), source('connected', { lastSignOfLife: 40 })])).toEqual({
    id: 'apps/v1/pods',
    name: 'pods.apps',
    kind: 'Pod',
    namespaced: true,
    objects: 3,
    version: '9',
    hasSynced: true,
    connection: 'connected',
    connectionSince: 7,
    lastSign: 40,
    relists: 2,
    gaps: 4,
    isGap: false,
  });
});

it('the connection of a type is that of its worst source, without those that are left out', () => {
  const sources = (['connected', 'connecting', 'disconnected'] as const).map((state) => source(state));
  const seen = (leftOut: readonly number[]) => {
    const { connection, why, relists } = stateOf(sources, (i) => leftOut.includes(i)) ?? {};
    return [connection, why, relists];
  };
  expect(seen([])).toEqual(['disconnected', 'connection', 3]);
  expect(seen([2])).toEqual(['connecting', undefined, 2]);
  expect(seen([1, 2])).toEqual(['connected', undefined, 1]);
  expect(stateOf([])).toMatchObject({ connection: 'connecting', connectionSince: 0, relists: 0 });
  expect(stateOf([])).not.toHaveProperty('lastSign');
});

it('a type has a gap while the last one of a source is open', () => {
  const gap = (to?: string) => ({ from: '1', to, why: 'gone', at: 1 });
  const isGap = (...gaps: object[]) => stateOf([source('connected'), source('connected', { gaps })])?.isGap;
  expect([isGap(), isGap(gap()), isGap(gap('2')), isGap(gap('2'), gap())]).toEqual([false, true, false, true]);
});
