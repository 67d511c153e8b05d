import type { DeepReadonly } from '../model/object.ts';
import type { InformerHandler } from './notification.ts';

/**
 * A handler that sees only what a filter lets through. An update that carries an object across the filter's border arrives as `added`
 * (with `isInInitialList: false`) or as `deleted` (with the old object), cause `filter`.
 * The filter is asked about the new object first, then the old one. Source: client-go tools/cache FilteringResourceEventHandler.
 */
export function filteringHandler<T>(filter: (object: DeepReadonly<T>) => boolean, handler: InformerHandler<T>): InformerHandler<T> {
  return {
    added(object, details) {
      if (filter(object)) return handler.added?.(object, details);
    },
    updated(oldObject, object, details) {
      const { key } = details;
      const isNow = filter(object);
      const was = filter(oldObject);
      if (isNow && was) return handler.updated?.(oldObject, object, details);
      if (isNow) return handler.added?.(object, { key, cause: 'filter', isInInitialList: false });
      if (was) return handler.deleted?.(oldObject, { key, cause: 'filter', finalStateUnknown: false });
    },
    deleted(object, details) {
      if (filter(object)) return handler.deleted?.(object, details);
    },
    synced() {
      return handler.synced?.();
    },
    continuity(event) {
      return handler.continuity?.(event);
    },
  };
}
