import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { parseLookup } from '../../../src/query/index/lookup.ts';
import { runLookups } from '../../../src/query/index/lookup-plan.ts';
import { referrersIn } from '../../../src/query/index/owner-index.ts';
import { indexersOf } from '../../../src/query/index/stored-index.ts';
import { names, storeOf } from '../../support/query.ts';

describe('the owner index', () => {
  const reference = (apiVersion: string, kind: string, name: string) => ({
    apiVersion,
    kind,
    name,
    uid: `uid-${name}`,
  });
  const owners: Record<string, UnknownObject> = {
    'uid-web-1': { metadata: { name: 'web-1', ownerReferences: [reference('apps/v1', 'Deployment', 'web')] } },
    'uid-web': { metadata: { name: 'web', ownerReferences: [reference('example.com/v1', 'App', 'shop')] } },
    'uid-shop': { metadata: { name: 'shop', ownerReferences: [reference('apps/v1', 'ReplicaSet', 'web-1')] } },
  };
  const child: UnknownObject = {
    metadata: { name: 'web-1-x', namespace: 'ns', ownerReferences: [reference('apps/v1', 'ReplicaSet', 'web-1')] },
  };
  const kindOf = (word: string) => ({ deploy: 'Deployment', deployments: 'Deployment' })[word];
  const catalog = new IndexCatalog([], {
    resolve: ({ uid }, namespace) => (namespace === 'ns' ? owners[uid] : undefined),
    kindOf,
  });
  const store = storeOf([child, { metadata: { name: 'alone', namespace: 'ns' } }], []);

  test.each([
    'owner=uid-web-1',
    'owner=replicaset/web-1',
    'owner=ReplicaSet/web-1',
    'owner=deploy/web',
    'owner=deployment.apps/web',
    'owner=app.example.com/shop',
  ])('finds a descendant by %s', (text) => {
    expect(names(runLookups({ store, catalog, lookups: [parseLookup('eq', text)] }).objects)).toEqual(['web-1-x']);
  });

  test('ends at an owner that does not exist, and at a cycle', () => {
    expect(new IndexCatalog().get('owner').valuesOf(child)).toEqual([
      'uid-web-1',
      'replicaset/web-1',
      'replicaset.apps/web-1',
    ]);
    expect(catalog.get('owner').valuesOf(child)).toHaveLength(9);
  });

  test('must not be kept by an indexer, but the direct owners may', () => {
    expect(Object.keys(indexersOf([catalog.get('owner')]))).toEqual(['owner:direct']);
    expect(catalog.get('owner').stable).toBe(false);
  });
});

/** Objects in two namespaces, each with up to two owners among five objects, of which some exist. */
const someReference = fc.constantFrom(
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u0' },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'api', uid: 'u1' },
  { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u2' },
  { apiVersion: 'example.com/v1', kind: 'Deployment', name: 'web', uid: 'u3' },
  { apiVersion: 'v1', kind: 'Node', name: 'web', uid: 'u4' },
);
const someObject = (name: string) =>
  fc
    .record({
      namespace: fc.constantFrom('shop', undefined),
      ownerReferences: fc.array(someReference, { maxLength: 2 }),
    })
    .map(
      ({ namespace, ownerReferences }): UnknownObject => ({
        metadata: { name, ...(namespace ? { namespace } : {}), ownerReferences },
      }),
    );

test('a store that keeps the direct owners gives the answer of a full scan', () => {
  const values = ['u1', 'deployment/web', 'replicaset/api', 'deployment.apps/web', 'shop/deployment/web', 'pod/none'];
  fc.assert(
    fc.property(
      fc.tuple(...['a', 'b', 'c', 'd', 'e', 'f'].map(someObject)),
      fc.dictionary(fc.constantFrom('u0', 'u1', 'u2', 'u3'), someObject('owner')),
      fc.constantFrom(...values),
      (objects, owners, value) => {
        const catalog = new IndexCatalog([], { resolve: ({ uid }) => owners[uid] });
        const lookups = [parseLookup('eq', `owner=${value}`)];
        const kept = runLookups({ store: storeOf(objects, [catalog.get('owner')]), catalog, lookups });
        const scan = runLookups({ store: storeOf(objects, []), catalog, lookups });
        expect(names(kept.objects)).toEqual(names(scan.objects));
        expect([kept.explanation.used.length, scan.explanation.used.length]).toEqual([1, 0]);
      },
    ),
    { numRuns: 500 },
  );
});

test('one object stands for all that have the same owner, where the direct owners are kept', () => {
  const owned = (name: string, uid: string): UnknownObject => ({
    metadata: { name, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid }] },
  });
  const objects = [owned('a', 'u1'), owned('b', 'u1'), owned('c', 'u2')];
  const uids = (kept: boolean) =>
    [...referrersIn(storeOf(objects, kept ? [new IndexCatalog().get('owner')] : []))].flatMap(
      ({ metadata: { ownerReferences = [] } }) => ownerReferences.map(({ uid }) => uid),
    );
  expect([uids(true), uids(false)]).toEqual([
    ['u1', 'u2'],
    ['u1', 'u1', 'u2'],
  ]);
});
