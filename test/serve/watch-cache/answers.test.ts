import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type TableColumn, withCells } from '../../../src/model/cells.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import type { Status } from '../../../src/model/status.ts';
import type { CachedTypeOptions } from '../../../src/serve/watch-cache/cached-collection.ts';
import { WatchCaches } from '../../../src/serve/watch-cache/watch-caches.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

const PODS = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true } as ResourceType;
const NODES = { gvr: { group: '', version: 'v1', resource: 'nodes' }, kind: 'Node', namespaced: false } as ResourceType;
const URL = '/api/v1/pods';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json';
const COLUMNS: TableColumn[] = [{ name: 'Name', type: 'string', format: '', priority: 0, description: '' }];

const pod = (key: string, version: number, labels: Record<string, string> = {}): UnknownObject => {
  const [namespace, name] = key.split('/');
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { namespace, name, labels, resourceVersion: String(version) },
    spec: { n: 1 },
  } as UnknownObject;
};
const withRow = (object: UnknownObject, columns = COLUMNS) =>
  withCells(object, { columns, cells: [object.metadata.name] } as Parameters<typeof withCells>[1]);

/** The answers of a serve about pods, over an informer whose notifications a test gives. */
function serving(options: Partial<CachedTypeOptions> = {}) {
  const clock = new FakeClock();
  const caches = new WatchCaches({ clock });
  const scopes = options.namespaces ?? [''];
  const continuity = scopes.map((scope) => ({
    scope,
    resourceVersion: '10',
    stretches: [{ by: 'initial', to: '10' }],
    connection: { state: 'connected' } as object,
    lastSignOfLife: 0,
  }));
  const registration = { depth: 0, isRemoved: false, remove: () => (registration.isRemoved = true) };
  const informer = {
    continuity,
    isCaughtUp: true,
    addHandler: (given: object) => {
      handler = given as typeof handler;
      return registration;
    },
  };
  let handler: Record<string, (...args: unknown[]) => void> = {};
  const collection = {
    type: PODS,
    informer,
    as: 'object',
    keepsManagedFields: false,
    ...options,
  } as unknown as CachedTypeOptions;
  const added = caches.add(collection);
  const keyOf = ({ metadata: { namespace, name } }: UnknownObject) => (namespace ? `${namespace}/${name}` : `${name}`);
  const answer = (url: string, accept = 'application/json', headers = {}, method = 'GET') =>
    caches.answer({ method, url, headers: { accept, ...headers } });
  const body = async (write: (body: PassThrough) => Promise<void>) => {
    const out = new PassThrough();
    let text = '';
    out.on('data', (chunk) => (text += String(chunk)));
    const lines = () =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    const written = write(out);
    await settled();
    return { written, lines, out };
  };
  const all = {
    clock,
    answer,
    continuity: continuity[0] as (typeof continuity)[0],
    informer,
    registration,
    added,
    put: (object: UnknownObject, cause = 'watch') =>
      handler.added?.(object, { key: keyOf(object), cause, sequence: 0 }),
    change: (before: UnknownObject, object: UnknownObject, cause = 'watch') =>
      handler.updated?.(before, object, { key: keyOf(object), cause, sequence: 0 }),
    remove: (object: UnknownObject) => handler.deleted?.(object, { key: keyOf(object), cause: 'watch', sequence: 0 }),
    synced: () => handler.synced?.(),
    event: (event: object) => handler.continuity?.(event),
    /** The first request makes the cache begin. */
    begin: async (...objects: UnknownObject[]) => {
      await answer(`/api/v1/${collection.type.gvr.resource}?continue=x`);
      for (const object of objects) all.put(object, 'initial');
      all.synced();
    },
    refusal: async (...args: Parameters<typeof answer>): Promise<Status> => {
      const refused = await answer(...args);
      if (typeof refused === 'function') throw new Error('it was answered');
      return refused;
    },
    list: async (...args: Parameters<typeof answer>) => {
      const write = await answer(...args);
      if (typeof write !== 'function') throw new Error(write.message);
      const { written, lines } = await body(write);
      await written;
      const [list] = lines();
      return list;
    },
    watch: async (query: string, accept?: string, path = URL) => {
      const write = await answer(`${path}?watch=true${query}`, accept);
      if (typeof write !== 'function') throw new Error(write.message);
      const { written, lines, out } = await body(write);
      let isOver = false;
      void written.then(() => {
        isOver = true;
      });
      return {
        events: () =>
          lines().map(
            ({ type, object }) =>
              `${type} ${object.code ?? object.metadata.name ?? ''}@${object.metadata.resourceVersion ?? ''}`,
          ),
        lines,
        out,
        isOver: () => isOver,
      };
    },
  };
  return all;
}

