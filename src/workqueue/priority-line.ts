import { Ring } from '../kit/ring.ts';

/** The place of a key in the line. `since` is its time of arrival (monotonic ms), from which ageing counts. */
export interface LinePlace {
  readonly priority: number;
  readonly since: number;
  /** Only the line changes it. */
  isInLine: boolean;
}

export interface AgeingOptions {
  /** A key that has waited this long is aged, ms. */
  agedAfterMs: number;
  /** While aged keys wait behind higher priorities, every `agedShare`-th take serves an aged key. */
  agedShare: number;
}

interface Band<P> {
  readonly priority: number;
  readonly places: Ring<P>;
}

/** The number of bands that are kept when they are empty. */
const KEPT_BANDS = 8;

/**
 * Keys in line: higher priority first, and first in, first out within a priority. It knows places and no keys:
 * a key that moves to a higher priority gives its place up for another one.
 *
 * No key starves: while a key that has waited `agedAfterMs` is behind higher priorities, every `agedShare`-th take
 * serves the key that has waited longest. So keys of low priority get a fixed share of the takes, and keys of high
 * priority get the rest, however many aged keys there are. (controller-runtime's priority queue has no ageing: its
 * issue 3496.)
 */
export class PriorityLine<P extends LinePlace> {
  readonly #ageing: AgeingOptions;
  /** Highest priority first. */
  readonly #bands: Band<P>[] = [];
  #size = 0;
  #passedOver = 0;

  constructor(ageing: AgeingOptions) {
    this.#ageing = ageing;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a place at the end of its priority. A place is added once: a key that returns gets another one. */
  push(place: P): void {
    place.isInLine = true;
    this.#size++;
    this.#bandOf(place.priority).places.push(place);
  }

  /** Removes and returns the next key; undefined if the line is empty. `now` is in monotonic ms. */
  shift(now: number): P | undefined {
    const band = this.#pick(now);
    const place = band?.places.shift();
    if (!band || !place) return undefined;
    this.delete(place);
    if (band.places.size === 0 && this.#bands.length > KEPT_BANDS) this.#bands.splice(this.#bands.indexOf(band), 1);
    return place;
  }

  /** Gives a place up, if it is in line. */
  delete(place: P): void {
    if (!place.isInLine) return;
    place.isInLine = false;
    this.#size--;
  }

  clear(): void {
    for (const place of this) this.delete(place);
  }

  /** The keys in line, in the order in which they are served, without regard to ageing. */
  *[Symbol.iterator](): IterableIterator<P> {
    for (const { places } of this.#bands) {
      for (let at = 0; at < places.size; at++) {
        const place = places.at(at) as P;
        if (place.isInLine) yield place;
      }
    }
  }

  /** The band whose first key is served next. */
  #pick(now: number): Band<P> | undefined {
    let first: Band<P> | undefined;
    let oldest: Band<P> | undefined;
    let since = Number.POSITIVE_INFINITY;
    for (const band of this.#bands) {
      const head = this.#head(band);
      if (!head) continue;
      first ??= band;
      if (head.since >= since) continue;
      oldest = band;
      since = head.since;
    }
    if (oldest === first || now - since < this.#ageing.agedAfterMs) {
      this.#passedOver = 0;
      return first;
    }
    if (++this.#passedOver < this.#ageing.agedShare) return first;
    this.#passedOver = 0;
    return oldest;
  }

  /** The first place of a band that was not given up. Removes those that were. */
  #head({ places }: Band<P>): P | undefined {
    for (;;) {
      const head = places.at(0);
      if (!head || head.isInLine) return head;
      places.shift();
    }
  }

  #bandOf(priority: number): Band<P> {
    const at = this.#bands.findIndex((b) => b.priority <= priority);
    const found = this.#bands[at];
    if (found?.priority === priority) return found;
    const band = { priority, places: new Ring<P>() };
    this.#bands.splice(at < 0 ? this.#bands.length : at, 0, band);
    return band;
  }
}
