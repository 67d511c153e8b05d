import { expect, it } from 'vitest';
import { MISSING } from '../../../src/expr/cel/cel-values.ts';
import { entriesOf, KeyedMap, mapOf } from '../../../src/expr/cel/keyed-map.ts';

it('a map of texts is a plain object', () => {
  expect(mapOf([['a', 1]])).toEqual({ a: 1 });
  expect(entriesOf({ a: 1 })).toEqual([['a', 1]]);
});

it('numbers, bools and texts are different keys, and all numbers are one type', () => {
  const map = mapOf([
    [1, 'number'],
    ['1', 'text'],
    [true, 'bool'],
    [2n ** 60n, 'large'],
  ]) as KeyedMap;
  expect([map.get(1n), map.get('1'), map.get(true), map.get(2 ** 60)]).toEqual(['number', 'text', 'bool', 'large']);
  expect([map.get('true'), map.get(2), map.size]).toEqual([MISSING, MISSING, 4]);
  expect(entriesOf(map)?.[0]).toEqual([1, 'number']);
});

it('other values are no maps and no keys', () => {
  expect([entriesOf([]), entriesOf(null), entriesOf('a')]).toEqual([undefined, undefined, undefined]);
  expect(() => new KeyedMap([[null, 1]])).toThrow('the key of a map is a string, a number or a bool, got null_type');
});