const FIRST = [pod('shop/b', 9, { app: 'x' }), pod('shop/a', 8), pod('other/a', 10, { app: 'x' })];

describe('a list from a cache', () => {
  it.each([
    ['', ['other/a', 'shop/a', 'shop/b']],
    ['?labelSelector=app%3Dx', ['other/a', 'shop/b']],
    ['?fieldSelector=metadata.name%3Da', ['other/a', 'shop/a']],
    ['?fieldSelector=metadata.namespace%3Dshop', ['shop/a', 'shop/b']],
    ['?fieldSelector=metadata.name%3Da,metadata.namespace!%3Dshop', ['other/a']],
    ['?labelSelector=app%3Dx&fieldSelector=metadata.name%3Da', ['other/a']],
  ])('has the objects of its selection %j in the order of keys, at the version of the cache', async (query, keys) => {
    const cache = serving();
    await cache.begin(...FIRST);
    const { kind, apiVersion, metadata, items } = await cache.list(URL + query);
    expect([kind, apiVersion, metadata]).toEqual(['PodList', 'v1', { resourceVersion: '10' }]);
    expect(items.map((each: UnknownObject) => `${each.metadata.namespace}/${each.metadata.name}`)).toEqual(keys);
    expect(items[0]).toEqual(FIRST.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === keys[0]));
  });

  it('of one namespace has its objects only, of one that is cached by itself or with all', async () => {
    for (const namespaces of [undefined, ['shop', 'other']]) {
      const cache = serving({ namespaces });
      await cache.begin(...FIRST);
      const { items } = await cache.list('/api/v1/namespaces/shop/pods');
      expect(items.map((each: UnknownObject) => each.metadata.name)).toEqual(['a', 'b']);
    }
  });

  it('of a type without namespaces has all objects', async () => {
    const cache = serving({ type: NODES, namespaces: ['shop'] });
    await cache.begin();
    cache.put({ metadata: { name: 'n', resourceVersion: '11' } } as UnknownObject);
    const { items } = await cache.list('/api/v1/nodes');
    expect(items).toHaveLength(1);
  });

  it('follows every change, and leaves out what is deleted', async () => {
    const cache = serving();
    await cache.begin(...FIRST);
    cache.remove(pod('shop/a', 11));
    cache.change(pod('shop/b', 9), pod('shop/b', 12));
    cache.change(pod('shop/b', 12), pod('shop/b', 12), 'resync');
    const { metadata, items } = await cache.list(URL);
    expect(metadata.resourceVersion).toBe('12');
    expect(items.map((each: UnknownObject) => each.metadata.resourceVersion)).toEqual(['10', '12']);
  });

  it('waits up to three seconds for the initial list, then belongs to the cluster', async () => {
    const cache = serving();
    const early = cache.list(URL);
    await cache.clock.advance(2999);
    cache.put(pod('shop/a', 8), 'initial');
    cache.synced();
    expect((await early).items).toHaveLength(1);
    const other = serving();
    const refused = other.refusal(URL);
    await other.clock.advance(3000);
    expect(await refused).toMatchObject({ code: 421, message: 'pods are still being listed' });
    expect(other.clock.pending).toBe(0);
  });

  it.each(['', '0', '9', '10'])('at the version %j is answered at once', async (version) => {
    const cache = serving();
    await cache.begin(...FIRST);
    expect((await cache.list(`${URL}?resourceVersion=${version}`)).items).toHaveLength(3);
    expect(cache.clock.pending).toBe(0);
  });

  it('at a later version waits up to three seconds for it, and is refused as by a server then', async () => {
    const cache = serving();
    await cache.begin(...FIRST);
    const list = cache.list(`${URL}?resourceVersion=12`);
    await cache.clock.advance(1000);
    cache.put(pod('shop/c', 11));
    await settled();
    cache.put(pod('shop/d', 12));
    expect((await list).items).toHaveLength(5);
    const refused = cache.refusal(`${URL}?resourceVersion=13`);
    await cache.clock.advance(3000);
    expect(await refused).toMatchObject({
      code: 504,
      reason: 'Timeout',
      message: 'Too large resource version: 13, current: 12',
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
    });
  });

  it('at a version that its source has reached without a change needs no wait, unless a change still waits', async () => {
    const cache = serving();
    await cache.begin(...FIRST);
    cache.continuity.resourceVersion = '20';
    cache.registration.depth = 1;
    const refused = cache.refusal(`${URL}?resourceVersion=20`);
    await cache.clock.advance(3000);
    expect((await refused).code).toBe(504);
    cache.registration.depth = 0;
    cache.informer.isCaughtUp = false;
    const again = cache.refusal(`${URL}?resourceVersion=20`);
    await cache.clock.advance(3000);
    expect((await again).code).toBe(504);
    cache.informer.isCaughtUp = true;
    expect((await cache.list(`${URL}?resourceVersion=20`)).metadata.resourceVersion).toBe('20');
  });

  it('at exactly an old version belongs to the cluster, at exactly the present one it is answered', async () => {
    const cache = serving();
    await cache.begin(...FIRST);
    const exact = (version: string) => `${URL}?resourceVersion=${version}&resourceVersionMatch=Exact`;
    expect((await cache.list(exact('10'))).items).toHaveLength(3);
    expect(await cache.refusal(exact('9'))).toMatchObject({ code: 421 });
    expect((await cache.list(`${URL}?resourceVersion=9&resourceVersionMatch=NotOlderThan`)).items).toHaveLength(3);
  });

  it('during an outage is refused with its beginning and its reason', async () => {
    const cache = serving();
    await cache.begin(...FIRST);
    cache.continuity.connection = { state: 'disconnected', since: 0, error: new Error('no route'), why: 'connection' };
    const refused = await cache.refusal(URL);
    expect([refused.code, refused.message]).toEqual([
      503,
      'the serve has had no connection since 1970-01-01T00:00:00.000Z: no route',
    ]);
    cache.continuity.connection = { state: 'disconnected', since: 0, why: 'closed' };
    expect((await cache.refusal(URL)).message).toMatch(/: closed$/);
  });

  it('waits up to three seconds for a relist', async () => {
    const cache = serving();
    await cache.begin(...FIRST);
    cache.event({ kind: 'gap' });
    const refused = cache.refusal(URL);
    await cache.clock.advance(3000);
    expect(await refused).toMatchObject({ code: 503, message: 'the serve lists pods again' });
    const list = cache.list(URL);
    await cache.clock.advance(1000);
    cache.event({ kind: 'relisted', resourceVersion: '30' });
    expect((await list).metadata.resourceVersion).toBe('30');
  });

  it.each([
    ['?continue=abc', 'pages of a list are not kept here'],
    ['?sendInitialEvents=true', 'sendInitialEvents is not evaluated here'],
    ['?shardSelector=x', 'shardSelector is not evaluated here'],
    ['?labelSelector=a%20b%20c', ''],
    ['?fieldSelector=spec.nodeName%3Da', 'the field selector spec.nodeName is evaluated by the API server'],
    ['?fieldSelector=a', ''],
    ['/a', 'only lists and watches of collections are answered here'],
  ])('with %s belongs to the cluster', async (query, message) => {
    const cache = serving();
    await cache.begin(...FIRST);
    const refused = await cache.refusal(URL + query);
    expect(refused.code).toBe(421);
    expect(refused.message).toContain(message);
  });

  it('of what is not cached belongs to the cluster: a write, another type, another namespace, managed fields', async () => {
    const cache = serving({ namespaces: ['shop'] });
    await cache.begin();
    const codeAndText = ({ code, message }: Status) => `${code} ${message}`;
    expect(codeAndText(await cache.refusal('/api/v1/secrets'))).toBe('421 this type is not cached');
    expect(codeAndText(await cache.refusal(URL))).toBe('421 not all namespaces are cached');
    const ofOther = await cache.refusal('/api/v1/namespaces/other/pods');
    expect(codeAndText(ofOther)).toBe('421 this namespace is not cached');
    const shop = '/api/v1/namespaces/shop/pods';
    expect((await cache.refusal(shop, undefined, {}, 'POST')).code).toBe(421);
    const header = { 'kubectl-informer-managed-fields': 'true' };
    expect(codeAndText(await cache.refusal(shop, undefined, header))).toBe('421 managedFields are not cached');
    cache.added[Symbol.dispose]();
    expect(codeAndText(await cache.refusal(shop))).toBe('421 this type is not cached');
    expect(cache.registration.isRemoved).toBe(true);
  });

  it('is sent in chunks, each one item longer than 128 KiB at most', async () => {
    const cache = serving();
    await cache.begin();
    for (let i = 0; i < 300; i++) cache.put(pod(`shop/p${i}`, 11 + i, { text: 'x'.repeat(1000) }));
    const write = await cache.answer(URL);
    const sizes: number[] = [];
    const out = new Writable({
      write(chunk, _, done) {
        sizes.push(String(chunk).length);
        done();
      },
    });
    if (typeof write === 'function') await write(out);
    expect(sizes).toHaveLength(3);
    for (const size of sizes.slice(0, -1)) expect([size >= 128 * 1024, size < 130 * 1024]).toEqual([true, true]);
    expect((await cache.list(URL)).items).toHaveLength(300);
  });
});

