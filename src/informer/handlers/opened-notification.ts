import { PackedObject } from '../compact/packed-object.ts';
import { type InformerNotification, type NotificationSink, readonlyView } from './notification.ts';

/** The object of a handle; an object itself. */
export type OpenObject<T> = (held: T) => T;

/**
 * A sink for notifications with handles of packed objects. `sink` gets objects: each is decoded when it is read, so that
 * an old state that no code looks at costs nothing.
 * When the memory of an old state is damaged, its handler has not missed anything: an update comes as an addition, and a
 * deletion with the metadata that is left (name, namespace, uid, resourceVersion, labels), its final state unknown.
 */
export function openingSink<T>(sink: NotificationSink<T>, open: OpenObject<T>): NotificationSink<T> {
  return {
    notify: (notification) => sink.notify(openedNotification(withoutDamage(notification, open), open)),
    synced: () => sink.synced(),
    continuity: (event) => sink.continuity?.(event),
  };
}

function withoutDamage<T>(notification: InformerNotification<T>, open: OpenObject<T>): InformerNotification<T> {
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
    const { name, namespace, uid, resourceVersion, labels } = notification.object as unknown as PackedObject;
    const object = { metadata: { name, namespace, uid, resourceVersion, labels } } as T;
    return { ...notification, object: readonlyView(object), finalStateUnknown: true };
  }
  return notification;
}

/** Whether the memory of a state is damaged, as was found before. */
function isLost<T>(held: unknown, open: OpenObject<T>): boolean {
  if (!(held instanceof PackedObject) || !held.block.isDamaged) return false;
  try {
    open(held as T);
    return false;
  } catch {
    return true;
  }
}

function openedNotification<T>(notification: InformerNotification<T>, open: OpenObject<T>): InformerNotification<T> {
  const objectOf = open as unknown as (held: InformerNotification<T>['object']) => InformerNotification<T>['object'];
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
