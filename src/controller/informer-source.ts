import type { SharedInformer } from '../informer/shared-informer.ts';
import { troubleOf } from '../informer/sync-result.ts';
import type { CachedObject, ResourceEvent } from './resource-event.ts';
import type { EventFeed, Source, SourceOptions } from './source.ts';
import { createEventSource } from './source.ts';

/** What a source needs of an informer. */
export type WatchedInformer<T> = Pick<SharedInformer<T>, 'addHandler'> & Partial<Pick<SharedInformer<T>, 'lastError' | 'isStarted'>>;

/** Keys from an informer's events. The informer is run by whoever owns it; several sources may share one. */
export function createInformerSource<T>(informer: WatchedInformer<T>, options: SourceOptions): Source {
  return createEventSource(informerEvents(informer), options);
}

/** An informer's notifications as one stream of {@link ResourceEvent}. */
export function informerEvents<T>(informer: WatchedInformer<T>): EventFeed {
  return {
    trouble: () => troubleOf(informer),
    subscribe(listener) {
      const tell = (event: ResourceEvent) => listener(event);
      return informer.addHandler({
        added: (object, { key, cause }) => tell({ type: 'added', key, cause, object: cached(object) }),
        updated: (oldObject, object, { key, cause }) =>
          tell({ type: 'updated', key, cause, object: cached(object), oldObject: cached(oldObject) }),
        deleted: (object, { key, cause, finalStateUnknown }) =>
          tell({ type: 'deleted', key, cause, object: cached(object), finalStateUnknown }),
      });
    },
  };
}

/** Any object with metadata, seen without its type. */
const cached = (object: unknown) => object as CachedObject | undefined;
