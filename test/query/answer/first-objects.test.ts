import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadExpression } from '../../../src/expr/path-or-cel.ts';
import type { StoreKind } from '../../../src/informer/compact/compact-store.ts';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { createLister } from '../../../src/informer/store/lister.ts';
import { compareText } from '../../../src/kit/text-order.ts';
import { keyOf } from '../../../src/model/key.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { sortedBy } from '../../../src/query/answer/arrange.ts';
import { arranged, findIn } from '../../../src/query/answer/found.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { viewOf } from '../../../src/serve/hold/cached-view.ts';
import type { ServedCache } from '../../../src/serve/hold/served-cache.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const TYPE = { gvr: { group: '', version: 'v1', resource: 'things' }, kind: 'Thing', namespaced: true } as ResourceType;
const SECRETS = { ...TYPE, gvr: { group: '', version: 'v1', resource: 'secrets' }, kind: 'Secret' } as ResourceType;
const EXPRESSION = await loadExpression('.spec.rank', { flag: '--sort-by' });
const QUESTION = { lookups: [], explain: false, conditions: [], filters: [], wheres: [], filtersNeedObject: false };
const ALL = { names: [], namespaces: [''], selector: undefined, fieldSelector: undefined };

const thing = (name: string, rank: unknown, n: number): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'shop', uid: name, resourceVersion: String(n) },
  ...(rank === undefined ? {} : { spec: { rank } }),
});

/** A cache that is asked for its first objects, and the number of values that are read for it. */
function cacheOf(store: StoreKind, type = TYPE) {
  const indexer = new Indexer<UnknownObject>({ store });
  const lister = createLister(indexer);
  const target = { type, namespaces: [''], forbidden: [], informer: { lister } } as unknown as ServedCache;
  let reads = 0;
  const readRanks: unknown[] = [];
  const values = (object: unknown) => {
    reads++;
    const found = EXPRESSION.values(object);
    readRanks.push(found[0]);
    return found;
  };
  const sortBy = { ...EXPRESSION, values };
  const sink = { clock: new FakeClock(), notice: () => {} };
  const finding = { catalog: new IndexCatalog(), matches: () => true, areListed: true, sink };
  return {
    indexer,
    reads: () => reads,
    readRanks: () => readRanks,
    async first(sortsDescending: boolean, limit: number) {
      const found = findIn(QUESTION as never, viewOf(target, ALL), finding as never);
      const all = await arranged([found], { sortBy, sortsDescending, limit }, sink);
      return all.map(({ object }) => textOf(object as UnknownObject));
    },
    /** The same, by a sort of all. */
    expected(isDescending: boolean, limit: number) {
      const all = ([...lister.values()] as UnknownObject[]).sort((a, b) => compareText(keyOf(a), keyOf(b)));
      return sortedBy(all, EXPRESSION.values, { expression: '.spec.rank', isDescending }).slice(0, limit).map(textOf);
    },
  };
}

const textOf = ({ metadata, spec }: UnknownObject) =>
  `${metadata.name} ${metadata.resourceVersion} ${JSON.stringify(spec)}`;

const NAMES = Array.from({ length: 300 }, (_, i) => `t-${i}`);
const NAME = fc.constantFrom(...NAMES);
const PLAIN = fc.oneof(fc.constantFrom(undefined, null, true), fc.integer({ min: 0, max: 40 }));
const TIME = fc.date({ min: new Date('2026-01-01'), max: new Date('2026-02-01'), noInvalidDate: true }).map((at) => at.toISOString()); // biome-ignore format: one line
/** Times and sizes among each other have no order: `900Mi` is before `1Gi` by size, and a time is between them by bytes. */
const RANKS = {
  times: fc.oneof(PLAIN, TIME),
  sizes: fc.oneof(PLAIN, fc.constantFrom('7', '1Gi', '900Mi', '0.5', '1024Mi')),
};
const stepOf = (rank: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('put' as const), name: NAME, rank }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('drop' as const), name: NAME, rank }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), name: NAME, rank }) },
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('ask' as const), name: NAME, rank }) },
  );

