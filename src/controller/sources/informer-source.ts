import { familyOf } from '../../informer/informer-family.ts';
import type { SharedInformer } from '../../informer/shared-informer.ts';
import { troubleOf } from '../../informer/sync-result.ts';
import { checkArgument } from '../../kit/known-options.ts';
import { surroundingsOf, withSurroundings } from '../../kit/surroundings.ts';
import { servedTypesOf } from '../../model/served-types.ts';
import { type Enqueuer, ownerTypeOf } from './enqueue.ts';
import { namingOthers, ServedOwner } from './served-owner.ts';
import type { EventFeed, Source, SourceOptions } from './source.ts';
import { createEventSource } from './source.ts';

/** The part of an informer that a source needs. */
export type WatchedInformer<T> = Pick<SharedInformer<T>, 'addHandler'> &
  Partial<Pick<SharedInformer<T>, 'lastError' | 'isStarted'>>;

/** After this time an informer that was not started is reported, ms. Both may be started in any order. */
const START_MS = 1_000;

/** A source of keys from the events of an informer. It does not start the informer. Several sources may share one. */
export function createInformerSource<T>(informer: WatchedInformer<T>, options: SourceOptions<NoInfer<T>>): Source {
  checkArgument('createInformerSource', 'addHandler of the informer', Object(informer).addHandler, 'function');
  const feed = informerEvents(informer);
  const events = createEventSource(feed, options);
  const owner = ownerTypeOf(options.enqueue);
  const served = servedTypesOf(informer);
  const type = owner && served && new ServedOwner(owner, served);
  const source: Source = {
    ...events,
    get reads() {
      return 'sourceOf' in informer ? [...familyOf(informer as never)] : [];
    },
    trouble: () => type?.missing ?? events.trouble?.(),
    async start(emit, context) {
      using _ = context.clock.after(START_MS, () => {
        if (informer.isStarted !== false) return;
        const next = 'add its factory to the manager, or call start(signal) of the factory';
        context.logger.warn('the informer of a source does not run, so the controller waits', {
          source: options.name,
          next,
        });
      });
      if (!owner) return await events.start(emit, context);
      const known = (await type?.find(context)) ?? owner;
      const owners = namingOthers(known, { logger: context.logger, isServed: type !== undefined });
      const enqueue = owners.enqueue as Enqueuer<unknown> as Enqueuer<NoInfer<T>>; // it reads metadata only
      await createEventSource(feed, { ...options, enqueue }).start(emit, context);
      owners.synced();
    },
  };
  return withSurroundings(source, surroundingsOf(informer));
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
