import { InformerError } from '../../kit/error.ts';
import { atPlaces } from '../../kit/lazy-list.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { compareSortedTexts } from '../../model/value-order.ts';
import type { IndexDefinition } from '../index/index-definition.ts';

/** A value and the number of objects that have it. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/**
 * Counts the objects for each value of an index: the most frequent value first, then by value. `redact` is given where
 * values may be secret: they are then read from the redacted objects, and equal values still count together.
 */
export function countedValues(
  definition: IndexDefinition,
  objects: Iterable<ReadonlyObject>,
  redact?: (object: ReadonlyObject) => ReadonlyObject,
): ValueCount[] {
  const values = (object: ReadonlyObject) => definition.listed?.(object) ?? definition.valuesOf(object);
  return countsOf(objects, redact ? (object) => values(redact(object)) : values);
}

/** The sums of the counts of several stores. */
export function mergedCounts(counts: Iterable<readonly ValueCount[]>): ValueCount[] {
  const sums = new Map<string, number>();
  for (const list of counts) for (const { value, count } of list) sums.set(value, (sums.get(value) ?? 0) + count);
  return sortedCounts(sums);
}

/** Counts the values of items. */
export function countsOf<T>(items: Iterable<T>, values: (item: T) => Iterable<string>): ValueCount[] {
  const counts = new Map<string, number>();
  for (const item of items) for (const value of values(item)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return sortedCounts(counts);
}

/** The most frequent value first, then by value. */
export const sortedCounts = (counts: Iterable<readonly [value: string, count: number]>): ValueCount[] =>
  Array.from(counts, ([value, count]) => ({ value, count })).sort(byCount);

const byCount = (a: ValueCount, b: ValueCount) =>
  b.count - a.count || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0);

/** The expression by which items are sorted, as the user wrote it, and the direction. */
export interface SortBy {
  readonly expression: string;
  /** Whether the largest value comes first, and items without a value last. Default false. */
  readonly isDescending?: boolean | undefined;
}

/**
 * Returns a copy sorted by the first value of each item: items without a value first, then false, true, numbers,
 * strings. Two strings that are quantities are compared by size, other strings by bytes. Equal items keep their order.
 * Of items that are made when they are read, only the places and the values are kept. Throws `argument` if no object has
 * the field, or if its value is a map or a list. Source: kubectl pkg/cmd/get
 * sorter.go.
 */
export function sortedBy<T>(
  items: readonly T[],
  values: (item: T) => readonly unknown[],
  { expression, isDescending }: SortBy,
): readonly T[] {
  const keyed = Array.from({ length: items.length }, (_, place) => ({ place, key: values(items[place] as T)[0] }));
  checkSortKeys(
    keyed.map(({ key }) => key),
    expression,
  );
  const sign = isDescending ? -1 : 1;
  keyed.sort((a, b) => sign * compareKeys(a.key, b.key));
  return atPlaces(
    items,
    keyed.map(({ place }) => place),
  );
}

/** Throws `argument` if there is nothing to sort by in any object, or if it has no order. */
export function checkSortKeys(keys: readonly unknown[], expression: string): void {
  if (keys.length > 0 && keys.every((key) => key === undefined)) {
    throw new InformerError('argument', `couldn't find any field with path "${expression}" in the list of objects`, {
      hint: 'look at the fields of one object with -o json',
    });
  }
  const unsortable = keys.find((key) => !isSortable(key));
  if (unsortable !== undefined)
    throw new InformerError(
      'argument',
      `--sort-by: "${expression}" is a ${Array.isArray(unsortable) ? 'list' : 'map'}, which has no order`,
      { hint: 'sort by a field within it' },
    );
}

/** Whether {@link compareKeys} orders a value: a map or a list has no order. */
export const isSortable = (key: unknown): boolean => typeof key !== 'object' || key === null;

const RANK: Readonly<Record<string, number>> = { undefined: 0, object: 1, boolean: 2, number: 3, bigint: 3, string: 4 };

/** Compares two keys in the order of {@link sortedBy}: undefined, null, booleans, numbers, strings. */
export function compareKeys(a: unknown, b: unknown): number {
  if (a === b) return 0;
  const rank = (RANK[typeof a] ?? 0) - (RANK[typeof b] ?? 0);
  if (rank !== 0) return rank;
  if (typeof a === 'object' || typeof b === 'object' || a === undefined || b === undefined) return 0;
  if (typeof a === 'string' && typeof b === 'string') return compareSortedTexts(a, b);
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}