describe.each<StoreKind>(['objects', 'compact'])('the first objects in a cache of %s', (store) => {
  it.each(['times', 'sizes'] as const)('by %s are those of a sort of all, after any changes', async (kind) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stepOf(RANKS[kind]), { maxLength: 120 }),
        fc.boolean(),
        fc.constantFrom(1, 5, 100),
        async (steps, isDescending, limit) => {
          const cache = cacheOf(store);
          const start = (n: number) => NAMES.map((name, i) => thing(name, (i * 37 + n) % 101, n));
          cache.indexer.replace(start(0), '1');
          for (const [i, { kind: what, name, rank }] of steps.entries()) {
            if (what === 'put') cache.indexer.add(thing(name, rank, i));
            if (what === 'drop') cache.indexer.deleteKey(`shop/${name}`);
            if (what === 'replace') cache.indexer.replace(start(i), String(i));
            if (what === 'ask')
              expect(await cache.first(isDescending, limit)).toEqual(cache.expected(isDescending, limit));
          }
          expect(await cache.first(isDescending, limit)).toEqual(cache.expected(isDescending, limit));
        },
      ),
      { numRuns: 20 },
    );
  });

  it('are found by the values of the objects that changed, and by all values after a replacement', async () => {
    const cache = cacheOf(store);
    cache.indexer.replace(NAMES.map((name, i) => thing(name, i, 0)), '1'); // biome-ignore format: one line
    await cache.first(true, 3);
    const [once] = [cache.reads()];
    expect(once).toBe(NAMES.length);
    cache.indexer.add(thing('t-7', 1000, 2));
    cache.indexer.add(thing('t-299', 0, 3));
    expect(await cache.first(true, 3)).toEqual(cache.expected(true, 3));
    expect(cache.reads() - once).toBe(2);
    cache.indexer.replace(NAMES.map((name, i) => thing(name, i, 4)), '5'); // biome-ignore format: one line
    expect(await cache.first(true, 3)).toEqual(cache.expected(true, 3));
    expect(cache.reads() - once).toBeGreaterThanOrEqual(NAMES.length);
  });

  it('of which more than the kept ones went, or more are asked for, are found among all', async () => {
    const cache = cacheOf(store);
    cache.indexer.replace(NAMES.map((name, i) => thing(name, i, 0)), '1'); // biome-ignore format: one line
    await cache.first(true, 1);
    for (const name of NAMES.slice(-80)) cache.indexer.deleteKey(`shop/${name}`);
    expect(await cache.first(true, 1)).toEqual(cache.expected(true, 1));
    expect(await cache.first(true, 200)).toEqual(cache.expected(true, 200));
  });

  it('are refused for a map that came, and when no object has the field any more', async () => {
    const cache = cacheOf(store);
    cache.indexer.replace([thing('a', 1, 0), thing('b', 2, 0), thing('c', 3, 0)], '1');
    await cache.first(false, 1);
    cache.indexer.add(thing('b', { a: 1 }, 2));
    await expect(cache.first(false, 1)).rejects.toThrow('".spec.rank" is a map, which has no order');
    for (const name of ['a', 'b', 'c']) cache.indexer.add(thing(name, undefined, 3));
    await expect(cache.first(false, 1)).rejects.toThrow(`couldn't find any field with path ".spec.rank"`);
    cache.indexer.add(thing('b', 5, 4));
    expect(await cache.first(true, 1)).toEqual(cache.expected(true, 1));
  });

  it('are read in the order in which the cache has the objects, which decodes least', async () => {
    const cache = cacheOf(store);
    cache.indexer.replace(NAMES.toReversed().map((name, i) => thing(name, i, 0)), '1'); // biome-ignore format: one line
    expect(await cache.first(false, 3)).toEqual(cache.expected(false, 3));
    expect(cache.readRanks()).toEqual(NAMES.keys().toArray());
  });

  it('of Secrets are not kept', async () => {
    const cache = cacheOf(store, SECRETS);
    cache.indexer.replace(NAMES.map((name, i) => thing(name, i, 0)), '1'); // biome-ignore format: one line
    await cache.first(true, 1);
    const before = cache.reads();
    await cache.first(true, 1);
    expect(cache.reads() - before).toBe(NAMES.length);
  });
});
