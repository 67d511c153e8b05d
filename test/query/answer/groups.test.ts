import { expect, test } from 'vitest';
import { type GroupRow, groupsOf, sortedRows } from '../../../src/query/answer/groups.ts';
import { amountsOf } from '../../../src/query/answer/sums.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { PODS } from '../../support/query.ts';

const rowsBy = (values: (pod: (typeof PODS)[number]) => readonly string[]) =>
  sortedRows(groupsOf(PODS, values).map(({ value, items }) => ({ value, count: items.length, amounts: [] }))).map(
    ({ value, count }) => [value, count],
  );

test('an item is in the group of each of its values, once, and without a value in <none>', () => {
  expect(rowsBy(new IndexCatalog().get('node').valuesOf)).toEqual([
    ['n1', 3],
    ['<none>', 1],
    ['n2', 1],
  ]);
  expect(rowsBy(() => ['same', 'same'])).toEqual([['same', 5]]);
});

const row = (value: string, count: number, ...sizes: unknown[]): GroupRow => ({
  value,
  count,
  amounts: amountsOf('sum', sizes.map((size) => [[size]])).amounts, // biome-ignore format: short
});
const values = (rows: readonly GroupRow[]) => rows.map(({ value }) => value);

test('rows are sorted by count, by value with numbers in their order, or by an amount', () => {
  const rows = [row('b10', 1, '1Gi'), row('9', 3, '500Mi'), row('10', 3, undefined), row('a', 2, '1025Mi')];
  expect(values(sortedRows(rows))).toEqual(['10', '9', 'a', 'b10']);
  expect(values(sortedRows(rows, { by: 'value', isDescending: false }))).toEqual(['9', '10', 'a', 'b10']);
  expect(values(sortedRows(rows, { by: 0, isDescending: false }))).toEqual(['10', '9', 'b10', 'a']);
  expect(values(sortedRows(rows, { by: 0, isDescending: true }))).toEqual(['a', 'b10', '9', '10']);
});
