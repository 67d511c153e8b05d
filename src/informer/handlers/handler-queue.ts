import { Ring } from '../../kit/ring.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { OrderedContinuity } from '../watch/ledger.ts';
import type { InformerNotification } from './notification.ts';

/** Told in the queue itself, so that it comes after everything that was to come before it. */
export const SYNCED = Symbol('synced');
/** Likewise. */
export interface Told {
  readonly kind: 'continuity';
  readonly event: OrderedContinuity;
}
export type HandlerItem<T> = InformerNotification<T> | Told | typeof SYNCED;

/** What waits for one handler. */
export interface HandlerQueue<T> {
  readonly size: number;
  push(item: HandlerItem<T>): void;
  shift(): HandlerItem<T> | undefined;
  /** The item that `shift` takes next. */
  peek(): HandlerItem<T> | undefined;
  clear(): void;
}

/** Keeps everything, in order. */
export function createBuffer<T>(): HandlerQueue<T> {
  return new Ring<HandlerItem<T>>();
}

/**
 * Keeps one notification per key: a slow handler gets each object's latest state, in the order the keys first waited. What is merged away
 * is counted in `onLost`. An object that came and went while waiting is never told.
 */
export class CoalescingQueue<T> implements HandlerQueue<T> {
  readonly #items = new Map<ObjectKey | Told | typeof SYNCED, HandlerItem<T>>();
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
    const waiting = this.#items.get(item.key);
    if (waiting === undefined || waiting === SYNCED || waiting.kind === 'continuity') {
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

/** Two notifications about one key as one; undefined when together they are nothing. */
function merge<T>(first: InformerNotification<T>, second: InformerNotification<T>): InformerNotification<T> | undefined {
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
  // Deleted, then there again: to one who has seen neither, an update to another object.
  return { kind: 'updated', key, sequence, cause, object: second.object, oldObject: first.object, uidChanged: true };
}
