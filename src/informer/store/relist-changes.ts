import { everyNth } from '../../kit/every-nth.ts';
import type { ObjectKey } from '../../model/key.ts';
import { Tombstone } from '../../model/object.ts';
import type { Cached } from '../compact/packed-object.ts';
import {
  changed,
  deleted,
  type InformerNotification,
  type NotificationCause,
  readonlyView,
} from '../handlers/notification.ts';
import type { Delta } from './delta-fifo.ts';
import type { Indexer } from './indexer.ts';
import type { ReplaceObserver } from './replacement.ts';

export interface RelistContext {
  /** Whether the list is the initial one. */
  isInInitialList: boolean;
  /** The keys that the list covers. Default: all. */
  within?: ((key: ObjectKey) => boolean) | undefined;
}

/**
 * Stores a whole list in the place of what was stored. What is stored and not in the list was deleted while nothing was
 * seen: its notification has the last known state, `finalStateUnknown`. The deletions come first, then the rest in the
 * order of the list.
 */
export function* applyReplacement<T>(
  { objects, keys, resourceVersion }: Delta<Cached<T>> & { type: 'ReplacedAll' },
  indexer: Indexer<T>,
  { isInInitialList, within }: RelistContext,
  out: InformerNotification<Cached<T>>[],
): Generator<undefined, void> {
  const cause: NotificationCause = isInInitialList ? 'initial' : 'relist';
  let puts: InformerNotification<Cached<T>>[] = [];
  let deletions: InformerNotification<Cached<T>>[] = [];
  const observer: ReplaceObserver<Cached<T>> = {
    begin() {
      puts = [];
      deletions = [];
    },
    gone(key, old) {
      deletions.push({ kind: 'deleted', key, object: readonlyView(old), cause, finalStateUnknown: true });
    },
    put(key, old, object) {
      puts.push(changed(key, old, object, cause, isInInitialList));
    },
  };
  yield* indexer.replacing(objects, resourceVersion, { within, observer, keys: keys && [...keys] });
  for (const notification of deletions) out.push(notification);
  for (const notification of puts) out.push(notification);
}

/** The number of objects of a merge that are stored in one step. */
const STEP = 500;

/**
 * Stores a list of a part. Of that part, what `keeps` refuses was deleted while nothing was seen. Takes a few objects in
 * each step.
 */
export function* applyMerge<T>(
  { objects, keeps, resourceVersion }: Delta<Cached<T>> & { type: 'Merged' },
  indexer: Indexer<T>,
  { within }: RelistContext,
  { notifications, failures }: { notifications: InformerNotification<Cached<T>>[]; failures: unknown[] },
): Generator<undefined, void> {
  const { items } = indexer.store;
  const leaving = [...items].filter(([key, cached]) => (!within || within(key)) && !keeps(cached));
  const isFull = everyNth(STEP);
  for (const [key, cached] of leaving) {
    const gone = new Tombstone(key, cached);
    indexer.delete(gone);
    notifications.push(deleted(key, gone, cached));
    if (isFull()) yield;
  }
  for (const object of objects) {
    try {
      const key = indexer.keyOf(object);
      const old = items.get(key);
      indexer.add(object);
      notifications.push(changed(key, old, items.get(key) as Cached<T>, 'relist', false));
    } catch (error) {
      failures.push(error);
    }
    if (isFull()) yield;
  }
  indexer.bookmark(resourceVersion);
}
