import { compareText } from '../../kit/text-order.ts';
import { compareSizes, compareValues } from '../../model/value-order.ts';

/**
 * A range of index values: those that begin with `prefix`, or those from `from` to `to`, both included. A range without
 * an end is open on that side.
 * Quantities (`10`, `1.5`, `2Gi`) come first, by size. Then come times (RFC 3339, in any time zone), as instants. Other
 * text follows, by bytes.
 */
export type ValueRange =
  | { readonly prefix: string }
  | { readonly from?: string | undefined; readonly to?: string | undefined };

type Compare = (a: string, b: string) => number;

/** Distinct texts in an order. Finds, adds and removes one by bisection. */
class OrderedValues {
  readonly #compare: Compare;
  readonly #sorted: string[];

  constructor(values: Iterable<string>, compare: Compare) {
    this.#compare = compare;
    this.#sorted = [...values].sort(compare);
  }

  add(value: string): void {
    this.#sorted.splice(this.#firstNotBelow(value), 0, value);
  }

  delete(value: string): void {
    this.#sorted.splice(this.#firstNotBelow(value), 1);
  }

  /**
   * The values from the first one not below `from`, as long as `holds` accepts them. `compare` may treat values as
   * equal that the order of the list distinguishes.
   */
  from(from: string | undefined, holds: (value: string) => boolean, compare: Compare = this.#compare): string[] {
    const found: string[] = [];
    for (let i = from === undefined ? 0 : this.#firstNotBelow(from, compare); i < this.#sorted.length; i++) {
      const value = this.#sorted[i] as string;
      if (!holds(value)) break;
      found.push(value);
    }
    return found;
  }

  #firstNotBelow(value: string, compare: Compare = this.#compare): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.#sorted[middle] as string, value) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Finds {@link ValueRange}s in a set of values that changes. An order is built when it is first needed and kept up to
 * date from then on.
 */
export class RangeFinder {
  #text: OrderedValues | undefined;
  #bySize: OrderedValues | undefined;

  added(value: string): void {
    this.#text?.add(value);
    this.#bySize?.add(value);
  }

  removed(value: string): void {
    this.#text?.delete(value);
    this.#bySize?.delete(value);
  }

  /** The values in the range, ascending. `all` is the whole set. */
  find(range: ValueRange, all: Iterable<string>): string[] {
    if ('prefix' in range) {
      this.#text ??= new OrderedValues(all, compareText);
      return this.#text.from(range.prefix, (value) => value.startsWith(range.prefix));
    }
    const { from, to } = range;
    this.#bySize ??= new OrderedValues(all, compareValues);
    return this.#bySize.from(from, (value) => to === undefined || compareSizes(value, to) <= 0, compareSizes);
  }
}
