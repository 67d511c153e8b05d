import { InformerError, isInformerError } from '../../kit/error.ts';

/** A source reads another collection than before, which must be listed from the start. */
class MovedCollectionError extends InformerError {}

/**
 * Creates the error that a source throws once when it switches to another collection. The informer then gives up its
 * version, which is reported as a gap, and lists.
 */
export const movedCollection = (message: string, options?: { cause?: unknown }): InformerError =>
  new MovedCollectionError('watch', message, options);

export const isMovedCollection = (error: unknown): boolean => error instanceof MovedCollectionError;

/** A source reads other shards of its collection than before. */
class ReshardedError extends MovedCollectionError {}

/** Creates the error that a source throws when its shards have changed. What it has now is then listed at once. */
export const resharded = (message: string): InformerError => new ReshardedError('watch', message);

export const isResharded = (error: unknown): boolean =>
  error instanceof ReshardedError || (isInformerError(error, 'list') && isResharded(error.cause));