describe('the form of objects from a cache', () => {
  const object = withRow(pod('shop/a', 8));

  it.each([
    ['', 'object', undefined],
    [METADATA, 'metadata', 'PartialObjectMetadataList'],
  ])('%j is that of the first type that is accepted', async (accept, _, kind = 'PodList') => {
    const cache = serving();
    await cache.begin(object);
    const list = await cache.list(URL, accept);
    expect(list.kind).toBe(kind);
    expect(list.apiVersion).toBe(accept === '' ? 'v1' : 'meta.k8s.io/v1');
    expect(list.items[0].spec).toEqual(accept === '' ? { n: 1 } : undefined);
    expect(list.items[0].metadata).toEqual(object.metadata);
  });

  it.each([
    ['', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }],
    [
      '?includeObject=Metadata',
      { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
    ],
    ['?includeObject=None', null],
    ['?includeObject=Object', { ...pod('shop/a', 8) }],
  ])('of a table with %j is its columns and cells, with the object that is asked for', async (query, included) => {
    const cache = serving({ as: { table: 'Object' } });
    await cache.begin(object);
    expect(await cache.list(URL + query, TABLE)).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '10' },
      columnDefinitions: COLUMNS,
      rows: [{ cells: ['a'], object: included }],
    });
  });

  it('belongs to the cluster where the cache has less', async () => {
    const ask = async (as: CachedTypeOptions['as'], accept: string, query = '') => {
      const cache = serving({ as });
      await cache.begin(object);
      const refused = await cache.refusal(URL + query, accept);
      expect(refused.code).toBe(421);
      return refused.message;
    };
    expect(await ask('metadata', '')).toBe('whole objects of pods are not cached');
    expect(await ask({ table: 'Metadata' }, '')).toBe('whole objects of pods are not cached');
    expect(await ask({ table: 'Metadata' }, TABLE, '?includeObject=Object')).toBe(
      'whole objects of pods are not cached',
    );
    expect(await ask('object', TABLE)).toBe('tables of pods are not cached');
  });

  it('of a table belongs to the cluster until an object has shown the columns; the last one that went has', async () => {
    const cache = serving({ as: { table: 'Object' } });
    await cache.begin();
    expect(await cache.refusal(URL, TABLE)).toMatchObject({
      code: 421,
      message: 'no object has shown the columns of pods yet',
    });
    cache.put(object);
    cache.remove(withRow(pod('shop/a', 12)));
    expect(await cache.list(URL, TABLE)).toMatchObject({ columnDefinitions: COLUMNS, rows: [] });
  });

  it('of a table has the columns of the first object in it', async () => {
    const cache = serving({ as: { table: 'Object' } });
    const others = [...COLUMNS, ...COLUMNS];
    await cache.begin(withRow(pod('shop/b', 8)), withRow(pod('shop/a', 9, { app: 'x' }), others));
    expect((await cache.list(URL, TABLE)).columnDefinitions).toEqual(others);
    expect((await cache.list(`${URL}?labelSelector=app%3Dx`, TABLE)).columnDefinitions).toEqual(others);
    expect((await cache.list(`${URL}?labelSelector=app%21%3Dx`, TABLE)).columnDefinitions).toEqual(COLUMNS);
  });

  it('of a table in a watch has its columns in the first event, and where they are others', async () => {
    const cache = serving({ as: { table: 'Object' } });
    await cache.begin();
    const { lines } = await cache.watch('&resourceVersion=10', TABLE);
    const others = [...COLUMNS, ...COLUMNS];
    cache.put(withRow(pod('shop/a', 11)));
    cache.put(withRow(pod('shop/b', 12)));
    cache.put(withRow(pod('shop/c', 13), others));
    await settled();
    expect(
      lines().map(({ object }) => [object.kind, object.metadata.resourceVersion, object.columnDefinitions]),
    ).toEqual([
      ['Table', '11', COLUMNS],
      ['Table', '12', null],
      ['Table', '13', others],
    ]);
  });
});

