import { Ring } from '../../kit/ring.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { OrderedContinuity } from '../watch/continuity-ledger.ts';
import type { InformerNotification } from './notification.ts';

/** From this number of notifications that wait for a slow handler, a warning is logged. */
export const BACKLOG_WARNING = 10_000;

/** The marker of the initial sync. It is queued, so that it comes after everything before it. */
export const SYNCED = Symbol('synced');
/** A continuity event, queued in order with notifications. */
export interface QueuedContinuity {
  readonly kind: 'continuity';
  readonly event: OrderedContinuity;
}
export type HandlerItem<T> = InformerNotification<T> | QueuedContinuity | typeof SYNCED;

/** The queue of one handler. */
export interface HandlerQueue<T> {
  readonly size: number;
  push(item: HandlerItem<T>): void;
  shift(): HandlerItem<T> | undefined;
  /** The item that `shift` would take next. */
  peek(): HandlerItem<T> | undefined;
  clear(): void;
}

/** Creates a queue that keeps everything, in order. */
export function createBuffer<T>(): HandlerQueue<T> {
  return new Ring<HandlerItem<T>>();
}

/**
 * A queue that keeps one notification per key. A slow handler gets the latest state of each object, in the order in
 * which the keys were first queued. An object that came and went while it was queued is not reported. `onLost` is
 * called with the number of notifications that were merged away. A stream has its own queue, `CoalescingBacklog`,
 * because it must show a deletion and an addition of one key as two events.
 */
export class CoalescingQueue<T> implements HandlerQueue<T> {
  readonly #items = new Map<ObjectKey | QueuedContinuity | typeof SYNCED, HandlerItem<T>>();
  readonly #onLost: (count: number) => void;

  constructor(onLost: (count: number) => void) {
    this.#onLost = onLost;
  }

  get size(): number {
    return this.#items.size;
  }

  push(item: HandlerItem<T>): void {
    if (item === SYNCED || item.kind === 'continuity') {
      this.#items.set(item, item);
      return;
    }
    const waiting = this.#items.get(item.key) as InformerNotification<T> | undefined;
    if (waiting === undefined) {
      this.#items.set(item.key, item);
      return;
    }
    const merged = merge(waiting, item);
    this.#onLost(merged ? 1 : 2);
    if (merged) this.#items.set(item.key, merged);
    else this.#items.delete(item.key);
  }

  shift(): HandlerItem<T> | undefined {
    const first = this.#items.entries().next();
    if (first.done) return undefined;
    this.#items.delete(first.value[0]);
    return first.value[1];
  }

  peek(): HandlerItem<T> | undefined {
    return this.#items.values().next().value;
  }

  clear(): void {
    this.#items.clear();
  }
}

/** Merges two notifications about one key; undefined when together they are no change. */
function merge<T>(
  first: InformerNotification<T>,
  second: InformerNotification<T>,
): InformerNotification<T> | undefined {
  const { key, cause, sequence = 0 } = second;
  if (first.kind === 'added') {
    if (second.kind === 'deleted') return undefined;
    return { ...first, sequence, object: second.object, cause: first.isInInitialList ? first.cause : cause };
  }
  if (second.kind === 'deleted') return second;
  if (first.kind === 'updated') {
    const uidChanged = first.uidChanged || (second.kind === 'updated' && second.uidChanged);
    return { kind: 'updated', key, sequence, cause, object: second.object, oldObject: first.oldObject, uidChanged };
  }
  // Deleted, then added again: for a handler that has seen neither, an update to another object.
  return { kind: 'updated', key, sequence, cause, object: second.object, oldObject: first.object, uidChanged: true };
}
