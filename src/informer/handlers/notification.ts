import type { ObjectKey } from '../../model/key.ts';
import { type DeepReadonly, hasMetadata, Tombstone } from '../../model/object.ts';
import type { OrderedContinuity } from '../watch/continuity-ledger.ts';

/**
 * How a change became known: in the initial list (`initial`), from the stream (`watch`), by comparing a new list with
 * the cache (`relist`), by a periodic resync in which nothing changed (`resync`), or because an object began or ceased
 * to match a handler's filter (`filter`).
 */
export type NotificationCause = 'initial' | 'watch' | 'relist' | 'resync' | 'filter';

/** The place of a notification in the order of all notifications. */
export interface NotificationPlace {
  /**
   * The position in the order in which the informer distributes notifications, counted from 1. It is the same for all
   * handlers. Notifications that replay the cache to a late handler share the number of the last one distributed before
   * them; 0 comes before all.
   * Handlers always get a number. A notification that was not distributed yet has none.
   */
  readonly sequence?: number;
}

/** The facts about an addition, beside the object. */
export interface AddedDetails extends NotificationPlace {
  readonly key: ObjectKey;
  readonly cause: NotificationCause;
  /**
   * Whether the object was there before this handler: part of the initial list, or replayed to a handler that was added
   * later.
   */
  readonly isInInitialList: boolean;
}

/** The facts about an update, beside the two states. */
export interface UpdatedDetails extends NotificationPlace {
  readonly key: ObjectKey;
  readonly cause: NotificationCause;
  /** Whether this is another object of the same name, whose deletion and creation were not seen. */
  readonly uidChanged: boolean;
}

/** The facts about a deletion, beside the last state. */
export interface DeletedDetails extends NotificationPlace {
  readonly key: ObjectKey;
  readonly cause: NotificationCause;
  /** Whether the deletion was inferred from a new list. The object is then its last known state, not its final one. */
  readonly finalStateUnknown: boolean;
}

/** A change of one object, for handlers. Objects are the cache's own: shared, and read-only at every depth. */
export type InformerNotification<T> =
  | ({ readonly kind: 'added'; readonly object: DeepReadonly<T> } & AddedDetails)
  | ({
      readonly kind: 'updated';
      readonly object: DeepReadonly<T>;
      readonly oldObject: DeepReadonly<T>;
    } & UpdatedDetails)
  | ({ readonly kind: 'deleted'; readonly object: DeepReadonly<T> } & DeletedDetails);

/**
 * The callbacks of a handler, all optional.
 * A callback may return a promise; the next notification waits for it. Any other result is ignored. When a callback
 * throws or rejects, the error is counted and logged, and the next notification follows.
 */
export interface InformerHandler<T> {
  added?(object: DeepReadonly<T>, details: AddedDetails): unknown;
  updated?(oldObject: DeepReadonly<T>, object: DeepReadonly<T>, details: UpdatedDetails): unknown;
  deleted?(object: DeepReadonly<T>, details: DeletedDetails): unknown;
  /** Called once, after this handler has handled every object of the initial list. */
  synced?(): unknown;
  /**
   * Called in order when continuity was lost or the whole state was listed again. A `gap` comes after every change that
   * was seen before it, and `relisted` after every change that the new list brought. `onContinuity` of an informer
   * reports the same events at once.
   */
  continuity?(event: OrderedContinuity): unknown;
}

/** The target of a listener: a handler as a few functions. */
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

/** A cached object as a read-only type. Readers must not change it. */
export function readonlyView<T>(object: T): DeepReadonly<T> {
  return object as unknown as DeepReadonly<T>;
}

/** The notification about a stored object: an addition if nothing was stored under its key. */
export function changed<T>(
  key: ObjectKey,
  old: T | undefined,
  object: T,
  cause: NotificationCause,
  isInInitialList: boolean,
): InformerNotification<T> {
  if (old !== undefined) return updated(key, old, object, cause);
  return { kind: 'added', key, object: readonlyView(object), cause, isInInitialList };
}

export function updated<T>(key: ObjectKey, old: T, object: T, cause: NotificationCause): InformerNotification<T> {
  return {
    kind: 'updated',
    key,
    object: readonlyView(object),
    oldObject: readonlyView(old),
    cause,
    uidChanged: uidChanged(old, object),
  };
}

/** Of a tombstone: inferred from a list. `old` is the last stored state. */
export function deleted<T>(key: ObjectKey, object: T | Tombstone<T>, old: T): InformerNotification<T> {
  const isTombstone = object instanceof Tombstone;
  const last = isTombstone ? (object.object ?? old) : object;
  return {
    kind: 'deleted',
    key,
    object: readonlyView(last),
    cause: isTombstone ? 'relist' : 'watch',
    finalStateUnknown: isTombstone,
  };
}

/** Whether it is another object of the same name. False where a uid is not known. */
export function uidChanged(old: unknown, object: unknown): boolean {
  if (!hasMetadata(old) || !hasMetadata(object)) return false;
  const { uid } = old.metadata;
  return uid !== undefined && object.metadata.uid !== undefined && uid !== object.metadata.uid;
}
