import { InformerError } from '../kit/error.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { compareSortedTexts } from '../model/value-order.ts';
import type { IndexDefinition } from './index-definition.ts';
import type { IndexedStore } from './plan.ts';

/** A value and how many objects have it. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** Stands for the objects that have no value. */
const NO_VALUE = '<none>';

/**
 * Every value of an index with its count, most frequent first, then by value. A kept index is read as it is; any other is worked out.
 * `redact` is given where values may be secret: they are then taken from the redacted objects, so that none is shown but equal ones still count together.
 */
export function valueCounts(
  definition: IndexDefinition,
  store: IndexedStore,
  redact?: (object: ReadonlyObject) => ReadonlyObject,
): ValueCount[] {
  const values = (object: ReadonlyObject) => definition.listed?.(object) ?? definition.valuesOf(object);
  if (redact) return countsOf(store.list(), (object) => values(redact(object)));
  if (definition.listed || !store.hasIndex(definition.name)) return countsOf(store.list(), values);
  const counts = store.indexValues(definition.name).map((value) => ({ value, count: store.indexCount(definition.name, value) }));
  return counts.filter(({ count }) => count > 0).sort(byCount);
}

/** Items counted by value; those without any under {@link NO_VALUE}. An item with several values counts for each. */
export function groupCounts<T>(items: Iterable<T>, values: (item: T) => readonly string[]): ValueCount[] {
  return countsOf(items, (item) => {
    const found = values(item);
    return found.length === 0 ? [NO_VALUE] : found;
  });
}

/** The counts of several stores as one. */
export function mergedCounts(counts: Iterable<readonly ValueCount[]>): ValueCount[] {
  const sums = new Map<string, number>();
  for (const list of counts) for (const { value, count } of list) sums.set(value, (sums.get(value) ?? 0) + count);
  return sorted(sums);
}

function countsOf<T>(items: Iterable<T>, values: (item: T) => readonly string[]): ValueCount[] {
  const counts = new Map<string, number>();
  for (const item of items) for (const value of values(item)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return sorted(counts);
}

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].map(([value, count]) => ({ value, count })).sort(byCount);

const byCount = (a: ValueCount, b: ValueCount) => b.count - a.count || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0);

/** What items are sorted by, as it was written, and in which direction. */
export interface SortBy {
  readonly expression: string;
  /** The largest first; items without the field last. */
  readonly isDescending?: boolean | undefined;
}

/**
 * A sorted copy, by the first value of each item: none first, then false and true, numbers by size, texts. Two texts that are quantities
 * are ordered by size, other texts by bytes. Equal ones keep their order.
 * Throws `argument` when no object has the field, or when its value is a map or a list. Source: kubectl pkg/cmd/get sorter.go.
 */
export function sortedBy<T>(items: readonly T[], values: (item: T) => readonly unknown[], { expression, isDescending }: SortBy): T[] {
  const keyed = items.map((item) => ({ item, key: values(item)[0] }));
  if (keyed.length > 0 && keyed.every(({ key }) => key === undefined)) {
    throw new InformerError('argument', `couldn't find any field with path "${expression}" in the list of objects`, {
      hint: 'look at the fields of one object with -o json',
    });
  }
  const unsortable = keyed.find(({ key }) => typeof key === 'object' && key !== null);
  if (unsortable) {
    throw new InformerError(
      'argument',
      `--sort-by: "${expression}" is a ${Array.isArray(unsortable.key) ? 'list' : 'map'}, which has no order`,
      {
        hint: 'name a field of it',
      },
    );
  }
  const sign = isDescending ? -1 : 1;
  return keyed.sort((a, b) => sign * compareKeys(a.key, b.key)).map(({ item }) => item);
}

const RANK: Readonly<Record<string, number>> = { undefined: 0, object: 1, boolean: 2, number: 3, bigint: 3, string: 4 };

/** The order of {@link sortedBy}, of two keys: what is not there first, then maps, booleans, numbers, texts. */
export function compareKeys(a: unknown, b: unknown): number {
  const rank = (RANK[typeof a] ?? 0) - (RANK[typeof b] ?? 0);
  if (rank !== 0) return rank;
  if (typeof a === 'object' || typeof b === 'object' || a === undefined || b === undefined) return 0;
  if (typeof a === 'string' && typeof b === 'string') return compareSortedTexts(a, b);
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}
