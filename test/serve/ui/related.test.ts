import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { eventCacheOf, eventsAbout, isAbout, ownersOf, prepareEvents } from '../../../src/serve/ui/related.ts';
import type { UiCache } from '../../../src/serve/ui/ui-program.ts';
import { sandboxCaches, uiProgram } from '../../support/ui.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.start({ socket: false, seed: 1 });
});
afterEach(() => sandbox.stop());

const owned = (kind: string, name: string, uid = 'u', more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid,
  ...more,
});

const pod = (ownerReferences: unknown): ReadonlyObject =>
  ({ kind: 'Pod', metadata: { name: 'web-1', namespace: 'shop', uid: 'p', ownerReferences } }) as never;

it('distinguishes an owner that is not cached from one that is gone, or is another object of that name now', async () => {
  sandbox.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'a:1' }] } },
    },
  });
  await using served = await sandboxCaches(sandbox, ['deployments', 'nodes']);
  const uid = served.caches[0]?.informer.lister.get('shop/web')?.metadata.uid;
  const owner = (reference: object) => ownersOf(served.caches, pod([reference]));
  expect(owner(owned('Deployment', 'web', uid))).toEqual([
    { kind: 'Deployment', key: 'shop/web', type: 'apps/v1/deployments', isGone: false },
  ]);
  expect(owner(owned('Deployment', 'web', 'an-earlier-one'))).toEqual([
    { kind: 'Deployment', key: 'shop/web', isGone: true },
  ]);
  expect(owner(owned('StatefulSet', 'web'))).toEqual([{ kind: 'StatefulSet', key: 'shop/web', isGone: false }]);
  expect(owner({ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'n' })).toEqual([
    { kind: 'Node', key: 'n1', isGone: true },
  ]);
});

it('names the controller of several owners, and survives references that no server accepts', () => {
  const references = [owned('A', 'a'), owned('B', 'b', 'v', { controller: true })];
  expect(ownersOf([], pod(references)).map(({ kind }) => kind)).toEqual(['B']);
  for (const odd of [5, null, 'x', {}, [null, 5], [{ kind: 'A' }]]) expect(ownersOf([], pod(odd))).toEqual([]);
});

it('ends where owners own each other', () => {
  const caches = [
    cacheOf({ metadata: { name: 'a', namespace: 'shop', uid: 'u', ownerReferences: [owned('A', 'a')] } }),
  ];
  expect(ownersOf(caches, pod([owned('A', 'a')]))).toHaveLength(1);
});

it('finds the Events about an object, the newest first, with their counts, and not those about an earlier one', async () => {
  const about = (uid: string, more: object = {}) => ({
    involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web-1', uid, ...more },
  });
  const event = (name: string, more: object) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'shop' },
    reason: name,
    message: 'm',
    type: 'Normal',
    ...more,
  });
  sandbox.apply([
    event('old', { ...about('p'), count: 3, lastTimestamp: '2026-01-01T00:00:00Z', source: { component: 'kubelet' } }),
    event('new', {
      ...about('p'),
      eventTime: '2026-01-02T00:00:00.000000Z',
      reportingComponent: 'x.io/a',
      series: { count: 9, lastObservedTime: '2026-01-03T00:00:00.000000Z' },
    }),
    event('without-uid', { ...about(''), firstTimestamp: null }),
    event('earlier', about('another')),
    event('other', about('q', { name: 'web-2' })),
  ]);
  await using served = await sandboxCaches(sandbox, ['events']);
  const program = uiProgram(served.caches);
  await Promise.all([prepareEvents(program), prepareEvents(program)]);
  await prepareEvents(program);
  const cache = eventCacheOf(served.caches) as UiCache;
  const found = eventsAbout(cache, pod([]), 'Pod');
  expect(found.map(({ reason, count, from, at }) => [reason, count, from, at])).toEqual([
    ['new', 9, 'x.io/a', Date.parse('2026-01-03T00:00:00Z')],
    ['old', 3, 'kubelet', Date.parse('2026-01-01T00:00:00Z')],
    ['without-uid', 1, '', null],
  ]);
});

