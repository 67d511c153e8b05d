import type { InformerHandler, InformerNotification } from '../informer/handlers/notification.ts';
import { checkOptions } from '../kit/known-options.ts';

/** An informer handler that records its notifications. */
export interface RecordingHandler<T> extends InformerHandler<T> {
  /** Every notification, oldest first. */
  readonly notifications: InformerNotification<T>[];
  /**
   * The notifications as short texts: `added shop/web@5`, `updated shop/web@5->7`, `deleted shop/web@7 (unknown)`.
   * `synced` is the end of the initial list; it is not in `notifications`.
   */
  readonly lines: string[];
  /** Forgets everything that was recorded so far. */
  clear(): void;
}

/**
 * Creates a recording handler. `pause` makes it slow: a notification is recorded first, and is handled when the promise
 * of `pause` resolves.
 */
export function createRecordingHandler<T>(
  options: { pause?: (notification: InformerNotification<T>) => Promise<void> | undefined } = {},
): RecordingHandler<T> {
  checkOptions('createRecordingHandler', options, { pause: 'function' });
  const notifications: InformerNotification<T>[] = [];
  const lines: string[] = [];
  const record = (notification: InformerNotification<T>): void | Promise<void> => {
    notifications.push(notification);
    lines.push(lineOf(notification));
    return options.pause?.(notification);
  };
  return {
    notifications,
    lines,
    clear() {
      notifications.length = 0;
      lines.length = 0;
    },
    added: (object, details) => record({ ...details, kind: 'added', object }),
    updated: (oldObject, object, details) => record({ ...details, kind: 'updated', oldObject, object }),
    deleted: (object, details) => record({ ...details, kind: 'deleted', object }),
    synced: () => {
      lines.push('synced');
    },
  };
}

function lineOf<T>(notification: InformerNotification<T>): string {
  const { kind, key, object } = notification;
  if (kind === 'updated') return `updated ${key}@${versionOf(notification.oldObject)}->${versionOf(object)}`;
  const unknown = kind === 'deleted' && notification.finalStateUnknown ? ' (unknown)' : '';
  return `${kind} ${key}@${versionOf(object)}${unknown}`;
}

function versionOf(object: unknown): string {
  return (object as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion ?? '';
}
