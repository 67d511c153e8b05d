import { describe, expect, it } from 'vitest';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { UiHub } from '../../../src/serve/ui/hub.ts';
import type { UiCache } from '../../../src/serve/ui/ui-program.ts';
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
  scene.sandbox.restart({ keepHistory: false, downMs: 1000 });
  await clock.advance(60_000);
  const scopes = hub.lanes.map(({ lane: { scope, marks } }) => [scope, marks.length > 1]);
  expect(scopes).toEqual([
    ['a', true],
    ['b', true],
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

describe('a change of the list of caches', () => {
  /** An informer that runs, with what is registered at it. */
  const running = () => {
    const handlers = new Set<Record<string, (...args: unknown[]) => void>>();
    const takers = new Set<(event: object) => void>();
    return {
      handlers,
      takers,
      isStopped: false,
      continuity: [source('connected')],
      lister: { size: 0, resourceVersion: '' },
      onContinuity: (take: (event: object) => void) => {
        takers.add(take);
        return { [Symbol.dispose]: () => takers.delete(take) };
      },
      addHandler: (handler: Record<string, () => void>) => {
        handlers.add(handler);
        return { [Symbol.dispose]: () => handlers.delete(handler) };
      },
    };
  };
  const cacheOf = (id: string, informer: object) => {
    const gvr = { group: '', version: 'v1', resource: id };
    return { id, type: { kind: 'X', namespaced: true, gvr }, informer } as unknown as UiCache;
  };

  /** A hub over caches that a test changes, and what its listener was called with. */
  const hubOver = (...first: UiCache[]) => {
    let caches = first;
    let tell: (() => void) | undefined;
    const program = {
      ...uiProgram([]),
      caches: () => caches,
      onCaches: (changed: () => void) => {
        tell = changed;
        return { [Symbol.dispose]: () => (tell = undefined) };
      },
    };
    const hub = new UiHub(program);
    const calls: string[] = [];
    hub.listen({ changed: (type, key) => calls.push(`${type} ${key}`), stateChanged: () => calls.push('state') });
    return {
      hub,
      calls,
      isFollowing: () => tell !== undefined,
      become: (...next: UiCache[]) => {
        caches = next;
        tell?.();
      },
    };
  };
  const object = { metadata: { name: 'a', namespace: 'shop' } };

  it('reaches open pages, and so do the changes of a new cache', () => {
    const [one, two] = [running(), running()];
    const { hub, calls, become } = hubOver(cacheOf('one', one));
    become(cacheOf('one', one), cacheOf('two', two));
    expect(calls.splice(0)).toEqual(['state']);
    expect([one.handlers.size, two.handlers.size, hub.lanes.length, hub.states.length]).toEqual([1, 1, 2, 2]);
    for (const handler of two.handlers) handler.added?.(object, { cause: 'watch', isInInitialList: false });
    expect(calls).toEqual(['two shop/a']);
    expect(hub.history.of('two', 'shop/a').changes).toHaveLength(1);
    const changed = { ...object, spec: { a: 1 } };
    for (const { updated, deleted } of two.handlers as Set<Record<string, (...of: unknown[]) => void>>) {
      updated?.(object, changed, { cause: 'watch' });
      deleted?.(changed, { cause: 'watch' });
    }
    expect(calls).toEqual(['two shop/a', 'two shop/a', 'two shop/a']);
    expect(hub.history.of('two', 'shop/a').changes.map(({ what }) => what)).toEqual(['DELETED', 'MODIFIED', 'ADDED']);
  });

  it('ends the listening to a cache that is gone, and to one that another replaced under its name', () => {
    const [one, two, next] = [running(), running(), running()];
    const { hub, become } = hubOver(cacheOf('one', one), cacheOf('two', two));
    become(cacheOf('one', next));
    for (const { handlers, takers } of [one, two]) expect([handlers.size, takers.size]).toEqual([0, 0]);
    expect([next.handlers.size, hub.lanes.map(({ lane }) => lane.type)]).toEqual([1, ['one']]);
  });

  it('reaches no page after the end, nor does anything else', () => {
    const one = running();
    const { hub, calls, isFollowing } = hubOver(cacheOf('one', one));
    expect(isFollowing()).toBe(true);
    const [handler] = one.handlers;
    hub[Symbol.dispose]();
    expect([isFollowing(), one.handlers.size, one.takers.size]).toEqual([false, 0, 0]);
    handler?.synced?.();
    expect(calls).toEqual([]);
  });

  it('does not reach a page that has gone', () => {
    const { hub, become } = hubOver();
    const calls: string[] = [];
    const listening = hub.listen({ changed: () => {}, stateChanged: () => calls.push('state') });
    listening[Symbol.dispose]();
    become();
    expect(calls).toEqual([]);
  });

  it('reaches pages as the initial sync of a cache does, and the loss of a connection', () => {
    const one = running();
    const { hub, calls } = hubOver(cacheOf('one', one));
    for (const handler of one.handlers) handler.synced?.();
    expect(calls.splice(0)).toEqual(['state']);
    for (const take of one.takers) take({ kind: 'disconnected', at: 9, disconnectedAt: 9, why: 'connection' });
    expect(calls).toEqual(['state']);
    expect(hub.lanes[0]?.lane.spans.at(-1)?.state).toBe('outage');
  });
});
