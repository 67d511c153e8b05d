import type { InformerError } from '../kit/error.ts';
import type { ObjectMeta } from './object.ts';

/** Takes the place of an object that could not be read in a watch event, for example because it was too large. */
export class UnreadableObject {
  /** The metadata found in the first bytes of the object. Every field may be missing. */
  readonly metadata: ObjectMeta;
  /** The reason. Its message contains the byte offset. */
  readonly error: InformerError;

  constructor(metadata: ObjectMeta, error: InformerError) {
    this.metadata = metadata;
    this.error = error;
  }
}
