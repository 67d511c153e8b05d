import { type Cached, PackedObject } from '../compact/packed-object.ts';
import { type InformerNotification, type NotificationSink, readonlyView } from './notification.ts';

/** The object of a handle; an object itself. */
type OpenObject<T> = (cached: Cached<T>) => T;

/** A notification of what a compact store keeps. */
type CachedNotification<T> = InformerNotification<Cached<T>>;

/**
 * A sink for notifications with handles of packed objects. `sink` gets objects: each is decoded when it is read, so that
 * an old state that no code looks at costs nothing.
 * When the memory of an old state is damaged, its handler has not missed anything: an update comes as an addition, and a
 * deletion with the metadata that is left (name, namespace, uid, resourceVersion, labels), its final state unknown.
 */
export function openingSink<T>(sink: NotificationSink<T>, open: OpenObject<T>): NotificationSink<Cached<T>> {
  return {
    notify: (notification) => sink.notify(openedNotification(withoutDamage(notification, open), open)),
    synced: () => sink.synced(),
    continuity: (event) => sink.continuity?.(event),
  };
}

function withoutDamage<T>(notification: CachedNotification<T>, open: OpenObject<T>): CachedNotification<T> {
  if (notification.kind === 'updated' && isLost(notification.oldObject, open)) {
    const { key, object, cause, sequence } = notification;
    return {
      kind: 'added',
      key,
      object,
      cause,
      isInInitialList: false,
      ...(sequence === undefined ? {} : { sequence }),
    };
  }
  if (notification.kind === 'deleted' && isLost(notification.object, open)) {
    const { name, namespace, uid, resourceVersion, labels } = notification.object as PackedObject;
    const object = { metadata: { name, namespace, uid, resourceVersion, labels } } as T;
    return { ...notification, object: readonlyView(object), finalStateUnknown: true };
  }
  return notification;
}

/** Whether the memory of a state is damaged, as was found before. */
function isLost<T>(cached: unknown, open: OpenObject<T>): boolean {
  if (!(cached instanceof PackedObject) || !cached.block.isDamaged) return false;
  try {
    open(cached);
    return false;
  } catch {
    return true;
  }
}

function openedNotification<T>(notification: CachedNotification<T>, open: OpenObject<T>): InformerNotification<T> {
  const objectOf = (cached: CachedNotification<T>['object']) => readonlyView(open(cached as Cached<T>));
  const { object } = notification;
  if (notification.kind !== 'updated') {
    return {
      ...notification,
      get object() {
        return objectOf(object);
      },
    };
  }
  const { oldObject } = notification;
  return {
    ...notification,
    get object() {
      return objectOf(object);
    },
    get oldObject() {
      return objectOf(oldObject);
    },
  };
}
