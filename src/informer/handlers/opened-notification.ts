import type { InformerNotification, NotificationSink } from './notification.ts';

/** The object of a handle; an object itself. */
export type OpenObject<T> = (held: T) => T;

/**
 * A sink for notifications with handles of packed objects. `sink` gets objects: each is decoded when it is read, so that
 * an old state that no code looks at costs nothing.
 */
export function openingSink<T>(sink: NotificationSink<T>, open: OpenObject<T>): NotificationSink<T> {
  return {
    notify: (notification) => sink.notify(openedNotification(notification, open)),
    synced: () => sink.synced(),
    continuity: (event) => sink.continuity?.(event),
  };
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
