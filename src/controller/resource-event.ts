import type { NotificationCause as EventCause } from '../informer/handlers/notification.ts';
import type { ObjectKey } from '../model/key.ts';
import type { DeepReadonly, UnknownObject } from '../model/object.ts';

/** An object from a cache. It is shared, so it must not be changed. */
export type CachedObject<T = UnknownObject> = DeepReadonly<T>;

export type { EventCause };

/**
 * One event of one object, as predicates and enqueuers get it.
 *
 * `object` is the new state; for `deleted` the last known state, or undefined if none is known (a tombstone without an
 * object). `updated` has `oldObject`. `generic` is a trigger that is no change, such as a timer. With the cause `filter`
 * the object still exists: it began (`added`) or ceased (`deleted`) to match a filter.
 */
export interface ResourceEvent<T = UnknownObject> {
  readonly type: 'added' | 'updated' | 'deleted' | 'generic';
  readonly key: ObjectKey;
  readonly object: CachedObject<T> | undefined;
  readonly oldObject?: CachedObject<T> | undefined;
  readonly cause: EventCause;
  /** Whether the deletion was inferred, so that `object` may not be the final state. */
  readonly finalStateUnknown?: boolean | undefined;
}

/** The same event, with objects of which only the metadata is known. */
export function untyped<T>(event: ResourceEvent<T>): ResourceEvent {
  return event as unknown as ResourceEvent;
}

/** Whether the event is a resync: the cache repeats an object that did not change. */
export function isResync({ type, cause, object, oldObject }: ResourceEvent): boolean {
  if (cause === 'resync') return true;
  if (type !== 'updated' || !object || !oldObject) return false;
  const version = object.metadata.resourceVersion;
  return version !== undefined && version === oldObject.metadata.resourceVersion;
}
