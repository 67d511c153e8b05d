import type { SharedInformer } from '../informer/shared-informer.ts';
import { troubleOf } from '../informer/sync-result.ts';
import { checkArgument } from '../kit/known-options.ts';
import { surroundingsOf, withSurroundings } from '../kit/surroundings.ts';
import type { EventFeed, Source, SourceOptions } from './source.ts';
import { createEventSource } from './source.ts';

/** The part of an informer that a source needs. */
export type WatchedInformer<T> = Pick<SharedInformer<T>, 'addHandler'> &
  Partial<Pick<SharedInformer<T>, 'lastError' | 'isStarted'>>;

/** A source of keys from the events of an informer. It does not start the informer. Several sources may share one. */
export function createInformerSource<T>(informer: WatchedInformer<T>, options: SourceOptions<NoInfer<T>>): Source {
  checkArgument('createInformerSource', 'addHandler of the informer', Object(informer).addHandler, 'function');
  return withSurroundings(createEventSource(informerEvents(informer), options), surroundingsOf(informer));
}

/** The notifications of an informer as one stream of {@link ResourceEvent}. */
export function informerEvents<T>(informer: WatchedInformer<T>): EventFeed<T> {
  return {
    trouble: () => troubleOf(informer),
    subscribe(listener) {
      return informer.addHandler({
        added: (object, { key, cause }) => listener({ type: 'added', key, cause, object }),
        updated: (oldObject, object, { key, cause }) => listener({ type: 'updated', key, cause, object, oldObject }),
        deleted: (object, { key, cause, finalStateUnknown }) =>
          listener({ type: 'deleted', key, cause, object, finalStateUnknown }),
      });
    },
  };
}
