import { compareText } from '../../kit/text-order.ts';
import type { ObjectKey } from '../../model/key.ts';

/**
 * The entries of a store by ascending key, by bytes, as an API server lists its objects. The order is made when it is
 * first asked for and then follows each write, until no one has asked for it over many writes.
 * Promise: a list that was given out does not change.
 */
export class KeyOrder<C> {
  #keys: ObjectKey[] = [];
  #entries: C[] | undefined;
  /** Whether a reader has the list of entries. */
  #isGivenOut = false;
  #writes = 0;

  /** `items` are the entries of the store by their keys. */
  entries(items: ReadonlyMap<ObjectKey, C>): readonly C[] {
    if (!this.#entries) {
      this.#keys = sorted([...items.keys()]);
      this.#entries = this.#keys.map((key) => items.get(key) as C);
    }
    this.#isGivenOut = true;
    this.#writes = 0;
    return this.#entries;
  }

  put(key: ObjectKey, entry: C): void {
    const entries = this.#written();
    if (!entries) return;
    const place = this.#placeOf(key);
    if (this.#keys[place] === key) entries[place] = entry;
    else {
      this.#keys.splice(place, 0, key);
      entries.splice(place, 0, entry);
    }
  }

  drop(key: ObjectKey): void {
    const entries = this.#written();
    if (!entries) return;
    const place = this.#placeOf(key);
    if (this.#keys[place] !== key) return;
    this.#keys.splice(place, 1);
    entries.splice(place, 1);
  }

  /** All entries were exchanged, or the order is not worth its memory any more. */
  forget(): void {
    this.#keys = [];
    this.#entries = undefined;
  }

  /** The entries, to be changed; undefined if no order is kept. */
  #written(): C[] | undefined {
    if (this.#entries && ++this.#writes > Math.max(FEW_WRITES, this.#keys.length)) this.forget();
    if (this.#entries && this.#isGivenOut) this.#entries = this.#entries.slice();
    this.#isGivenOut = false;
    return this.#entries;
  }

  /** The place of a key, or that at which it would be. */
  #placeOf(key: ObjectKey): number {
    let [from, to] = [0, this.#keys.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (compareText(this.#keys[middle] as ObjectKey, key) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Sorts keys in their place. The order of JavaScript, which is much faster, differs for surrogates alone. */
const sorted = (keys: ObjectKey[]): ObjectKey[] =>
  keys.some((key) => SURROGATE.test(key)) ? keys.sort(compareText) : keys.sort();

const SURROGATE = /[\ud800-\udfff]/;

/** An order of few objects is kept at least over this number of writes. */
const FEW_WRITES = 1000;
