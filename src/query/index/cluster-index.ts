import type { ValueExpression } from '../../expr/path-or-cel.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { IndexDefinition } from './index-definition.ts';
import { type Lookup, lookupTest } from './lookup.ts';

/** The index with the name of the cluster of an object, which is the name of its context. */
export const CLUSTER_INDEX = 'cluster';

/** The index `cluster` over the objects of one cluster. */
export function clusterIndex(cluster: string): IndexDefinition {
  return {
    name: CLUSTER_INDEX,
    key: `cluster ${cluster}`,
    from: 'the name of the context',
    stable: true,
    valuesOf: () => [cluster],
  };
}

/** Whether objects of a cluster can satisfy the lookups. One that cannot need not be asked. */
export function canHaveMatches(cluster: string, lookups: readonly Lookup[]): boolean {
  return lookups.filter(({ index }) => index === CLUSTER_INDEX).every((lookup) => lookupTest(lookup)(cluster));
}

/** A query about objects of several places: the index of places, and the expression with its name for `--group-by`. */
export interface PlaceIndex {
  readonly index: IndexDefinition;
  readonly expression: Pick<ValueExpression, 'text' | 'reads' | 'values'>;
}

/** `--values cluster`, and `--group-by cluster`: the field `cluster`, which objects of several clusters have. */
export const OF_CLUSTERS: PlaceIndex = {
  index: clusterIndex(''),
  expression: {
    text: CLUSTER_INDEX,
    reads: [],
    values: (object: ReadonlyObject & { readonly cluster?: unknown }): unknown[] => [object.cluster],
  },
};
