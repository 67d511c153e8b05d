import { describe, expect, test } from 'vitest';
import type { Lister } from '../../../src/informer/store/lister.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { parseIndex } from '../../../src/query/index/index-definition.ts';
import { parseLookup } from '../../../src/query/index/lookup.ts';
import { formatExplanation, runLookups } from '../../../src/query/index/lookup-plan.ts';
import { type IndexedStore, viewedStore } from '../../../src/query/index/stored-index.ts';
import { freshLister } from '../../support/fresh-lister.ts';
import { names, PODS, storeOf } from '../../support/query.ts';

const usual = (store: Lister<UnknownObject>): IndexedStore => store;
const fresh = (store: Lister<UnknownObject>): IndexedStore => viewedStore(freshLister(store));

describe.each([
  ['kept by the store', true, usual],
  ['kept by a store that gives another copy at each read', true, fresh],
  ['computed during a scan', false, usual],
  ['computed during a scan of a store that gives another copy at each read', false, fresh],
])('with indexes %s', (_, kept, seen) => {
  const catalog = new IndexCatalog();
  const indexes = kept ? ['node', 'phase', 'image', 'namespace', 'label:app'] : [];
  const store = seen(
    storeOf(
      PODS,
      indexes.map((name) => catalog.get(name)),
    ),
  );
  const ask = (...lookups: [Parameters<typeof parseLookup>[0], string][]) =>
    names(runLookups({ store, catalog, lookups: lookups.map(([flag, text]) => parseLookup(flag, text)) }).objects);

  test.each<[string, [Parameters<typeof parseLookup>[0], string][], string[]]>([
    ['no lookup: every object', [], ['a-1', 'a-2', 'b-1', 'c-1', 'c-2']],
    ['a value', [['eq', 'node=n1']], ['a-1', 'a-2', 'c-2']],
    ['a value that no object has', [['eq', 'node=n9']], []],
    [
      'several values, an object that has two of them once',
      [['in', 'image=app:1,side:2']],
      ['a-1', 'a-2', 'c-1', 'c-2'],
    ],
    ['a prefix', [['prefix', 'image=app:']], ['a-1', 'a-2', 'b-1', 'c-1', 'c-2']],
    ['a range', [['range', 'node=n1..n1']], ['a-1', 'a-2', 'c-2']],
    ['several lookups, all of which must be satisfied', [['eq', 'node=n1'], ['in', 'phase=Failed,Pending']], ['c-2']], // biome-ignore format: rows
    ['a label', [['eq', 'label:app=b']], ['b-1']],
    ['a namespace', [['eq', 'namespace=bank']], ['c-1', 'c-2']],
  ])('%s', (_, lookups, expected) => {
    expect(ask(...lookups)).toEqual(expected);
  });
});

describe('what is found in a store that makes its objects when they are read', () => {
  const catalog = new IndexCatalog();
  const found = (kept: string[], ...lookups: [Parameters<typeof parseLookup>[0], string][]) => {
    const store = storeOf(PODS, kept.map((name) => catalog.get(name))); // biome-ignore format: short
    const parsed = lookups.map(([flag, text]) => parseLookup(flag, text));
    return runLookups({ store: viewedStore(freshLister(store)), catalog, lookups: parsed }).objects;
  };

  test.each([
    ['in a scan', found([], ['eq', 'node=n1'])],
    ['under several values of an index', found(['image'], ['in', 'image=app:1,side:2'])],
    ['where two indexes meet', found(['node', 'phase'], ['eq', 'node=n1'], ['eq', 'phase=Running'])],
    ['by an index and a test', found(['node'], ['eq', 'node=n1'], ['prefix', 'phase=R'])],
  ])('is not kept as objects: %s', (_, objects) => {
    expect(objects.length).toBeGreaterThan(1);
    expect(objects[0]).toEqual(objects[0]);
    expect(objects[0]).not.toBe(objects[0]);
  });
});

