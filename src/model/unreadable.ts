import type { InformerError } from '../kit/error.ts';
import type { ObjectMeta } from './object.ts';

/** Stands in a watch event for an object that was not read, for example because it was too large. */
export class UnreadableObject {
  /** As far as the first bytes of the object tell; every field may be missing. */
  readonly metadata: ObjectMeta;
  /** Why it was not read. Its message names the byte offset. */
  readonly error: InformerError;

  constructor(metadata: ObjectMeta, error: InformerError) {
    this.metadata = metadata;
    this.error = error;
  }
}
