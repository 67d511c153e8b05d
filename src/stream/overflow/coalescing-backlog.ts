import { Ring } from '../../kit/ring.ts';
import { keyOf } from '../../model/key.ts';
import type { ObjectChange } from '../envelope.ts';
import type { GateTarget } from '../filter-gate.ts';
import type { Backlog, BacklogStep, Loss, LossListener, Waiting } from './backlog.ts';

/** The waiting changes of one key: the latest change, and before it the deletion of an earlier object of that name. */
interface Merged<T> {
  gone: Waiting<T> | undefined;
  last: Waiting<T> | undefined;
  wasMerged: boolean;
}

/**
 * A backlog that merges the waiting changes of each object into one.
 *
 * The reader takes all waiting changes as one batch. A report of what was merged in the batch comes before it. Changes
 * that arrive meanwhile form the next batch. So at most two changes of an object wait in each of the two batches (a
 * deletion, and the addition of a new object of that name), and the changes of an object keep their order.
 *
 * The queue of an informer handler (`CoalescingQueue`) is another class: it merges a deletion and an addition into one
 * update, for a cache, while a stream must show both; and it has no batches.
 */
export class CoalescingBacklog<T extends GateTarget> implements Backlog<T> {
  readonly #listener: LossListener;
  readonly #ids = new Map<T, number>();
  #next = new Map<string | BacklogStep, Merged<T> | BacklogStep>();
  #batch = new Ring<Waiting<T> | BacklogStep>();
  /** The number of changes in `#batch`. */
  #inBatch = 0;
  #events = 0;

  constructor(listener: LossListener) {
    this.#listener = listener;
  }

  get waiting(): number {
    let count = this.#inBatch;
    for (const item of itemsOf(this.#next.values())) if (typeof item !== 'function') count++;
    return count;
  }

  /** The losses of the next batch. Those of the current batch are reported by its first item. */
  get unreported(): Loss | undefined {
    if (this.#events === 0) return undefined;
    let objects = 0;
    for (const waiting of this.#next.values()) if (typeof waiting !== 'function' && waiting.wasMerged) objects++;
    return { how: 'coalesced', events: this.#events, objects };
  }

  push(item: Waiting<T>): void {
    const key = `${this.#idOf(item.target)}/${keyOf(item.change.object)}`;
    const waiting = this.#next.get(key);
    if (!waiting || typeof waiting === 'function')
      this.#next.set(key, { gone: undefined, last: item, wasMerged: false });
    else this.#merged(merge(waiting, item));
  }

  #merged(events: number): void {
    this.#events += events;
    if (events > 0) this.#listener.onLost('coalesced', events);
  }

  pushStep(step: BacklogStep): void {
    this.#next.set(step, step);
  }

  shift(): Waiting<T> | BacklogStep | undefined {
    if (this.#batch.size === 0) this.#startBatch();
    const item = this.#batch.shift();
    if (item && typeof item !== 'function') this.#inBatch--;
    return item;
  }

  #startBatch(): void {
    const loss = this.unreported;
    if (loss) this.#batch.push(() => this.#listener.lost(loss));
    for (const item of itemsOf(this.#next.values())) {
      this.#batch.push(item);
      if (typeof item !== 'function') this.#inBatch++;
    }
    this.#next = new Map();
    this.#events = 0;
  }

  #idOf(target: T): number {
    const id = this.#ids.get(target) ?? this.#ids.size;
    this.#ids.set(target, id);
    return id;
  }
}

function* itemsOf<T>(all: Iterable<Merged<T> | BacklogStep>): Generator<Waiting<T> | BacklogStep> {
  for (const waiting of all) {
    if (typeof waiting === 'function') yield waiting;
    else for (const item of [waiting.gone, waiting.last]) if (item) yield item;
  }
}

/** Merges a change into the waiting ones of its key. Returns how many changes are not shown any more because of it. */
function merge<T>(waiting: Merged<T>, item: Waiting<T>): number {
  const { last } = waiting;
  const { type } = item.change;
  if (!last || (last.change.type === 'deleted' && type !== 'deleted')) {
    if (last) waiting.gone = last;
    waiting.last = item;
    return 0;
  }
  waiting.wasMerged = true;
  if (type === 'deleted' && last.change.type === 'added') {
    waiting.last = undefined;
    return 2;
  }
  waiting.last = { ...item, change: mergedChange(last.change, item.change) };
  return 1;
}

function mergedChange(first: ObjectChange, second: ObjectChange): ObjectChange {
  if (first.type === 'added' && second.type !== 'deleted') return { ...first, object: second.object };
  if (first.type !== 'updated' || second.type !== 'updated') return second;
  return { ...second, oldObject: first.oldObject, uidChanged: first.uidChanged || second.uidChanged };
}
