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

/** A source reads other objects of its collection than before, by its own choice. */
class ChangedCollectionError extends MovedCollectionError {}

/**
 * Creates the error that a source throws when it has changed what it reads: see `ListerWatcher.change`. What it has now
 * is then listed at once.
 */
export const changedCollection = (message: string): InformerError => new ChangedCollectionError('watch', message);

export const isChangedCollection = (error: unknown): boolean =>
  error instanceof ChangedCollectionError || (isInformerError(error, 'list') && isChangedCollection(error.cause));
