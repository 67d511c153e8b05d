import { expect, it } from 'vitest';
import { ColumnLists } from '../../../src/informer/compact/column-lists.ts';

it('a list of columns has one number, which equal lists share and other lists do not', () => {
  const lists = new ColumnLists();
  const columns = (...names: string[]) => names.map((name) => ({ name, type: 'string', format: '', priority: 0 }));
  const given = [columns('Name'), columns('Name', 'Age'), columns('Name'), columns('Name', 'Age'), columns()];
  const numbers = given.map((list) => lists.numberOf(list));
  expect(numbers).toEqual([0, 1, 0, 1, 2]);
  expect(given.map((list) => lists.numberOf(list))).toEqual(numbers);
  expect([0, 1, 2].map((number) => lists.at(number))).toEqual([given[0], given[1], given[4]]);
  expect(lists.at(1)).toBe(given[1]);
});
