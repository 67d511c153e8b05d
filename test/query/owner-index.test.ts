import { describe, expect, test } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { IndexCatalog } from '../../src/query/index-catalog.ts';
import { parseLookup } from '../../src/query/lookup.ts';
import { runLookups } from '../../src/query/plan.ts';
import { names, storeOf } from '../support/query.ts';

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

  test('must not be kept by an indexer', () => {
    expect(catalog.get('owner').stable).toBe(false);
  });
});
