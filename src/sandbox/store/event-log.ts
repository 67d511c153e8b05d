import { atRevision, type StoredObject } from './stored-object.ts';

/** One change of one collection. The object of a deletion is its last state, with the revision of the deletion. */
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

  /** The event of a watch whose selector the object leaves: the state before, with the new revision. */
  get left(): StoredObject {
    this.#left ??= this.previous ? atRevision(this.previous, this.revision) : this.object;
    return this.#left;
  }

  /** Releases the encoded lines. `line` encodes again when it is called later. */
  forgetLines(): void {
    this.#lines = undefined;
    this.#left = undefined;
  }

  /** The encoded line of this event in one form. The first watcher makes it with `make`, the others share it. */
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
  /** The log keeps at most this many events. */
  readonly capacity: number;
  /** The compaction mark at the start: no watch can start before this revision. */
  readonly compacted?: number | undefined;
  /** The revision up to which changes are too old to be kept. */
  readonly floor?: (() => number) | undefined;
}

/** How far back a watch can resume by default: the number of changes, and their age in ms. */
export const KEPT_HISTORY = { historySize: 10_000, historyMs: 300_000 };

/**
 * Encoded lines are kept for this many of the latest changes. Live watchers are not further behind; other watchers
 * encode again.
 */
const LINES_KEPT = 512;

/**
 * The latest changes of one collection, oldest first, each with a sequence number that never changes.
 * Limited by number and by age. An event that is dropped moves the compaction mark to its revision.
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

  /** The compaction mark: a watch can start at this revision or later. */
  get compacted(): number {
    this.#dropOld();
    return this.#compacted;
  }

  /** The sequence number of the oldest event in the log. */
  get first(): number {
    return this.#first;
  }

  /** The sequence number of the next event. */
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

  /** Drops every event up to a revision. */
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
    this.#events[this.#head] = undefined; // so that the memory is free before the array is cut
    this.#first++;
    this.#head++;
    if (this.#head < 1024 || this.#head * 2 < this.#events.length) return;
    this.#events = this.#events.slice(this.#head);
    this.#head = 0;
  }
}
