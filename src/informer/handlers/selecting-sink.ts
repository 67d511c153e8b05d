import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { type InformerNotification, type NotificationSink, readonlyView } from './notification.ts';

/** A choice of the objects that a handler gets, by the metadata that is known without decoding them. */
export interface LightSelection {
  /** By name, namespace, uid, version and labels. Default: all. */
  readonly selects?: ((object: Pick<ReadonlyObject, 'metadata'>) => boolean) | undefined;
  /** The keys of all objects that it can mean. Default: any. */
  readonly keys?: readonly ObjectKey[] | undefined;
  /** Whether it gets the objects that are there already. Default true. */
  readonly initial?: boolean | undefined;
}

/** The objects that are there, for a handler that is added. */
export function* replayed<C>(
  items: ReadonlyMap<ObjectKey, C>,
  selection: LightSelection = {},
): Generator<InformerNotification<C>> {
  if (selection.initial === false) return;
  for (const [key, cached] of selection.keys ? entriesAt(items, selection.keys) : items)
    if (isSelected(selection, cached))
      yield { kind: 'added', key, object: readonlyView(cached), cause: 'initial', isInInitialList: true };
}

function* entriesAt<C>(items: ReadonlyMap<ObjectKey, C>, keys: readonly ObjectKey[]): Generator<[ObjectKey, C]> {
  for (const key of keys) {
    const cached = items.get(key);
    if (cached !== undefined) yield [key, cached];
  }
}

const isSelected = ({ selects }: LightSelection, entry: unknown): boolean =>
  selects?.(entry as Pick<ReadonlyObject, 'metadata'>) ?? true;

/**
 * Passes on what is selected. As with a filter, an object that begins to be selected is added, and one that ends is
 * deleted, with the cause `filter`.
 */
export function selectingSink<T>(sink: NotificationSink<T>, selection: LightSelection): NotificationSink<T> {
  return {
    notify(notification) {
      const passed = selected(notification, selection);
      return passed && sink.notify(passed);
    },
    synced: () => sink.synced(),
    continuity: (event) => sink.continuity?.(event),
  };
}

function selected<T>(
  notification: InformerNotification<T>,
  selection: LightSelection,
): InformerNotification<T> | undefined {
  const { kind, key, object, sequence } = notification;
  const isNow = isSelected(selection, object);
  if (kind === 'added' && notification.isInInitialList && selection.initial === false) return undefined;
  if (kind !== 'updated') return isNow ? notification : undefined;
  const was = isSelected(selection, notification.oldObject);
  if (isNow && was) return notification;
  const place = { key, ...(sequence === undefined ? {} : { sequence }), cause: 'filter' as const };
  if (isNow) return { kind: 'added', object, ...place, isInInitialList: false };
  return was ? { kind: 'deleted', object: notification.oldObject, ...place, finalStateUnknown: false } : undefined;
}
