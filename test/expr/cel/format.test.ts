import { expect, it } from 'vitest';
import { Duration } from '../../../src/expr/cel/cel-values.ts';
import { formatText } from '../../../src/expr/cel/format.ts';

it.each<[string, unknown[], string]>([
  ['no clause', [], 'no clause'],
  ['%s and %s', ['a', 3], 'a and 3'],
  ['%s', [[1, { a: true }]], '[1, {"a":true}]'],
  ['%s', [new Duration(90_000)], '90s'],
  ['%d', [-7], '-7'],
  ['%d', [7.0], '7'],
  ['%d', [2n ** 53n + 1n], '9007199254740993'],
  ['%f', [1.5], '1.500000'],
  ['%.2f', [1.005], '1.00'],
  ['%e', [1500], '1.500000e+03'],
  ['%x %X', [255, 255], 'ff FF'],
  ['%x', ['hi'], '6869'],
  ['%o %b', [8, 5], '10 101'],
  ['100%%', [], '100%'],
  ['one of two values: %s', ['a', 'b'], 'one of two values: a'],
])('%s of %o', (pattern, values, expected) => {
  expect(formatText(pattern, values)).toBe(expected);
});

it.each<[string, unknown[], string]>([
  ['%s %s', ['a'], 'format() has fewer values than clauses'],
  ['%d', ['a'], '%d of format() needs a whole number, got string'],
  ['%d', [7.9], '%d of format() needs a whole number, got double'],
  ['%f', [null], '%f of format() needs a number, got null_type'],
  ['%q', [1], 'format() takes %s, %d'],
  ['%', [1], 'format() takes %s, %d'],
])('%s of %o fails', (pattern, values, problem) => {
  expect(() => formatText(pattern, values)).toThrow(problem);
});