describe('a watch from a cache', () => {
  it('after a version shows every later change in its order, as it happens', async () => {
    const cache = serving();
    await cache.begin(...FIRST);
    cache.put(pod('shop/c', 11));
    cache.change(pod('shop/c', 11), pod('shop/c', 12));
    const { events, isOver } = await cache.watch('&resourceVersion=11');
    expect(events()).toEqual(['MODIFIED c@12']);
    cache.remove(pod('shop/c', 13));
    cache.put(pod('shop/d', 14));
    await settled();
    expect(events()).toEqual(['MODIFIED c@12', 'DELETED c@13', 'ADDED d@14']);
    expect(isOver()).toBe(false);
  });

  it.each(['', '&resourceVersion=0', '&resourceVersion='])('with %j shows the present objects first', async (query) => {
    const cache = serving();
    await cache.begin(...FIRST);
    const { events } = await cache.watch(query);
    cache.put(pod('shop/c', 11));
    await settled();
    expect(events()).toEqual(['ADDED a@10', 'ADDED a@8', 'ADDED b@9', 'ADDED c@11']);
  });

  it('shows an object that enters or leaves a selection as added or deleted, and no other', async () => {
    const cache = serving();
    const [x, y] = [{ app: 'x' }, { app: 'y' }];
    await cache.begin(pod('shop/a', 8, x), pod('shop/b', 9, y));
    const { events, lines } = await cache.watch('&resourceVersion=10&labelSelector=app%3Dx');
    cache.change(pod('shop/b', 9, y), pod('shop/b', 11, x));
    cache.change(pod('shop/b', 11, x), pod('shop/b', 12, x));
    cache.change(pod('shop/a', 8, x), pod('shop/a', 13, y));
    cache.change(pod('shop/a', 13, y), pod('shop/a', 14, y));
    cache.put(pod('shop/c', 15, x));
    cache.put(pod('shop/d', 16, y));
    cache.remove(pod('shop/c', 17, x));
    cache.remove(pod('shop/d', 18, y));
    await settled();
    expect(events()).toEqual(['ADDED b@11', 'MODIFIED b@12', 'DELETED a@13', 'ADDED c@15', 'DELETED c@17']);
    expect(lines()[2].object.metadata.labels).toEqual(x); // the last state that matched
  });

  it('from a version ahead of the cache begins behind it', async () => {
    const cache = serving();
    await cache.begin(...FIRST);
    const { events } = await cache.watch('&resourceVersion=12');
    for (const version of [11, 12, 13]) cache.put(pod(`shop/p${version}`, version));
    await settled();
    expect(events()).toEqual(['ADDED p13@13']);
  });

  it('ends with 410 if its version is too old, or when a gap or a relist may have hidden changes', async () => {
    const gone = 'ERROR 410@';
    const cache = serving();
    await cache.begin(...FIRST);
    const old = await cache.watch('&resourceVersion=9');
    expect([old.events(), old.isOver()]).toEqual([[gone], true]);
    expect(old.lines()[0].object).toMatchObject({ reason: 'Expired', message: 'too old resource version: 9 (10)' });
    const open = await cache.watch('&resourceVersion=10');
    cache.event({ kind: 'gap' });
    await settled();
    expect([open.events(), open.isOver()]).toEqual([[gone], true]);
    cache.event({ kind: 'relisted', resourceVersion: '20' });
    const next = await cache.watch('&resourceVersion=20');
    cache.put(pod('shop/z', 21), 'relist');
    await settled();
    expect([next.events(), next.isOver()]).toEqual([[gone], true]);
  });

  it('ends when the connection of its source is lost, behind the changes that came before', async () => {
    const cache = serving();
    await cache.begin(...FIRST);
    const { events, isOver } = await cache.watch('&resourceVersion=10');
    cache.put(pod('shop/c', 11));
    cache.continuity.connection = { state: 'disconnected', since: 0, why: 'closed' };
    cache.event({ kind: 'disconnected' });
    await settled();
    expect([events(), isOver()]).toEqual([['ADDED c@11'], true]);
  });

  it('has a bookmark after 15 s without a change, if its source gave a sign of life meanwhile', async () => {
    const cache = serving();
    await cache.begin(...FIRST);
    const bookmarked = await cache.watch('&resourceVersion=10&allowWatchBookmarks=true');
    const plain = await cache.watch('&resourceVersion=10');
    await cache.clock.advance(15_000);
    expect(bookmarked.events()).toEqual([]);
    cache.continuity.lastSignOfLife = 1;
    cache.continuity.resourceVersion = '25';
    await cache.clock.advance(1_000);
    cache.event({ kind: 'connected' }); // which is no change
    await cache.clock.advance(14_999);
    expect(bookmarked.events()).toEqual([]);
    await cache.clock.advance(1);
    expect(bookmarked.events()).toEqual(['BOOKMARK @25']);
    expect(bookmarked.lines()[0].object).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
    await cache.clock.advance(60_000);
    expect([bookmarked.events().length, plain.events()]).toEqual([1, []]);
  });

  it.each<[string, (cache: ReturnType<typeof serving>) => void, string]>([
    ['a change', (cache) => cache.put(pod('shop/c', 26)), 'ADDED c@26'],
    ['a gap', (cache) => cache.event({ kind: 'gap' }), 'ERROR 410@'],
  ])('has no bookmark where %s comes at that moment', async (_, come, line) => {
    const cache = serving();
    await cache.begin(...FIRST);
    const { events } = await cache.watch('&resourceVersion=10&allowWatchBookmarks=true');
    Object.defineProperty(cache.continuity, 'lastSignOfLife', {
      get() {
        come(cache); // between the end of the pause and the bookmark
        return 1;
      },
    });
    await cache.clock.advance(15_000);
    expect(events()).toEqual([line]);
  });

  it('bookmarks in the form of its objects', async () => {
    for (const [as, accept, kind] of [
      ['metadata', METADATA, 'PartialObjectMetadata'],
      [{ table: 'Object' }, TABLE, 'Table'],
    ] as const) {
      const cache = serving({ as });
      await cache.begin(withRow(pod('shop/a', 8)));
      const { lines } = await cache.watch('&resourceVersion=10&allowWatchBookmarks=true', accept);
      cache.continuity.lastSignOfLife = 1;
      await cache.clock.advance(15_000);
      expect(lines()[0].object).toMatchObject({
        kind,
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: '10' },
      });
      if (kind !== 'Table') continue;
      const [row] = lines()[0].object.rows;
      expect(row).toMatchObject({ cells: [], object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' } });
    }
  });

  it('ends after its timeout, or when its client goes, and leaves no timer', async () => {
    const cache = serving();
    await cache.begin(...FIRST);
    const limited = await cache.watch('&resourceVersion=10&timeoutSeconds=30');
    const left = await cache.watch('&resourceVersion=10');
    await cache.clock.advance(29_000);
    expect(limited.isOver()).toBe(false);
    await cache.clock.advance(1000);
    expect([limited.isOver(), limited.events(), left.isOver()]).toEqual([true, [], false]);
    left.out.destroy();
    await settled();
    expect([left.isOver(), cache.clock.pending]).toEqual([true, 0]);
  });

  it('shows many changes at once whole and in order', async () => {
    const cache = serving();
    await cache.begin();
    for (let i = 0; i < 1000; i++) cache.put(pod(`shop/p${i}`, 11 + i, { app: i % 400 === 0 ? 'x' : 'y' }));
    const all = await cache.watch('&resourceVersion=10');
    const few = await cache.watch('&resourceVersion=10&labelSelector=app%3Dx');
    await settled();
    expect(all.events()).toEqual(Array.from({ length: 1000 }, (_, i) => `ADDED p${i}@${11 + i}`));
    expect(few.events()).toEqual(['ADDED p0@11', 'ADDED p400@411', 'ADDED p800@811']);
  });

  it('is that of the source of its namespace', async () => {
    const cache = serving({ namespaces: ['shop', 'other'] });
    await cache.begin(...FIRST);
    const { events, isOver } = await cache.watch('&resourceVersion=10', undefined, '/api/v1/namespaces/shop/pods');
    cache.put(pod('other/c', 11));
    cache.put(pod('shop/c', 12));
    cache.event({ kind: 'gap', scope: 'other' });
    await settled();
    expect([events(), isOver()]).toEqual([['ADDED c@12'], false]);
  });
});
