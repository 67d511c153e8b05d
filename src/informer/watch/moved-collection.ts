import { InformerError } from '../../kit/error.ts';

/** A source now reads another collection than before: what it reads has to be listed from the start. */
class MovedCollectionError extends InformerError {}

/** For a source to throw once when it goes over to another collection. The informer gives its version up, which is reported as a gap, and lists. */
export const movedCollection = (message: string, options?: { cause?: unknown }): InformerError =>
  new MovedCollectionError('watch', message, options);

export const isMovedCollection = (error: unknown): boolean => error instanceof MovedCollectionError;
