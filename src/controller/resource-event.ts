import type { NotificationCause as EventCause } from '../informer/handlers/notification.ts';
import type { ObjectKey } from '../model/key.ts';
import type { DeepReadonly, UnknownObject } from '../model/object.ts';

/** An object as a cache gives it out: shared, so nobody may change it. */
export type CachedObject = DeepReadonly<UnknownObject>;

export type { EventCause };

/**
 * One thing that happened to one object, as predicates and enqueuers see it.
 *
 * `object` is the new state, or on `deleted` the last known one; undefined when not even that is known (a tombstone without an object).
 * `oldObject` is there on `updated`. `generic` stands for triggers that are not about a change, such as a timer.
 */
export interface ResourceEvent {
  readonly type: 'added' | 'updated' | 'deleted' | 'generic';
  readonly key: ObjectKey;
  readonly object: CachedObject | undefined;
  readonly oldObject?: CachedObject | undefined;
  readonly cause: EventCause;
  /** The deletion was inferred, so `object` may not be the final state. */
  readonly finalStateUnknown?: boolean | undefined;
}

/** Whether nothing changed: the cache only said again what it holds. */
export function isResync({ type, cause, object, oldObject }: ResourceEvent): boolean {
  if (cause === 'resync') return true;
  if (type !== 'updated' || !object || !oldObject) return false;
  const version = object.metadata.resourceVersion;
  return version !== undefined && version === oldObject.metadata.resourceVersion;
}
