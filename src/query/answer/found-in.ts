import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { IndexedStore } from '../index/stored-index.ts';
import type { ComparePlaces } from './cached-objects.ts';

/** The objects of one cache that were found, in no order. */
export interface FoundIn {
  readonly type: ResourceType;
  readonly store: IndexedStore;
  readonly objects: readonly ReadonlyObject[];
  /** The order in which the server listed them; undefined: they are in it. */
  order(): ComparePlaces | undefined;
}
