import { InformerError } from '../../kit/error.ts';
import { isPlain } from '../../kit/same-value.ts';
import { joinKey, type ObjectKey, splitKey } from '../../model/key.ts';

/** An object of one of several clusters. */
export interface ClusterPlace<C extends string = string> {
  readonly cluster: C;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** The key of an object of one of several clusters: `eu/shop/web`, or `eu//web` without a namespace. */
export function clusterKey({
  cluster,
  namespace = '',
  name,
}: Omit<ClusterPlace, 'namespace'> & { readonly namespace?: string | undefined }): ObjectKey {
  return `${cluster}/${namespace}/${name}`;
}

/** Splits a {@link clusterKey}. Throws `argument` for another text. */
export function splitClusterKey(key: ObjectKey): ClusterPlace {
  const [cluster = '', namespace = '', name = '', ...rest] = key.split('/');
  if (cluster !== '' && name !== '' && rest.length === 0) return { cluster, namespace, name };
  throw new InformerError('argument', `unexpected key format: ${JSON.stringify(key)}`, {
    hint: 'a key of a controller of several clusters is cluster/namespace/name',
  });
}

/** The key of an object in the keys of its cluster. A key that has a cluster already stays. */
export function atCluster(cluster: string, key: ObjectKey): ObjectKey {
  return key.split('/').length === 3 ? key : clusterKey({ cluster, ...splitKey(key) });
}

/** The key of an object in its cluster: what a lister of the cluster takes. */
export function withoutCluster(key: ObjectKey): ObjectKey {
  const { namespace, name } = splitClusterKey(key);
  return joinKey(namespace, name);
}

/**
 * The key of a record, as JSON: equal records have one key, in whatever order their fields are written. Throws
 * `argument` for a value that JSON does not keep as it is.
 */
export function recordKey(record: unknown): ObjectKey {
  return JSON.stringify(sorted(record));
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || !isPlain(value))
    throw new InformerError('argument', `a ${typeof value} cannot be a part of the key of a controller`, {
      hint: 'a key is made of texts, numbers, true, false, null, lists and plain objects',
    });
  const of = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(of).filter((name) => of[name] !== undefined);
  return Object.fromEntries(names.sort().map((name) => [name, sorted(of[name])]));
}
