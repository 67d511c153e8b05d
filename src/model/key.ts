import { InformerError } from '../kit/error.ts';
import { hasMetadata, Tombstone } from './object.ts';

/** `namespace/name`, or `name` for cluster-scoped objects. The key of every cache and queue of this package. */
export type ObjectKey = string;

/** A key passed in place of an object. Source: client-go tools/cache ExplicitKey. */
export class ExplicitKey {
  readonly key: ObjectKey;

  constructor(key: ObjectKey) {
    this.key = key;
  }
}

/** The key of a namespace and a name: `shop/web`, or `web` without a namespace. */
export function joinKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * The key of an object, a {@link Tombstone} (its own key) or an {@link ExplicitKey}.
 * Throws `store` with "object has no meta" for anything else, and for a name that is not a text.
 * Source: client-go MetaNamespaceKeyFunc, DeletionHandlingMetaNamespaceKeyFunc.
 */
export function keyOf(value: unknown): ObjectKey {
  if (value instanceof Tombstone || value instanceof ExplicitKey) return value.key;
  if (!hasMetadata(value)) throw new InformerError('store', 'object has no meta');
  const { namespace, name } = value.metadata;
  return joinKey(textOf('namespace', namespace), textOf('name', name));
}

function textOf(field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  throw new InformerError('store', `the ${field} of the object is not a text but ${typeof value}`);
}

/** The parts of a key; the namespace of a cluster-scoped object is ''. A name from a server may have a slash. */
export function partsOfKey(key: ObjectKey): { namespace: string; name: string } {
  const at = key.indexOf('/');
  return { namespace: key.slice(0, Math.max(0, at)), name: key.slice(at + 1) };
}

/**
 * Splits a key. The namespace of a cluster-scoped object is ''. Throws `argument` ("unexpected key format") on more
 * than one slash.
 */
export function splitKey(key: ObjectKey): { namespace: string; name: string } {
  const parts = partsOfKey(key);
  if (!parts.name.includes('/')) return parts;
  throw new InformerError('argument', `unexpected key format: ${JSON.stringify(key)}`);
}
