import { expect, it } from 'vitest';
import { valueFrom } from '../../support/cel.ts';

it.each([
  ['[1, 2.0].sum() == 3', true],
  ['[3, 1, 2].min()', 1],
  ['[3, 1, 2].max()', 3],
  ['[1, 2, 3].isSorted()', true],
  ['["a", "b", "a"].indexOf("a")', 0],
  ['["a", "b", "a"].lastIndexOf("a")', 2],
  ['[1, 1, 2].distinct()', [1, 2]],
  ['sets.contains([1, 2], [2])', true],
  ['sets.intersects([1], [2])', false],
  ['sets.equivalent([1, 2, 2], [2, 1])', true],
])('%s is %j', (source, expected) => {
  expect(valueFrom(source)).toEqual(expected);
});

it.each([
  ['[].sum()', 0],
  ['[duration("1m"), duration("30s")].sum()', '90s'],
  ['["b", "a"].max()', 'b'],
  ['[2, 1].isSorted()', false],
  ['[1, 1.0, 2].distinct()', [1, 2]],
  ['[[1], [2]].indexOf([2])', 1],
  ['[1].indexOf(2)', -1],
  ['sets.contains([1], [1, 2])', false],
  ['sets.intersects([1, 2], [2, 3])', true],
  ['sets.equivalent([1], [1, 2])', false],
])('%s is %j', (source, expected) => {
  expect(valueFrom(source)).toEqual(expected);
});

it.each([
  ['[1, "a"].sum()', 'sum() takes numbers or durations only'],
  ['[].min()', 'min() of an empty list'],
  ['[1, "a"].max()', 'cannot compare string with int'],
  ['dyn(3).distinct()', 'expected a list, got int'],
])('%s fails: %s', (source, message) => {
  expect(() => valueFrom(source)).toThrow(message);
});
