import type { ObjectKey } from '../model/key.ts';
import type { DeepReadonly, ReadonlyObject } from '../model/object.ts';
import type { ResourceVersion } from '../model/resource-version.ts';
import type { Continuity } from './watch/continuity-ledger.ts';

/** A step that changed the part of a cache that comes from one source, with the entries of the store. */
export interface CachedChange<C> extends Pick<StateChange<C>, 'isWhole' | 'resourceVersion'> {
  readonly objects: Iterable<readonly [ObjectKey, C | undefined]>;
}

/** The changes of a step in the part of a cache that comes from one source. For code that keeps a copy of the cache. */
export interface StateChange<T> {
  /** The place of the source among those of the informer. */
  readonly source: number;
  /** Whether `objects` is the whole part. Keys that it does not have are then gone. */
  readonly isWhole: boolean;
  /** The changed keys, with the cached object; undefined when it is gone. Read it before other code runs. */
  readonly objects: Iterable<readonly [ObjectKey, DeepReadonly<T> | undefined]>;
  /**
   * The version at which the part is complete after the step: a watch that begins there misses nothing. '' when there
   * is none: the server gave no version, or the cache refused a change.
   */
  readonly resourceVersion: ResourceVersion;
}

/** One source of an informer, for code that waits until the cache shows a write. */
export interface ShownSource {
  /** The version up to which the cache shows every change of the source; '' if there is none. */
  readonly shownVersion: ResourceVersion;
  readonly continuity: Continuity;
  /** Whether an object that the server has is one that the source gives: its selectors match, and it is of its part. */
  selects(object: ReadonlyObject): boolean;
  /** See `SharedInformer.whenCurrent`. */
  whenCurrent(signal: AbortSignal): Promise<void>;
}
