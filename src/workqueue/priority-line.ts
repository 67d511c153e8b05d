import { Ring } from '../kit/ring.ts';

/** A key in the line. `since` is its time of arrival (monotonic ms), from which ageing counts. */
export interface Queued {
  readonly key: string;
  readonly priority: number;
  readonly since: number;
}

export interface AgeingOptions {
  /** A key that has waited this long is aged, ms. */
  agedAfterMs: number;
  /** While aged keys wait behind higher priorities, every `agedShare`-th take serves an aged key. */
  agedShare: number;
}

interface Band {
  readonly priority: number;
  readonly items: Ring<Queued>;
}

/** The number of bands that are kept when they are empty. */
const KEPT_BANDS = 8;

/**
 * Keys in line: higher priority first, and first in, first out within a priority.
 *
 * No key starves: while a key that has waited `agedAfterMs` is behind higher priorities, every `agedShare`-th take
 * serves the key that has waited longest. So keys of low priority get a fixed share of the takes, and keys of high
 * priority get the rest, however many aged keys there are. (controller-runtime's priority queue has no ageing: its
 * issue 3496.)
 */
export class PriorityLine {
  readonly #ageing: AgeingOptions;
  /** Highest priority first. */
  readonly #bands: Band[] = [];
  readonly #live = new Map<string, Queued>();
  #passedOver = 0;

  constructor(ageing: AgeingOptions) {
    this.#ageing = ageing;
  }

  get size(): number {
    return this.#live.size;
  }

  /** Adds `key` at the end of its priority. A key in line moves to a higher priority, never to a lower one. */
  push(key: string, priority: number, now: number): void {
    const known = this.#live.get(key);
    if (known && known.priority >= priority) return;
    const item = { key, priority, since: known?.since ?? now };
    this.#live.set(key, item);
    this.#bandOf(priority).items.push(item);
  }

  /** Removes and returns the next key; undefined if the line is empty. `now` is in monotonic ms. */
  shift(now: number): Queued | undefined {
    const item = this.#pick(now);
    if (item) this.#remove(item);
    return item;
  }

  has(key: string): boolean {
    return this.#live.has(key);
  }

  /** Removes a key from its place. Returns whether it was in line. */
  delete(key: string): boolean {
    return this.#live.delete(key);
  }

  clear(): void {
    this.#bands.length = 0;
    this.#live.clear();
  }

  /** The keys in line, in the order in which they are served, without regard to ageing. */
  *[Symbol.iterator](): IterableIterator<Queued> {
    for (const { items } of this.#bands) {
      for (let at = 0; at < items.size; at++) {
        const item = items.at(at) as Queued;
        if (this.#live.get(item.key) === item) yield item;
      }
    }
  }

  #pick(now: number): Queued | undefined {
    const first = this.#firstHead();
    if (!first) return undefined;
    const oldest = this.#oldestHead(first);
    if (oldest === first || now - oldest.since < this.#ageing.agedAfterMs) {
      this.#passedOver = 0;
      return first;
    }
    if (++this.#passedOver < this.#ageing.agedShare) return first;
    this.#passedOver = 0;
    return oldest;
  }

  #firstHead(): Queued | undefined {
    for (const band of this.#bands) {
      const head = this.#head(band);
      if (head) return head;
    }
    return undefined;
  }

  /** The key that has waited longest; of several the one of the highest priority, whose first one is given. */
  #oldestHead(first: Queued): Queued {
    let oldest = first;
    for (const band of this.#bands) {
      const head = this.#head(band);
      if (head && head.since < oldest.since) oldest = head;
    }
    return oldest;
  }

  /** The first key of a band that has not moved to a higher one. Removes those that have. */
  #head({ items }: Band): Queued | undefined {
    for (;;) {
      const head = items.at(0);
      if (!head || this.#live.get(head.key) === head) return head;
      items.shift();
    }
  }

  #remove(item: Queued): void {
    this.#live.delete(item.key);
    const at = this.#bands.findIndex((b) => b.priority === item.priority);
    const band = this.#bands[at] as Band;
    band.items.shift();
    if (band.items.size === 0 && this.#bands.length > KEPT_BANDS) this.#bands.splice(at, 1);
  }

  #bandOf(priority: number): Band {
    const at = this.#bands.findIndex((b) => b.priority <= priority);
    const found = this.#bands[at];
    if (found?.priority === priority) return found;
    const band = { priority, items: new Ring<Queued>() };
    this.#bands.splice(at < 0 ? this.#bands.length : at, 0, band);
    return band;
  }
}
