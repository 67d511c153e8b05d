import { Ring } from '../../kit/ring.ts';
import { keyOf } from '../../model/key.ts';
import type { GateTarget } from '../change-gate.ts';
import type { ObjectChange } from '../envelope.ts';
import type { Backlog, BacklogStep, Loss, LossListener, Waiting } from './backlog.ts';

/** What waits for one object: its latest change, and before it the deletion of another object of that name. */
interface Merged<T> {
  gone: Waiting<T> | undefined;
  last: Waiting<T> | undefined;
  wasMerged: boolean;
}

/**
 * Keeps one change an object. What the reader gets is taken in one piece, and what was merged in it told before it; what comes meanwhile is
 * the next piece. So there are never more than two changes an object, and each object's come in order.
 */
export class CoalescingBacklog<T extends GateTarget> implements Backlog<T> {
  readonly #listener: LossListener;
  readonly #ids = new Map<T, number>();
  #next = new Map<string | BacklogStep, Merged<T> | BacklogStep>();
  #piece = new Ring<Waiting<T> | BacklogStep>();
  /** Changes in it. */
  #inPiece = 0;
  #events = 0;

  constructor(listener: LossListener) {
    this.#listener = listener;
  }

  get waiting(): number {
    let count = this.#inPiece;
    for (const item of itemsOf(this.#next.values())) if (typeof item !== 'function') count++;
    return count;
  }

  /** A piece begins with what was merged in it, so that only the next one has something to tell. */
  get untold(): Loss | undefined {
    if (this.#events === 0) return undefined;
    let objects = 0;
    for (const waiting of this.#next.values()) if (typeof waiting !== 'function' && waiting.wasMerged) objects++;
    return { how: 'coalesced', events: this.#events, objects };
  }

  push(item: Waiting<T>): void {
    const key = `${this.#idOf(item.target)}/${keyOf(item.change.object)}`;
    const waiting = this.#next.get(key);
    if (!waiting || typeof waiting === 'function') this.#next.set(key, { gone: undefined, last: item, wasMerged: false });
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
    if (this.#piece.size === 0) this.#cut();
    const item = this.#piece.shift();
    if (item && typeof item !== 'function') this.#inPiece--;
    return item;
  }

  #cut(): void {
    const loss = this.untold;
    if (loss) this.#piece.push(() => this.#listener.lost(loss));
    for (const item of itemsOf(this.#next.values())) {
      this.#piece.push(item);
      if (typeof item !== 'function') this.#inPiece++;
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

/** Merges a change into what waits, and says how many changes are told no more by it. */
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
