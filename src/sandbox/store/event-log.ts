import { atRevision, type StoredObject } from './stored-object.ts';

/** One change of one collection. A deletion shows the last state under the revision of the deletion. */
export class StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
  #left: StoredObject | undefined;
  #lines: Map<string, Uint8Array> | undefined;

  constructor(type: StoreEvent['type'], object: StoredObject, previous: StoredObject | undefined) {
    this.type = type;
    this.object = object;
    this.previous = previous;
  }

  get revision(): number {
    return this.object.revision;
  }

  /** What a watch shows when the object left its selector: the state before, under the new revision. */
  get left(): StoredObject {
    this.#left ??= this.previous ? atRevision(this.previous, this.revision) : this.object;
    return this.#left;
  }

  /** Lets go of the texts; whoever asks makes them again. */
  forgetLines(): void {
    this.#lines = undefined;
    this.#left = undefined;
  }

  /** The encoded line of this event in one form, made by the first watcher that asks and shared by the others. */
  line(form: string, make: () => string): Uint8Array {
    this.#lines ??= new Map();
    let line = this.#lines.get(form);
    if (!line) {
      line = Buffer.from(make());
      this.#lines.set(form, line);
    }
    return line;
  }
}

export interface EventLogOptions {
  /** At most so many are kept. */
  readonly capacity: number;
  /** Where a log that begins now begins. */
  readonly compacted?: number | undefined;
  /** Changes up to this revision have become too old to be kept. */
  readonly floor?: (() => number) | undefined;
}

/** The lines of so many of the latest changes are kept: live watchers are not further behind, and others can make them again. */
const LINES_KEPT = 512;

/**
 * The latest changes of one collection, oldest first, each under a sequence number that never changes.
 * Keeps what is neither too many nor too old; what falls out moves the compaction mark on.
 */
export class EventLog {
  readonly #capacity: number;
  readonly #floor: () => number;
  #events: (StoreEvent | undefined)[] = [];
  #head = 0;
  #first = 0;
  #compacted: number;

  constructor({ capacity, compacted = 0, floor = () => 0 }: EventLogOptions) {
    this.#capacity = capacity;
    this.#compacted = compacted;
    this.#floor = floor;
  }

  /** A watch may start at this revision or later. */
  get compacted(): number {
    this.#dropOld();
    return this.#compacted;
  }

  /** The sequence number of the oldest event kept. */
  get first(): number {
    return this.#first;
  }

  /** The sequence number the next event will get. */
  get next(): number {
    return this.#first + this.#events.length - this.#head;
  }

  push(event: StoreEvent): void {
    this.#events.push(event);
    if (this.next - this.#first > this.#capacity) this.#dropFirst();
    this.#dropOld();
    this.at(this.next - 1 - LINES_KEPT)?.forgetLines();
  }

  at(sequence: number): StoreEvent | undefined {
    return sequence < this.#first ? undefined : this.#events[this.#head + sequence - this.#first];
  }

  /** The sequence number of the first event after a revision; `next` when there is none. */
  after(revision: number): number {
    let low = this.#first;
    let high = this.next;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.at(middle)?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Forgets every event up to a revision. */
  compact(revision: number): void {
    this.#dropUpTo(revision);
    this.#compacted = Math.max(this.#compacted, revision);
  }

  #dropOld(): void {
    this.#dropUpTo(this.#floor());
  }

  #dropUpTo(revision: number): void {
    while (this.#first < this.next && (this.at(this.#first)?.revision ?? 0) <= revision) this.#dropFirst();
  }

  #dropFirst(): void {
    this.#compacted = Math.max(this.#compacted, this.at(this.#first)?.revision ?? 0);
    this.#events[this.#head] = undefined; // nothing dropped is kept alive until the array is cut
    this.#first++;
    this.#head++;
    if (this.#head < 1024 || this.#head * 2 < this.#events.length) return;
    this.#events = this.#events.slice(this.#head);
    this.#head = 0;
  }
}
