import { InformerError, messageOf } from '../../kit/error.ts';
import { hasMetadata, Tombstone } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import type { Cached } from '../compact/packed-object.ts';
import { changed, deleted, type InformerNotification, uidChanged, updated } from '../handlers/notification.ts';
import type { Delta, ObjectDelta } from './delta-fifo.ts';
import { type Indexer, toEnd } from './indexer.ts';
import { applyMerge, applyReplacement, type RelistContext } from './relist-changes.ts';

/** `isInInitialList`: the deltas belong to the initial list. `within`: the keys that a list or a resync covers. */
export interface ApplyContext extends RelistContext {
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
