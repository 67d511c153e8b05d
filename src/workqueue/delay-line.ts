import type { Clock, Timer } from '../kit/clock.ts';
import { Heap } from '../kit/heap.ts';

/** A key that waits for its deadline. */
export interface Delayed {
  readonly key: string;
  /** The deadline, in the clock's monotonic time, ms. */
  readonly at: number;
  readonly priority: number;
}

interface Entry extends Delayed {
  readonly order: number;
  /** False once it is replaced or cancelled. It stays in the heap until its turn. */
  isLive: boolean;
}

/**
 * Keys that wait for their deadlines, each at most once.
 *
 * Promises: `fire` is called in the order of the deadlines, and for equal deadlines in the order in which they were
 * set. Of several deadlines for a key the earliest counts, of several priorities the highest. There is at most one
 * timer. Does not promise to fire at the exact millisecond. Source: client-go util/workqueue/delaying_queue.go, without
 * its heartbeat of 10 s, because the timer is always set to the next deadline.
 */
export class DelayLine {
  readonly #clock: Clock;
  readonly #fire: (key: string, priority: number) => void;
  readonly #entries = new Map<string, Entry>();
  #heap = newHeap();
  #order = 0;
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, fire: (key: string, priority: number) => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * The entries in memory: the waiting ones, and replaced ones that are not removed yet. At most about twice {@link
   * size}.
   */
  get entriesInMemory(): number {
    return this.#heap.size;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** The delay of a key, if it has one. */
  get(key: string): Delayed | undefined {
    return this.#entries.get(key);
  }

  /** Schedules `key` in `delayMs`, or keeps its earlier deadline. */
  schedule(key: string, delayMs: number, priority: number): void {
    const at = this.#clock.monotonic() + delayMs;
    const known = this.#entries.get(key);
    if (known && known.at <= at && known.priority >= priority) return;
    const entry = {
      key,
      at: known ? Math.min(known.at, at) : at,
      priority: known ? Math.max(known.priority, priority) : priority,
      order: this.#order++,
      isLive: true,
    };
    if (known) known.isLive = false;
    this.#entries.set(key, entry);
    this.#heap.push(entry);
    this.#compact();
    this.#arm();
  }

  /** Removes `key` before its deadline. Returns what was scheduled; undefined if nothing was. */
  cancel(key: string): Delayed | undefined {
    if (this.#entries.size === 0) return undefined;
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.isLive = false;
    this.#entries.delete(key);
    if (this.#entries.size === 0) this.clear();
    return entry;
  }

  clear(): void {
    this.#entries.clear();
    this.#heap = newHeap();
    this.#disarm();
  }

  /** The waiting keys, in no particular order. */
  [Symbol.iterator](): IterableIterator<Delayed> {
    return this.#entries.values();
  }

  /** Rebuilds the heap when most of its entries are replaced or cancelled ones, which stay in it until their turn. */
  #compact(): void {
    if (this.#heap.size <= 2 * this.#entries.size + 64) return;
    this.#heap = newHeap();
    for (const entry of this.#entries.values()) this.#heap.push(entry);
  }

  #next(): Entry | undefined {
    let entry = this.#heap.peek();
    while (entry && !entry.isLive) {
      this.#heap.pop();
      entry = this.#heap.peek();
    }
    return entry;
  }

  #arm(): void {
    const next = this.#next();
    if (next && next.at >= this.#timerAt) return;
    this.#disarm();
    if (!next) return;
    this.#timerAt = next.at;
    this.#timer = this.#clock.after(next.at - this.#clock.monotonic(), () => this.#due());
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #due(): void {
    this.#disarm();
    const now = this.#clock.monotonic();
    for (let next = this.#next(); next && next.at <= now; next = this.#next()) {
      this.#heap.pop();
      this.#entries.delete(next.key);
      this.#fire(next.key, next.priority);
    }
    this.#arm();
  }
}

function newHeap(): Heap<Entry> {
  return new Heap((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
}
