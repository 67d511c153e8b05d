import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { ListerWatcher } from '../../informer/watch/lister-watcher.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Logger } from '../../kit/logger.ts';
import type { PartSelector } from '../../model/list-options.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';
import type { CachedInformer } from './cached-objects.ts';

/** Reads a part of collections instead of all objects. */
export interface PartReader {
  /**
   * Makes sources of a type read only the part, and logs who divides the objects. Throws `argument` for a selection that
   * has no such part.
   */
  readerOf(selection: ResourceSelection, options: { readonly clock: Clock; readonly logger: Logger }): SourceReader;
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
  /** For `--explain`: who made the part, and how many other objects came. */
  explain(cache: Pick<CachedInformer, 'sources' | 'lister'>): string;
}
