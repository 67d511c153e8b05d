import type { FieldTree } from './field-tree.ts';

/**
 * The reading of a LIST whose objects are not kept: they are passed on one after the other while they arrive, and only
 * what is looked at is read of each.
 */
export interface ItemReading {
  /** The fields that are looked at. Undefined: whole objects. */
  readonly fields: FieldTree | undefined;
  /** The number of objects that are whole all the same: the first ones. */
  readonly wholeFirst: number;
  /** Each object comes with its JSON, as the server sent it, where `jsonText` would write the same. */
  readonly needsText: boolean;
  /** Called with the version of the list before its first object; undefined where that is not known yet. */
  begin(resourceVersion: string | undefined): void;
  /** Whether an object is taken: its text is not made otherwise. The object may have the fields alone. */
  keeps(object: never): boolean;
  /** Takes an object. One without a text is whole, if texts are asked for. */
  take(object: never, text: string | undefined): void;
  /** A promise while there is no room for more objects; undefined otherwise. */
  room(): Promise<void> | undefined;
}
