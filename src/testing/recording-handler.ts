import type { InformerHandler, InformerNotification } from '../informer/handlers/notification.ts';
import { checkOptions } from '../kit/known-options.ts';

/** An informer handler that writes down what it was told. */
export interface RecordingHandler<T> extends InformerHandler<T> {
  /** Every notification, oldest first. */
  readonly notifications: InformerNotification<T>[];
  /** The same in short: `added shop/web@5`, `updated shop/web@5->7`, `deleted shop/web@7 (unknown)`, `synced`. */
  readonly lines: string[];
  /** Forgets what was told so far. */
  clear(): void;
}

/**
 * Creates one. `pause`, when given, is awaited before each notification counts as handled: a handler as slow as the test wants it.
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