it('prepares the Events once more after it failed; an index that a query added meanwhile is as good, and a cache that ended needs none', async () => {
  const failure = new Error('an index function threw');
  let builds = 0;
  let hasIndex = false;
  const informer = {
    isStopped: false,
    lister: { hasIndex: () => hasIndex },
    buildIndexers: async () => {
      builds++;
      throw failure;
    },
  };
  const type = { kind: 'Event', gvr: { group: '', version: 'v1', resource: 'events' } };
  const program = uiProgram([{ id: 'v1/events', type, informer } as never]);
  await expect(prepareEvents(program)).rejects.toBe(failure);
  informer.isStopped = true;
  await prepareEvents(program);
  expect(builds).toBe(2);
  informer.isStopped = false;
  const preparing = prepareEvents(program);
  hasIndex = true;
  await preparing;
  await prepareEvents(program);
  expect(builds).toBe(3);
});

it.each([
  [
    'core',
    {
      involvedObject: {},
      message: 'm',
      count: 2,
      lastTimestamp: '2026-01-01T00:00:00Z',
      source: { component: 'kubelet' },
    },
  ],
  [
    'events.k8s.io',
    {
      regarding: {},
      note: 'm',
      deprecatedCount: 2,
      deprecatedLastTimestamp: '2026-01-01T00:00:00Z',
      deprecatedSource: { component: 'kubelet' },
    },
  ],
])('reads an Event in the form of %s', (_, { involvedObject, regarding, ...more }: Record<string, unknown>) => {
  const about = { kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'p' };
  const event = { ...(involvedObject ? { involvedObject: about } : { regarding: about }), ...more };
  expect(eventsAbout(eventsOf(event), pod([]), 'Pod')).toEqual([
    { at: Date.parse('2026-01-01T00:00:00Z'), type: '', reason: '', message: 'm', count: 2, from: 'kubelet' },
  ]);
});

it.each([
  [{ count: 0 }, 1],
  [{ count: 0, series: { count: 4 } }, 4],
  [{ series: { count: 0 }, count: 3 }, 3],
  [{}, 1],
])('the count of an Event with %j is %i', (more, count) => {
  const event = { involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'p' }, ...more };
  expect(eventsAbout(eventsOf(event), pod([]), 'Pod').map((each) => each.count)).toEqual([count]);
});

it('finds the Events about a node, which name it in place of its uid', async () => {
  sandbox.apply({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'default' },
    involvedObject: { kind: 'Node', name: 'n1', uid: 'n1' },
    reason: 'NodeReady',
  });
  await using served = await sandboxCaches(sandbox, ['events']);
  await prepareEvents(uiProgram(served.caches));
  const node = { kind: 'Node', metadata: { name: 'n1', uid: 'the-real-uid' } } as never;
  expect(eventsAbout(eventCacheOf(served.caches) as UiCache, node, 'Node').map(({ reason }) => reason)).toEqual([
    'NodeReady',
  ]);
});

it('names at most ten owners in a row, each found by its group, kind, namespace and uid', () => {
  const caches = ['A', 'B'].map((kind) => {
    const type = { kind, namespaced: true, gvr: { group: 'apps', version: 'v1', resource: kind } };
    const get = (key: string) => {
      const level = Number(key.slice('shop/'.length));
      const ownerReferences = [owned(kind === 'A' ? 'B' : 'A', String(level + 1), `u${level + 1}`)];
      return { metadata: { name: String(level), namespace: 'shop', uid: `u${level}`, ownerReferences } };
    };
    return { id: kind, type, informer: { hasSynced: true, lister: { get } } } as never;
  });
  expect(ownersOf(caches, pod([owned('A', '1', 'u1')])).map(({ kind, key }) => `${kind} ${key}`)).toEqual(
    Array.from({ length: 10 }, (_, i) => `${i % 2 === 0 ? 'A' : 'B'} shop/${i + 1}`),
  );
  const inCore = { ...owned('A', '1', 'u1'), apiVersion: 'v1' }; // a kind of that name in another group
  expect(ownersOf(caches, pod([inCore]))).toEqual([{ kind: 'A', key: 'shop/1', isGone: false }]);
});

