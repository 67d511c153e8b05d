import { InformerError } from '../../kit/error.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import type { Tombstone } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import type { OrderedContinuity } from '../watch/continuity-ledger.ts';

/** One change to one object. `key` is undefined when the transform has removed the object's name. */
export interface ObjectDelta<T> {
  readonly type: 'Added' | 'Updated' | 'Deleted';
  readonly object: T | Tombstone<T>;
  readonly key: ObjectKey | undefined;
}

/**
 * An entry of the queue between the reflector and the store. `ReplacedAll` is a whole list. `Merged` is a list of
 * what has become a part of the collection; what it does not keep has left it. `SyncAll` asks for a
 * notification of every stored object. `Bookmark` sets the store's version. `Continuity` is a continuity event, in its
 * place among the changes.
 * Source: client-go tools/cache/delta_fifo.go; Sync and Replaced belong to the non-atomic queue.
 */
export type Delta<T> =
  | ObjectDelta<T>
  | {
      readonly type: 'ReplacedAll';
      readonly objects: readonly T[];
      /** The keys of the objects, when they are known. */
      readonly keys?: readonly ObjectKey[];
      readonly resourceVersion: ResourceVersion;
      /** Whether an earlier run has stored the list. */
      readonly isStored?: boolean;
    }
  | {
      readonly type: 'Merged';
      readonly objects: readonly T[];
      readonly keeps: (object: T) => boolean;
      readonly resourceVersion: ResourceVersion;
    }
  | { readonly type: 'SyncAll' }
  | { readonly type: 'Bookmark'; readonly resourceVersion: ResourceVersion }
  | { readonly type: 'Continuity'; readonly event: OrderedContinuity };

export function isObjectDelta<T>(delta: Delta<T>): delta is ObjectDelta<T> {
  return delta.type === 'Added' || delta.type === 'Updated' || delta.type === 'Deleted';
}

/**
 * The key of an object, a tombstone, a delta, or a list of deltas (its newest). Throws `store` for an empty list and
 * for a value without a key.
 */
export function keyOfDeltas(value: unknown): ObjectKey {
  if (Array.isArray(value)) {
    if (value.length === 0) throw new InformerError('store', '0 length Deltas object; cannot get key');
    return keyOfDeltas(value[value.length - 1]);
  }
  return isDelta(value) ? keyOf(value.object) : keyOf(value);
}

function isDelta(value: unknown): value is ObjectDelta<unknown> {
  return typeof value === 'object' && value !== null && 'type' in value && 'object' in value && !('metadata' in value);
}
