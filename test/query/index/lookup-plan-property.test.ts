import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { createLister } from '../../../src/informer/store/lister.ts';
import { indexByNamespace, NAMESPACE_INDEX } from '../../../src/informer/store/object-index.ts';
import type { ReadonlyObject, UnknownObject } from '../../../src/model/object.ts';
import { valueCounts } from '../../../src/query/answer/counts.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { parseIndex } from '../../../src/query/index/index-definition.ts';
import { type LookupFlag, parseLookup } from '../../../src/query/index/lookup.ts';
import { runLookups } from '../../../src/query/index/lookup-plan.ts';
import { indexersOf } from '../../../src/query/index/stored-index.ts';

const DECLARED = [
  'restarts=.status.restarts',
  'memory=object.spec.memory',
  'ready=.status.conditions[*].at',
  'both=[object.metadata.name, object.status.phase]',
];
const NAMES = ['namespace', 'node', 'image', 'phase', 'label:app', 'restarts', 'memory', 'ready', 'both'];

let catalog: IndexCatalog;
beforeAll(async () => {
  catalog = new IndexCatalog(await Promise.all(DECLARED.map((text) => parseIndex(text))));
});

const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const PHASES = ['Running', 'Pending', 'Failed'];
const SIZES = ['1Gi', '1024Mi', '512Mi', '2', '1500m', 'some', ''];
const TIMES = ['2026-01-01T00:00:00Z', '2026-01-01T02:00:00+02:00', '2026-03-01T12:00:00.5Z'];
const IMAGES = ['app:1', 'app:2', 'side:1'];

/** An object with any of the fields missing: one of few names, so that updates and deletions meet. */
const someObject = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    namespace: maybe(['shop', 'bank']),
    node: maybe(['n1', 'n2']),
    phase: maybe(PHASES),
    app: maybe(['web', 'db', '']),
    images: fc.array(fc.constantFrom(...IMAGES), { maxLength: 3 }),
    restarts: fc.option(fc.integer({ min: -2, max: 12 }), { nil: undefined }),
    memory: maybe(SIZES),
    at: fc.array(fc.constantFrom(...TIMES), { maxLength: 2 }),
  })
  .map(
    ({ name, namespace, node, phase, app, images, restarts, memory, at }): UnknownObject => ({
      metadata: { name, ...(namespace ? { namespace } : {}), ...(app === undefined ? {} : { labels: { app } }) },
      spec: { ...(node ? { nodeName: node } : {}), memory, containers: images.map((image) => ({ image })) },
      status: { phase, restarts, conditions: at.map((time) => ({ at: time })) },
    }),
  );

const someWrite = fc.oneof(
  { weight: 4, arbitrary: someObject.map((object) => (store: Indexer<UnknownObject>) => store.add(object)) },
  { weight: 1, arbitrary: someObject.map((object) => (store: Indexer<UnknownObject>) => store.delete(object)) },
  {
    weight: 1,
    arbitrary: fc
      .array(someObject, { maxLength: 8 })
      .map((objects) => (store: Indexer<UnknownObject>) => store.replace(objects, '1')),
  },
);

/** Values that objects have in an index, and some that none has. */
const DOMAINS: Readonly<Record<string, readonly string[]>> = {
  namespace: ['shop', 'bank', ''],
  node: ['n1', 'n2', 'n3'],
  image: IMAGES,
  phase: [...PHASES, ''],
  'label:app': ['web', 'db', ''],
  restarts: ['-2', '0', '3', '10', 'x'],
  memory: SIZES,
  ready: TIMES,
  both: ['a', 'b', 'Running', 'z'],
};
const someLookup = fc
  .tuple(fc.constantFrom<LookupFlag>('eq', 'in', 'prefix', 'range'), fc.constantFrom(...NAMES))
  .chain(([flag, name]) => {
    const value = fc.constantFrom(...(DOMAINS[name] as string[]));
    return fc.tuple(fc.constant(flag), fc.constant(name), value, value);
  })
  .map(([flag, name, a, b]) => {
    const texts = { eq: a, in: `${a},${b}`, prefix: a.slice(0, 2), range: `${a}..${b}` };
    try {
      return parseLookup(flag, `${name}=${texts[flag]}`);
    } catch {
      return parseLookup('eq', `${name}=${a}`); // a range that ends before it begins
    }
  });

const keysOf = (objects: readonly ReadonlyObject[]) =>
  objects.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`).toSorted();

test('whatever indexes a store keeps, a question has the answer of a full scan, also after updates', () => {
  fc.assert(
    fc.property(
      fc.array(someWrite, { minLength: 10, maxLength: 40, size: 'max' }),
      fc.subarray(NAMES),
      fc.array(someLookup, { minLength: 1, maxLength: 4 }),
      (writes, kept, lookups) => {
        const indexers = { [NAMESPACE_INDEX]: indexByNamespace, ...indexersOf(kept.map((name) => catalog.get(name))) };
        const store = new Indexer<UnknownObject>({ indexers });
        const bare = new Indexer<UnknownObject>();
        for (const write of writes) {
          write(store);
          write(bare);
          const { objects, explanation } = runLookups({ store: createLister(store), catalog, lookups });
          const scan = runLookups({ store: createLister(bare), catalog, lookups });
          expect(scan.explanation.used).toEqual([]);
          expect(keysOf(objects)).toEqual(keysOf(scan.objects));
          expect(new Set(objects).size).toBe(objects.length);
          expect(explanation).toMatchObject({ held: store.size, kept: objects.length });
          expect(explanation.used.length + explanation.tested.length).toBe(lookups.length);
          expect(explanation.scanned).toBe(explanation.used[0]?.candidates ?? store.size);
          for (const name of NAMES) {
            const counts = valueCounts(catalog.get(name), createLister(store));
            expect(counts).toEqual(valueCounts(catalog.get(name), createLister(bare)));
          }
        }
      },
    ),
    { numRuns: 300 },
  );
});

/** The values as a reader of the definitions above would write them, without the code that is tested. */
const BY_HAND: Readonly<Record<string, (object: UnknownObject) => (string | undefined)[]>> = {
  namespace: ({ metadata }) => [metadata.namespace],
  node: ({ spec }) => [(spec as { nodeName?: string }).nodeName],
  image: ({ spec }) => (spec as { containers: { image: string }[] }).containers.map(({ image }) => image),
  phase: ({ status }) => [(status as { phase?: string }).phase],
  'label:app': ({ metadata }) => [metadata.labels?.app],
};

test('equality and prefixes mean what a filter by hand finds', () => {
  const names = Object.keys(BY_HAND);
  fc.assert(
    fc.property(
      fc.array(someObject, { maxLength: 20 }),
      fc.constantFrom(...names),
      fc.constantFrom(...names),
      fc.constantFrom('shop', 'n1', 'web', 'db', '', 'Running', 'app:1'),
      fc.constantFrom('r', 'a', 'sh', 'R'),
      (objects, first, second, value, prefix) => {
        const store = new Indexer<UnknownObject>({ indexers: indexersOf([catalog.get(first)], () => false) });
        store.replace(objects, '1');
        const lookups = [parseLookup('eq', `${first}=${value}`), parseLookup('prefix', `${second}=${prefix}`)];
        const found = runLookups({ store: createLister(store), catalog, lookups }).objects;
        const byHand = [...store.values()].filter(
          (object) =>
            BY_HAND[first]?.(object).includes(value) &&
            BY_HAND[second]?.(object).some((text) => text?.startsWith(prefix)),
        );
        expect(keysOf(found)).toEqual(keysOf(byHand));
      },
    ),
  );
});
