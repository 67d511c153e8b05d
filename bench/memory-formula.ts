/**
 * What a process with one compact cache needs, bytes. docs/memory.md has the same figures, and the bench checks them at
 * three sizes.
 */
export const MEMORY_FORMULA = {
  /** Node, the library, buffers for reading, and what the cache keeps parsed of what was read lately. */
  fixed: 110e6,
  /** For each object: its key, uid, version and place, and its entry in the index of namespaces. */
  object: 450,
  /** For each object in an index whose values many objects share, as the node of a pod. */
  sharedEntry: 50,
  /** For each object in an index whose values are its own, as a uid. */
  ownEntry: 250,
  /** What is lost between the compressed blocks, as a factor of their bytes. */
  blocks: 1.3,
} as const;

/** A cache whose memory is asked for. */
export interface CacheSize {
  readonly objects: number;
  /** The bytes of one object's JSON without managedFields, times the ratio of compression. */
  readonly storedBytes: number;
  readonly sharedIndexes: number;
  readonly ownIndexes: number;
}

/** The resident memory of the process, bytes. */
export function expectedRss({ objects, storedBytes, sharedIndexes, ownIndexes }: CacheSize): number {
  const { fixed, object, sharedEntry, ownEntry, blocks } = MEMORY_FORMULA;
  return fixed + objects * (object + storedBytes * blocks + sharedIndexes * sharedEntry + ownIndexes * ownEntry);
}