it('does not say that an owner is gone before its cache has all objects', () => {
  const cache = cacheOf({ metadata: { name: 'a', namespace: 'shop', uid: 'another' } });
  const unsynced = { ...cache, informer: { ...cache.informer, hasSynced: false } } as never;
  const isGone = (each: UiCache) => ownersOf([each], pod([owned('A', 'a')])).map((owner) => owner.isGone);
  expect([isGone(cache), isGone(unsynced)]).toEqual([[true], [false]]);
});

const REGARDED = { kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'p' };

it.each([
  ['the uid', REGARDED, true],
  ['another uid', { ...REGARDED, uid: 'q' }, false],
  ['no uid', { ...REGARDED, uid: undefined }, true],
  ['no uid, of another kind', { ...REGARDED, uid: undefined, kind: 'Job' }, false],
  ['no uid, with another name', { ...REGARDED, uid: undefined, name: 'web-2' }, false],
  ['no uid, in another namespace', { ...REGARDED, uid: undefined, namespace: 'bank' }, false],
  ['nothing', undefined, false],
])('an Event that names %s (%j) is about the object: %s', (_, involvedObject, is) => {
  expect(isAbout({ metadata: {}, involvedObject } as never, pod([]), 'Pod')).toBe(is);
});

it('gives the 50 newest Events, those without a time last, with at most 2000 characters of their messages', () => {
  const times = [...Array.from({ length: 59 }, (_, i) => `2026-01-01T00:00:${String(i).padStart(2, '0')}Z`), undefined];
  const events = new Map(
    times.map((lastTimestamp, i) => [
      `e${i}`,
      { involvedObject: REGARDED, lastTimestamp, message: 'm'.repeat(1999 + i) },
    ]),
  );
  const found = (keys: string[]) => {
    const lister = { hasIndex: () => true, indexKeys: () => keys, get: (key: string) => events.get(key) };
    return eventsAbout({ informer: { lister } } as never, pod([]), 'Pod');
  };
  const newest = found([...events.keys()]).map(({ at }) => at);
  expect(newest).toEqual(Array.from({ length: 50 }, (_, i) => Date.parse(times[58 - i] as string)));
  expect(found(['e59', 'e1', 'e2', 'e0']).map(({ at, message }) => [at === null, message.length])).toEqual([
    [false, 2000],
    [false, 2000],
    [false, 1999],
    [true, 2000],
  ]);
});

it.each([
  [{ series: { count: 1 }, count: 5 }, 1],
  [{ series: { count: 0 }, count: 5, deprecatedCount: 7 }, 5],
  [{ deprecatedCount: 7 }, 7],
  [{}, 1],
])('gives the count of an Event that says it, first of all of its series: %j', (counts, count) => {
  const events = new Map([['e', { involvedObject: REGARDED, ...counts }]]);
  const lister = { hasIndex: () => true, indexKeys: () => ['e'], get: (key: string) => events.get(key) };
  expect(eventsAbout({ informer: { lister } } as never, pod([]), 'Pod')).toMatchObject([{ count }]);
});

it('has no Events where their index is not kept', () => {
  const lister = { hasIndex: () => false };
  expect(eventsAbout({ informer: { lister } } as never, pod([]), 'Pod')).toEqual([]);
});

/** A cache of Events with one Event. */
function eventsOf(event: object): UiCache {
  const lister = { hasIndex: () => true, indexKeys: () => ['e'], get: () => event };
  return { id: 'v1/events', type: { kind: 'Event' }, informer: { lister } } as never;
}

/** A cache with one object. */
function cacheOf(object: object): UiCache {
  const type = { kind: 'A', namespaced: true, gvr: { group: 'apps', version: 'v1', resource: 'as' } };
  return { id: 'apps/v1/as', type, informer: { hasSynced: true, lister: { get: () => object } } } as never;
}