describe('the plan', () => {
  const catalog = new IndexCatalog();
  const explain = (kept: string[], ...lookups: string[]) => {
    const store = storeOf(PODS, kept.map((name) => catalog.get(name))); // biome-ignore format: short
    return formatExplanation(
      runLookups({ store, catalog, lookups: lookups.map((text) => parseLookup('eq', text)) }).explanation,
    );
  };

  test.each([
    [
      'reads the smallest kept index and tests the rest',
      ['node', 'phase'],
      ['node=n1', 'phase=Failed'],
      'index phase=Failed (1 candidate of 5); tested node=n1; scanned 1, lookups kept 1',
    ],
    [
      'intersects two indexes with equally many candidates',
      ['node', 'phase'],
      ['node=n1', 'phase=Running'],
      'index node=n1 (3 candidates of 5); intersected with index phase=Running (3 candidates); scanned 3, lookups kept 2',
    ],
    [
      'prefers a kept index to one that is not kept',
      ['node'],
      ['phase=Failed', 'node=n1'],
      'index node=n1 (3 candidates of 5); tested phase=Failed; scanned 3, lookups kept 1',
    ],
    [
      'scans every object without one',
      [],
      ['node=n1'],
      'no index, every object of 5; tested node=n1; scanned 5, lookups kept 3',
    ],
  ])('%s', (_, kept, lookups, expected) => {
    expect(explain(kept, ...lookups)).toBe(expected);
  });
});

describe('ranges', () => {
  test.each([
    ['restarts=3..5', ['b-1', 'c-2']],
    ['restarts=4..', ['a-2', 'c-2']],
    ['restarts=..3', ['a-1', 'b-1', 'c-1']],
  ])('order numbers as numbers: %s', async (text, expected) => {
    const restarts = await parseIndex('restarts=.status.restarts');
    const catalog = new IndexCatalog([restarts]);
    const { objects } = runLookups({
      store: storeOf(PODS, [restarts]),
      catalog,
      lookups: [parseLookup('range', text)],
    });
    expect(names(objects)).toEqual(expected);
  });
});

describe.each([
  ['kept by the store', true],
  ['computed during a scan', false],
])('ranges of quantities, with an index %s', (_, kept) => {
  const volume = (name: string, storage: string): UnknownObject => ({
    metadata: { name },
    spec: { capacity: { storage } },
  });
  const volumes = [
    volume('a', '1536Mi'),
    volume('b', '5Gi'),
    volume('c', '10240Mi'),
    volume('d', '11Gi'),
    volume('e', 'some'),
  ];

  test.each([
    ['c=2Gi..10Gi', ['b', 'c']],
    ['c=..2Gi', ['a']],
    ['c=10Gi..', ['c', 'd']],
    ['c=some..', ['e']],
    ['c=10Gi..some', ['a', 'b', 'd', 'e']],
    ['c=1..z', ['a', 'b', 'c', 'd', 'e']],
    ['c=5120Mi..5Gi', ['b']],
  ])('find %s by size, or by bytes if the ends are of two kinds', async (text, expected) => {
    const capacity = await parseIndex('c=.spec.capacity.storage');
    const store = storeOf(volumes, kept ? [capacity] : []);
    const lookups = [parseLookup('range', text)];
    expect(names(runLookups({ store, catalog: new IndexCatalog([capacity]), lookups }).objects)).toEqual(expected);
  });
});

describe.each([
  ['kept by the store', true],
  ['computed during a scan', false],
])('ranges of times, with an index %s', (_, kept) => {
  const lease = (name: string, time: string): UnknownObject => ({ metadata: { name }, spec: { time } });
  const leases = [
    lease('a', '2026-11-21T23:30:00-01:00'),
    lease('b', '2026-11-21T23:30:00Z'),
    lease('c', '2026-11-22T01:00:00+02:00'),
    lease('d', '2026-11-22T00:30:00.000001Z'),
    lease('e', 'never'),
    lease('f', '5'),
  ];

  test.each([
    ['t=2026-11-21T23:00:00Z..2026-11-22T00:00:00Z', ['b', 'c']],
    ['t=2026-11-22T00:30:00Z..2026-11-22T01:00:00Z', ['a', 'd']],
    ['t=2026-11-22..2026-11-23', ['a', 'd']],
    ['t=2026-11-21T23:00:00Z..2026-11-21T23:00:00Z', ['c']],
    ['t=..2026-11-21T23:10:00Z', ['c']],
    ['t=..5', ['f']],
  ])('find %s by the instant', async (text, expected) => {
    const time = await parseIndex('t=.spec.time');
    const store = storeOf(leases, kept ? [time] : []);
    const lookups = [parseLookup('range', text)];
    const { objects } = runLookups({ store, catalog: new IndexCatalog([time]), lookups });
    expect(names(objects).toSorted()).toEqual(expected);
  });
});
