import { describe, expect, it } from 'vitest';
import type { ReadonlyObject, UnknownObject } from '../../../src/model/object.ts';
import { ownerTrees } from '../../../src/query/answer/owner-tree.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { parseLookup } from '../../../src/query/index/lookup.ts';
import { runLookups } from '../../../src/query/index/lookup-plan.ts';
import { loadOwners } from '../../../src/query/index/owner-graph.ts';
import { ODD_OWNER_REFERENCES } from '../../support/odd-owner-references.ts';
import { names, storeOf } from '../../support/query.ts';

const good = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u-web' };
const owned = (name: string, ownerReferences: unknown) =>
  ({ metadata: { name, namespace: 'shop', uid: `u-${name}`, ownerReferences } }) as UnknownObject;

describe.each(ODD_OWNER_REFERENCES)('ownerReferences: %j', (odd) => {
  it('counts as no owner in the index, and the other objects are found', () => {
    const catalog = new IndexCatalog([], { resolve: () => undefined });
    const store = storeOf([owned('odd', odd), owned('pod', [good])], [catalog.get('owner')]);
    const lookup = (text: string) => names(runLookups({ store, catalog, lookups: [parseLookup('eq', text)] }).objects);
    expect(lookup('owner=replicaset/web')).toEqual(['pod']);
    expect(lookup('owner=7')).toEqual([]);
  });

  it('counts as no owner when the owners are loaded', async () => {
    const lists: string[] = [];
    const source = {
      known: () => [],
      isComplete: () => false,
      list: async ({ kind }: { kind: string }) => {
        lists.push(kind);
        return [owned('web', odd)] as ReadonlyObject[];
      },
    };
    const find = await loadOwners([owned('odd', odd), owned('pod', [good])], source);
    expect(find(good)?.metadata.name).toBe('web');
    expect(lists).toEqual(['ReplicaSet']);
  });

  it('makes the object the root of a tree', () => {
    const item = { object: owned('odd', odd) as ReadonlyObject };
    expect(ownerTrees([item], [item])).toEqual([{ item, isAsked: true, children: [] }]);
  });
});
