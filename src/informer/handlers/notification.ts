import type { ObjectKey } from '../../model/key.ts';
import type { DeepReadonly } from '../../model/object.ts';
import type { OrderedContinuity } from '../watch/ledger.ts';

/**
 * How a change became known: as part of the first state, from the stream, by comparing a relist with the cache, by a periodic resync
 * (nothing changed), or because the object began or ceased to match a handler's filter.
 */
export type NotificationCause = 'initial' | 'watch' | 'relist' | 'resync' | 'filter';

/** Where a notification has its place. */
export interface NotificationPlace {
  /**
   * Position in the order in which the informer distributes notifications, counted from 1; all handlers see the same number. Notifications
   * that replay the cache to a late handler share the number of the last one distributed before, and 0 comes before all.
   * Handlers always get it; a notification that was not distributed yet has none.
   */
  readonly sequence?: number;
}

export interface AddedDetails extends NotificationPlace {
  readonly key: ObjectKey;
  readonly cause: NotificationCause;
  /** The object was there before this handler was: part of the first state, or replayed to a handler that came later. */
  readonly isInInitialList: boolean;
}

export interface UpdatedDetails extends NotificationPlace {
  readonly key: ObjectKey;
  readonly cause: NotificationCause;
  /** Same name, another object: its deletion and re-creation went unseen. */
  readonly uidChanged: boolean;
}

export interface DeletedDetails extends NotificationPlace {
  readonly key: ObjectKey;
  readonly cause: NotificationCause;
  /** The deletion was inferred by a relist; the object is its last known state, not its final one. */
  readonly finalStateUnknown: boolean;
}

/** What handlers are told about one object. Objects are the cache's own: shared, and read-only all the way down. */
export type InformerNotification<T> =
  | ({ readonly kind: 'added'; readonly object: DeepReadonly<T> } & AddedDetails)
  | ({ readonly kind: 'updated'; readonly object: DeepReadonly<T>; readonly oldObject: DeepReadonly<T> } & UpdatedDetails)
  | ({ readonly kind: 'deleted'; readonly object: DeepReadonly<T> } & DeletedDetails);

/**
 * A bag of callbacks; those missing are skipped. Each may return a promise: the next notification waits for it.
 * One that throws or rejects is counted and logged, and the next notification follows. What a callback returns is not looked at, but for a promise.
 */
export interface InformerHandler<T> {
  added?(object: DeepReadonly<T>, details: AddedDetails): unknown;
  updated?(oldObject: DeepReadonly<T>, object: DeepReadonly<T>, details: UpdatedDetails): unknown;
  deleted?(object: DeepReadonly<T>, details: DeletedDetails): unknown;
  /** Once, after every object of the first state has been handled by this handler. */
  synced?(): unknown;
  /**
   * Continuity was lost, or the whole state fetched anew, told in its place: a `gap` comes behind every change that was seen before it,
   * `relisted` behind every change that the new list brought. `onContinuity` of an informer tells the same at once.
   */
  continuity?(event: OrderedContinuity): unknown;
}

/** Where a listener delivers to: a handler, seen as one function. */
export interface NotificationSink<T> {
  notify(notification: InformerNotification<T>): unknown;
  synced(): unknown;
  continuity?(event: OrderedContinuity): unknown;
}

export function sinkOf<T>(handler: InformerHandler<T>): NotificationSink<T> {
  return {
    notify(notification) {
      switch (notification.kind) {
        case 'added':
          return handler.added?.(notification.object, notification);
        case 'updated':
          return handler.updated?.(notification.oldObject, notification.object, notification);
        case 'deleted':
          return handler.deleted?.(notification.object, notification);
      }
    },
    synced: () => handler.synced?.(),
    continuity: (event) => handler.continuity?.(event),
  };
}

/** The reader's view of a cached object. The type says what the promise is: nobody writes to it. */
export function readonlyView<T>(object: T): DeepReadonly<T> {
  return object as unknown as DeepReadonly<T>;
}
