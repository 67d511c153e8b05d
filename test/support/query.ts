import { Indexer } from '../../src/informer/store/indexer.ts';
import { createLister, type Lister } from '../../src/informer/store/lister.ts';
import { indexByNamespace, NAMESPACE_INDEX } from '../../src/informer/store/object-index.ts';
import type { ReadonlyObject, UnknownObject } from '../../src/model/object.ts';
import type { IndexDefinition } from '../../src/query/index/index-definition.ts';
import { indexersOf } from '../../src/query/index/stored-index.ts';

/** A pod with the fields that the built-in indexes read. */
export const pod = (
  name: string,
  node: string | undefined,
  phase: string,
  restarts: number,
  images = ['app:1'],
): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: name < 'c' ? 'shop' : 'bank', labels: { app: name.slice(0, 1), 'x.y/z': 'w' } },
  spec: { ...(node ? { nodeName: node } : {}), containers: images.map((image) => ({ image })) },
  status: { phase, restarts },
});

/** Five pods on two nodes. */
export const PODS = [
  pod('a-1', 'n1', 'Running', 0),
  pod('a-2', 'n1', 'Running', 12, ['app:1', 'side:2']),
  pod('b-1', 'n2', 'Running', 3, ['app:2']),
  pod('c-1', undefined, 'Pending', 0),
  pod('c-2', 'n1', 'Failed', 5),
];

/** A store with these objects that keeps these indexes, under their keys and their names. */
export function storeOf(objects: UnknownObject[], kept: readonly IndexDefinition[]): Lister<UnknownObject> {
  const byName = kept.map(({ name, valuesOf }) => [name, (object: UnknownObject) => valuesOf(object)]);
  const indexers = { ...Object.fromEntries(byName), ...indexersOf(kept), [NAMESPACE_INDEX]: indexByNamespace };
  const indexer = new Indexer<UnknownObject>({ indexers });
  indexer.replace(objects, '1');
  return createLister(indexer);
}

/** The names of objects, sorted. */
export const names = (objects: readonly ReadonlyObject[]) => objects.map((object) => object.metadata.name).toSorted();
