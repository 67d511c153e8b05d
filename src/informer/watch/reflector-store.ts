import type { ResourceVersion } from '../../model/resource-version.ts';

/**
 * The target of a {@link Reflector}: a DeltaFifo, an Indexer, or any object with these methods.
 * All methods are synchronous and may throw. An error of `replace` fails the attempt, and an error of `resync` ends the
 * watch. Any other error is recorded in the ledger, and the stream continues without that change.
 */
export interface ReflectorStore<T> {
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  /** A whole state begins to arrive. What `arrived` got since the last one, and `replace` did not, is not used. */
  arriving?(): void;
  /**
   * Called with each object of a whole state when it has arrived, if the source can. The result takes the object's place
   * in `replace`. Must not throw. `bytes` are the JSON that it was parsed from, in memory that is used again afterwards.
   */
  arrived?(object: T, bytes?: Uint8Array): T;
  /** Replaces the whole state at once. */
  replace(objects: readonly T[], resourceVersion: ResourceVersion): void;
  /**
   * Takes objects that have become a part of the collection, and removes those that have left it; the others stay as they
   * are. The state is that of `resourceVersion` then. Absent: the collection is listed as a whole instead.
   */
  merge?(objects: readonly T[], keeps: (object: T) => boolean, resourceVersion: ResourceVersion): void;
  /** Begins with a state that `replace` was given in an earlier run. Called once at most, before any other method. */
  restore?(objects: readonly T[], resourceVersion: ResourceVersion): void;
  resync?(): void;
  bookmark?(resourceVersion: ResourceVersion): void;
  /** Called with the version of every event and bookmark, in order. `replace` gets the version of a whole state. */
  updateResourceVersion?(resourceVersion: ResourceVersion): void;
  /** A promise while there is no room for more. The reflector stops reading until it resolves. */
  room?(signal: AbortSignal): Promise<void> | undefined;
}
