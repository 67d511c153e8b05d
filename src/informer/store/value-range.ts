import { compareText } from '../../kit/text-order.ts';
import { compareSizes, compareValues } from '../../model/value-order.ts';

/**
 * Which values of an index: those that begin with `prefix`, or those from `from` to `to`, both included; a missing end leaves the range open.
 * In ranges quantities (`10`, `1.5`, `2Gi`) are ordered by size and come first, then times (RFC 3339, in whatever zone) as instants; other text
 * is ordered by bytes.
 */
export type ValueRange = { readonly prefix: string } | { readonly from?: string | undefined; readonly to?: string | undefined };

type Compare = (a: string, b: string) => number;

/** Distinct texts in an order, each found, added and removed by bisection. */
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

  /** From the first value not below `from` on, as long as `holds`. `compare` may take for equal what the order tells apart. */
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
 * Answers {@link ValueRange}s over a set of values that changes. An order is made when it is first asked for and kept up from then on;
 * until then it costs nothing.
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

  /** Before many values change at once: sorting anew is cheaper. */
  forget(): void {
    this.#text = undefined;
    this.#bySize = undefined;
  }

  /** The values in the range, ascending; `all` is every value there is. */
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
