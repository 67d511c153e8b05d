import type { ResourceVersion } from '../../model/resource-version.ts';

/**
 * What a {@link Reflector} writes to: a DeltaFifo, an Indexer, or anything with these methods. All of them are synchronous and may throw;
 * an error of `replace` fails the attempt, one of `resync` ends the watch, any other is recorded in the ledger, and the stream goes on without that change.
 */
export interface ReflectorStore<T> {
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  /** The whole state, in one piece. */
  replace(objects: readonly T[], resourceVersion: ResourceVersion): void;
  resync?(): void;
  bookmark?(resourceVersion: ResourceVersion): void;
  /** Hears the version of every event and bookmark, in order. A whole state brings its own: see `replace`. */
  updateResourceVersion?(resourceVersion: ResourceVersion): void;
  /** A promise while there is no room for more: the reflector stops reading until it resolves. */
  room?(signal: AbortSignal): Promise<void> | undefined;
}
