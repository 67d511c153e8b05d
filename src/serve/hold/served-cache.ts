import type { SharedInformer } from '../../informer/shared-informer.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { CachedObjects } from '../../query/answer/cached-objects.ts';
import type { IndexDefinition } from '../../query/index/index-definition.ts';

export interface ServedCache extends Pick<CachedObjects, 'type' | 'namespaces' | 'forbidden'> {
  readonly informer: SharedInformer<UnknownObject>;
}

/** The caches of a serve, as they are now. */
export interface ServedCacheSet {
  readonly targets: readonly ServedCache[];
  /** The indexes that were declared beside the built-in ones. */
  readonly declared: readonly IndexDefinition[];
  /** The cache of a type; undefined if it is not cached, or may not be read. */
  find(type: ResourceType): ServedCache | undefined;
}
