import { InformerError, messageOf } from '../../kit/error.ts';
import { everyNth } from '../../kit/every-nth.ts';
import type { ObjectKey } from '../../model/key.ts';
import { hasMetadata, Tombstone } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import type { Cached } from '../compact/packed-object.ts';
import { type InformerNotification, type NotificationCause, readonlyView } from '../handlers/notification.ts';
import type { Delta, ObjectDelta } from './delta-fifo.ts';
import { type Indexer, toEnd } from './indexer.ts';
import type { ReplaceObserver } from './replacement.ts';

export interface ApplyContext {
  /** Whether the deltas belong to the initial list. */
  isInInitialList: boolean;
  /** The keys that a list or a resync covers. Default: all. */
  within?: ((key: ObjectKey) => boolean) | undefined;
  /**
   * Called when an event contradicts the store: an object added though it is stored, changed or deleted though it is
   * not, or changed into another object. True: the event and those after it are not applied, because they belong to
   * another history, and a whole state will follow.
   */
  onContradiction?: ((what: string, resourceVersion: ResourceVersion | undefined) => boolean) | undefined;
}

export interface Applied<T> {
  /** In delivery order. The store already shows all of them. */
  readonly notifications: readonly InformerNotification<T>[];
  /** Set when the store refused some of the deltas. Those have no notification. */
  readonly error: InformerError | undefined;
  /** The number of deltas that the store refused. */
  readonly refused: number;
}

/**
 * Applies deltas to the store and returns what changed. Only this function compares the old state with the new one.
 * Presence decides, not the event's type: a change to a stored key is an update, a change to any other key an addition.
 * The deletion of an object that was never stored has no notification (client-go has one). A whole list replaces the
 * store at once; its notifications are the deletions first, then the rest in the order of the list.
 * Objects of a compact store are handles here, in the deltas and in the notifications, which are opened when they are
 * delivered.
 * Source: client-go tools/cache/controller.go processDeltas, processDeltasInBatch.
 */
export function applyDeltas<T>(
  deltas: readonly Delta<Cached<T>>[],
  indexer: Indexer<T>,
  context: ApplyContext,
): Applied<Cached<T>> {
  return toEnd(applyingDeltas(deltas, indexer, context));
}

/**
 * {@link applyDeltas} in steps of a few milliseconds, so that other code can run between them. Only a whole list takes
 * more than one step, and the store shows nothing of it before the last one.
 */
export function* applyingDeltas<T>(
  deltas: readonly Delta<Cached<T>>[],
  indexer: Indexer<T>,
  context: ApplyContext,
): Generator<undefined, Applied<Cached<T>>> {
  const notifications: InformerNotification<Cached<T>>[] = [];
  const failures: unknown[] = [];
  for (const delta of deltas) {
    try {
      if (delta.type === 'ReplacedAll') yield* applyReplacement(delta, indexer, context, notifications);
      else if (delta.type === 'Merged') yield* applyMerge(delta, indexer, context, { notifications, failures });
      else if (!applyDelta(delta, indexer, context, notifications)) break;
    } catch (error) {
      failures.push(error);
    }
  }
  return {
    notifications,
    error: failures.length === 0 ? undefined : refusal(failures, deltas.length),
    refused: failures.length,
  };
}

function refusal(failures: readonly unknown[], total: number): InformerError {
  const text = `failed to execute (${failures.length}/${total}) transactions: ${textOf(failures)}`;
  return new InformerError('store', text, { cause: failures[0] });
}

const MOST_QUOTED = 3;

/** The first few messages. A function that fails for one object may fail for all of them. */
export function textOf(errors: readonly unknown[]): string {
  const texts = errors.slice(0, MOST_QUOTED).map(messageOf);
  if (errors.length > MOST_QUOTED) texts.push(`and ${errors.length - MOST_QUOTED} more`);
  return texts.join('; ');
}

type Replacement<T> = Delta<T> & { type: 'ReplacedAll' };

/** Returns false when the delta belongs to another history. */
function applyDelta<T>(
  delta: Exclude<Delta<Cached<T>>, { type: 'ReplacedAll' | 'Merged' }>,
  indexer: Indexer<T>,
  context: ApplyContext,
  out: InformerNotification<Cached<T>>[],
): boolean {
  switch (delta.type) {
    case 'SyncAll':
      for (const [key, object] of indexer.store.items) {
        if (!context.within || context.within(key)) out.push(updated(key, object, object, 'resync'));
      }
      return true;
    case 'Bookmark':
      indexer.bookmark(delta.resourceVersion);
      return true;
    case 'Continuity':
      return true; // not a change of the store
    default:
      return applyChange(delta, indexer, context, out);
  }
}

function applyChange<T>(
  delta: ObjectDelta<Cached<T>>,
  indexer: Indexer<T>,
  context: ApplyContext,
  out: InformerNotification<Cached<T>>[],
): boolean {
  const { isInInitialList, onContradiction } = context;
  const { object } = delta;
  const key = delta.key ?? indexer.keyOf(object);
  const { items } = indexer.store;
  const old = items.get(key);
  const contradiction = onContradiction && contradictionOf(delta, old);
  if (contradiction && onContradiction(`"${key}" ${contradiction}`, versionOf(object))) return false;
  if (delta.type === 'Deleted') {
    indexer.delete(object);
    if (old !== undefined) out.push(deleted(key, object, old));
    return true;
  }
  indexer.add(object as Cached<T>);
  out.push(changed(key, old, items.get(key) as Cached<T>, isInInitialList ? 'initial' : 'watch', isInInitialList));
  return true;
}

/** How an event contradicts the state before it. The same version again is no contradiction. */
function contradictionOf<T>({ type, object }: ObjectDelta<T>, old: T | undefined): string | undefined {
  if (object instanceof Tombstone) return undefined;
  if (old === undefined)
    return type === 'Added' ? undefined : `was ${type.toLowerCase()}, although it was not in the cache`;
  if (versionOf(old) === versionOf(object)) return undefined;
  if (type === 'Added') return 'was added, although it was in the cache';
  return uidChanged(old, object) ? 'became another object, without an event of its deletion' : undefined;
}

export const versionOf = (object: unknown) => (hasMetadata(object) ? object.metadata.resourceVersion : undefined);

function* applyReplacement<T>(
  { objects, keys, resourceVersion }: Replacement<Cached<T>>,
  indexer: Indexer<T>,
  { isInInitialList, within }: ApplyContext,
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

function* applyMerge<T>(
  { objects, keeps, resourceVersion }: Delta<Cached<T>> & { type: 'Merged' },
  indexer: Indexer<T>,
  { within }: ApplyContext,
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

function changed<T>(
  key: ObjectKey,
  old: T | undefined,
  object: T,
  cause: NotificationCause,
  isInInitialList: boolean,
): InformerNotification<T> {
  if (old !== undefined) return updated(key, old, object, cause);
  return { kind: 'added', key, object: readonlyView(object), cause, isInInitialList };
}

function updated<T>(key: ObjectKey, old: T, object: T, cause: NotificationCause): InformerNotification<T> {
  return {
    kind: 'updated',
    key,
    object: readonlyView(object),
    oldObject: readonlyView(old),
    cause,
    uidChanged: uidChanged(old, object),
  };
}

function deleted<T>(key: ObjectKey, object: T | Tombstone<T>, old: T): InformerNotification<T> {
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

function uidChanged(old: unknown, object: unknown): boolean {
  if (!hasMetadata(old) || !hasMetadata(object)) return false;
  const { uid } = old.metadata;
  return uid !== undefined && object.metadata.uid !== undefined && uid !== object.metadata.uid;
}
