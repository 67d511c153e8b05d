import { expect, it } from 'vitest';
import { compareSizes, compareSortedTexts, compareValues } from '../../src/model/value-order.ts';

type Row = readonly [a: string, b: string, sizes: number, values: number, sorted: number];

it.each<Row>([
  ['900Mi', '1Gi', -1, -1, -1],
  ['9', '10', -1, -1, -1],
  ['1Gi', '1024Mi', 0, 1, 0],
  ['500m', '0.5', 0, 1, 0],
  ['100', 'abc', -1, -1, -1],
  ['100Gi', '2026-11-21T10:00:00Z', -1, -1, -1],
  ['2026-11-21T10:00:00Z', '2026-11-21T12:00:00+02:00', 0, -1, -1],
  ['2026-11-21T10:00:00Z', '2026-11-21T11:00:00+02:00', 1, 1, -1],
  ['2026-11-21T10:00:00Z', 'abc', -1, -1, -1],
  ['2026-11-21T10:00:00Z', '10.0.0.1', -1, -1, 1],
  ['abc', 'abd', -1, -1, -1],
  ['Z', 'a', -1, -1, -1],
  ['', 'a', -1, -1, -1],
  ['', '', 0, 0, 0],
])('%j and %j: by size %i, by value %i, in --sort-by %i', (a, b, ...expected) => {
  const orders = [compareSizes, compareValues, compareSortedTexts];
  expect(orders.map((compare) => Math.sign(compare(a, b)))).toEqual(expected);
  expect(orders.map((compare) => Math.sign(compare(b, a)))).toEqual(expected.map((n) => 0 - n));
});
