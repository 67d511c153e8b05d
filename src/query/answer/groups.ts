import { compareText } from '../../kit/text-order.ts';
import { compareDecimals } from '../../model/decimal.ts';
import { compareValues } from '../../model/value-order.ts';
import type { Amount } from './sums.ts';

/** The name of the group of items without a value. */
export const NO_GROUP = '<none>';

/** Items that have one value. */
export interface Group<T> {
  readonly value: string;
  readonly items: readonly T[];
}

/** Groups items by value, in the order in which values come. An item without one is in the group `<none>`. */
export function groupsOf<T>(items: Iterable<T>, values: (item: T) => readonly string[]): Group<T>[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const found = new Set(values(item));
    for (const value of found.size === 0 ? [NO_GROUP] : found) {
      const group = groups.get(value);
      if (group) group.push(item);
      else groups.set(value, [item]);
    }
  }
  return [...groups].map(([value, of]) => ({ value, items: of }));
}

/** A group as it is shown. `value` is undefined where everything is one group. */
export interface GroupRow {
  readonly value: string | undefined;
  readonly count: number;
  readonly amounts: readonly (Amount | undefined)[];
}

/** The order of rows of groups. */
export interface GroupOrder {
  /** A number is the place of an amount. */
  readonly by: 'count' | 'value' | number;
  readonly isDescending: boolean;
}

/** The most frequent group first, then by value. */
const BY_COUNT: GroupOrder = { by: 'count', isDescending: true };

/** Sorts rows. Rows that are equal are in the order of {@link BY_COUNT}; a row without the amount is the least. */
export function sortedRows<R extends GroupRow>(rows: readonly R[], order: GroupOrder = BY_COUNT): R[] {
  const sign = order.isDescending ? -1 : 1;
  return [...rows].sort(
    (a, b) => sign * compareRows(a, b, order.by) || b.count - a.count || compareText(a.value ?? '', b.value ?? ''),
  );
}

function compareRows(a: GroupRow, b: GroupRow, by: GroupOrder['by']): number {
  if (by === 'count') return a.count - b.count;
  if (by === 'value') return compareValues(a.value ?? '', b.value ?? '');
  const [x, y] = [a.amounts[by], b.amounts[by]];
  if (x && y) return compareDecimals(x.value, y.value);
  return x ? 1 : y ? -1 : 0;
}
