import { checkArgument } from '../../kit/known-options.ts';
import type { DeepReadonly } from '../../model/object.ts';
import type { InformerHandler } from './notification.ts';

/**
 * Creates a handler that passes on only what a filter accepts.
 * An update after which an object newly matches arrives as `added` (with `isInInitialList: false`). One after which it
 * no longer matches arrives as `deleted`, with the old object. Both have the cause `filter`. The filter is called with
 * the new object first, then with the old one. Source: client-go tools/cache FilteringResourceEventHandler.
 */
export function createFilteringHandler<T>(
  filter: (object: DeepReadonly<T>) => boolean,
  handler: InformerHandler<T>,
): InformerHandler<T> {
  checkArgument('createFilteringHandler', 'filter', filter, 'function');
  return {
    added(object, details) {
      return filter(object) ? handler.added?.(object, details) : undefined;
    },
    updated(oldObject, object, details) {
      const { key, sequence = 0 } = details;
      const isNow = filter(object);
      const was = filter(oldObject);
      if (isNow && was) return handler.updated?.(oldObject, object, details);
      if (isNow) return handler.added?.(object, { key, sequence, cause: 'filter', isInInitialList: false });
      return was
        ? handler.deleted?.(oldObject, { key, sequence, cause: 'filter', finalStateUnknown: false })
        : undefined;
    },
    deleted(object, details) {
      return filter(object) ? handler.deleted?.(object, details) : undefined;
    },
    synced() {
      return handler.synced?.();
    },
    continuity(event) {
      return handler.continuity?.(event);
    },
  };
}
