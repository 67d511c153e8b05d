import { expect, it } from 'vitest';
import type { OwnerReference, ReadonlyObject, UnknownObject } from '../../../src/model/object.ts';
import { loadOwners } from '../../../src/query/index/owner-graph.ts';

type Ref = [kind: string, name: string, apiVersion?: string];

const uidOf = (kind: string, name: string) => `uid-${kind}-${name}`;
const refTo = ([kind, name, apiVersion = 'apps/v1']: Ref): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid: uidOf(kind, name),
});

function object(kind: string, name: string, owners: Ref[] = [], namespace: string | undefined = 'shop'): UnknownObject {
  const metadata = {
    name,
    uid: uidOf(kind, name),
    ...(namespace ? { namespace } : {}),
    ownerReferences: owners.map(refTo),
  };
  return { apiVersion: 'v1', kind, metadata } as UnknownObject;
}

/** A fake cluster with these objects, which records the lists that are requested. */
function cluster(...objects: UnknownObject[]) {
  const asked: string[] = [];
  const list = async (
    { group, version, kind }: { group: string; version: string; kind: string },
    namespace: string | undefined,
  ) => {
    asked.push(`${group}/${version} ${kind} in ${namespace ?? 'the cluster'}`);
    await new Promise((resolve) => setImmediate(resolve));
    return objects.filter((o) => o.kind === kind && o.metadata.namespace === namespace) as readonly ReadonlyObject[];
  };
  return { asked, source: { known: (): UnknownObject[] => [], isComplete: () => false, list } };
}

const nameOf = (found: ReadonlyObject | undefined) => found?.metadata.name;

it('finds owners and their owners up to the roots, by one list for each kind and namespace', async () => {
  const pods = [
    object('Pod', 'web-1', [['ReplicaSet', 'web']]),
    object('Pod', 'web-2', [['ReplicaSet', 'web']]),
    object('Pod', 'old-1', [['ReplicaSet', 'old']]),
    object('Pod', 'db-1', [['StatefulSet', 'db']]),
    object('Pod', 'bank-1', [['ReplicaSet', 'bank']], 'bank'),
    object('Pod', 'alone'),
  ];
  const { asked, source } = cluster(
    object('ReplicaSet', 'web', [['Deployment', 'web']]),
    object('ReplicaSet', 'old', [['Deployment', 'web']]),
    object('StatefulSet', 'db'),
    object('ReplicaSet', 'bank', [['Deployment', 'bank']], 'bank'),
    object('Deployment', 'web', [['App', 'shop', 'example.com/v2']]),
    object('Deployment', 'bank', [], 'bank'),
    object('App', 'shop'),
  );
  const find = await loadOwners(pods, source);
  const chain = (
    ['ReplicaSet web', 'StatefulSet db', 'ReplicaSet bank', 'Deployment web', 'Deployment bank', 'App shop'] as const
  ).map((each) => {
    const [kind = '', name = ''] = each.split(' ');
    return nameOf(find(refTo([kind, name])));
  });
  expect(chain).toEqual(['web', 'db', 'bank', 'web', 'bank', 'shop']);
  expect(find(refTo(['ReplicaSet', 'none']))).toBeUndefined();
  expect(asked).toEqual([
    'apps/v1 ReplicaSet in shop',
    'apps/v1 StatefulSet in shop',
    'apps/v1 ReplicaSet in bank',
    'apps/v1 Deployment in shop',
    'apps/v1 Deployment in bank',
    'example.com/v2 App in shop',
  ]);
});

it('lists nothing if no object has an owner', async () => {
  const { asked, source } = cluster();
  await loadOwners(
    [object('Pod', 'a'), { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } } as UnknownObject],
    source,
  );
  expect(asked).toEqual([]);
});

it('looks for the owners of a cluster-scoped object without a namespace', async () => {
  const node = {
    apiVersion: 'v1',
    kind: 'Lease',
    metadata: { name: 'n1', uid: 'u', ownerReferences: [refTo(['Node', 'n1', 'v1'])] },
  };
  const { asked, source } = cluster(object('Node', 'n1', [], ''));
  const find = await loadOwners([node as UnknownObject], source);
  expect([nameOf(find(refTo(['Node', 'n1']))), asked]).toEqual(['n1', ['/v1 Node in the cluster']]);
});

it('ends if two owners own each other', async () => {
  const { asked, source } = cluster(object('A', 'a', [['B', 'b']]), object('B', 'b', [['A', 'a']]));
  const find = await loadOwners([object('Pod', 'p', [['A', 'a']])], source);
  expect([find(refTo(['A', 'a'])), find(refTo(['B', 'b']))].map(nameOf)).toEqual(['a', 'b']);
  expect(asked).toEqual(['apps/v1 A in shop', 'apps/v1 B in shop']);
});

it('goes eight levels up and no further', async () => {
  const kinds = Array.from({ length: 12 }, (_, i) => `K${i}`);
  const { asked, source } = cluster(...kinds.map((kind, i) => object(kind, 'x', i < 11 ? [[`K${i + 1}`, 'x']] : [])));
  const find = await loadOwners([object('Pod', 'p', [['K0', 'x']])], source);
  expect(asked).toHaveLength(8);
  expect([nameOf(find(refTo(['K7', 'x']))), nameOf(find(refTo(['K8', 'x'])))]).toEqual(['x', undefined]);
});

it('finds owners among the objects that are there, and requests only kinds of which not everything is there', async () => {
  const pods = [
    object('Pod', 'web-1', [['ReplicaSet', 'web']]),
    object('Pod', 'old-1', [['ReplicaSet', 'old']]),
    object('Pod', 'db-1', [['StatefulSet', 'db']]),
  ];
  const web = object('ReplicaSet', 'web', [['Deployment', 'web']]);
  const { asked, source } = cluster(
    object('StatefulSet', 'db'),
    object('Deployment', 'web'),
    object('ReplicaSet', 'old'),
  );
  const known = [...pods, web];
  const find = await loadOwners(pods, {
    ...source,
    known: () => known,
    isComplete: ({ kind }) => kind === 'ReplicaSet',
  });
  const found = (['ReplicaSet web', 'ReplicaSet old', 'StatefulSet db', 'Deployment web'] as const).map((each) => {
    const [kind = '', name = ''] = each.split(' ');
    return nameOf(find(refTo([kind, name])));
  });
  expect(found).toEqual(['web', undefined, 'db', 'web']);
  expect(asked).toEqual(['apps/v1 StatefulSet in shop', 'apps/v1 Deployment in shop']);
});

it('requests a kind of which only a part is there, if an owner is not in it', async () => {
  const pods = [object('Pod', 'a', [['ReplicaSet', 'a']]), object('Pod', 'b', [['ReplicaSet', 'b']])];
  const { asked, source } = cluster(object('ReplicaSet', 'b'));
  const find = await loadOwners(pods, { ...source, known: () => [object('ReplicaSet', 'a')] });
  expect([nameOf(find(refTo(['ReplicaSet', 'a']))), nameOf(find(refTo(['ReplicaSet', 'b'])))]).toEqual(['a', 'b']);
  expect(asked).toEqual(['apps/v1 ReplicaSet in shop']);
});

it('climbs only from owners that something has, not from all objects of their kind', async () => {
  const { asked, source } = cluster(object('ReplicaSet', 'web'), object('ReplicaSet', 'other', [['App', 'x']]));
  await loadOwners([object('Pod', 'web-1', [['ReplicaSet', 'web']])], source);
  expect(asked).toEqual(['apps/v1 ReplicaSet in shop']);
});
