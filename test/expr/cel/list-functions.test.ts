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
