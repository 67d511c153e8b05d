import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { ListerWatcher } from '../../informer/watch/lister-watcher.ts';
import type { PartSelector } from '../../model/list-options.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';

/** Reads a part of collections instead of all objects. */
export interface PartReader {
  /**
   * Makes sources of a type read only the part. Throws `argument` for a selection that has no such part. `log` gets who
   * divides the objects, when it is known and when it changes.
   */
  readerOf(selection: ResourceSelection, log: (text: string) => void): SourceReader;
}

export type SourceReader = (source: ListerWatcher<UnknownObject>) => ListerWatcher<UnknownObject>;

/** The part of the objects that a person asked for. */
export interface CollectionPart extends PartReader {
  /** Its name for a person. */
  readonly text: string;
  /** Asks a server for this part. It may ignore that, so each object must be checked with `has`. */
  readonly selector: PartSelector;
  has(object: ReadonlyObject): boolean;
  /** A line about the number of its objects. */
  countText(count: string): string;
}
