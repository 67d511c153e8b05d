import { expect, it } from 'vitest';
import type { InformerError } from '../../../src/kit/error.ts';
import { compile, valueFrom } from '../../support/cel.ts';

it('the number of items that one evaluation visits is limited', () => {
  const xs = Array.from({ length: 2000 }, (_, i) => i);
  const answer = compile('object.xs.all(a, object.xs.all(b, a + b >= 0))').test({ object: { xs } });
  expect((answer as InformerError).message).toContain('it needs more than 1000000 steps');
});

it.each([
  ['[1, 2, 3].exists(x, x > 2)', true],
  ['[1, 2, 3].exists_one(x, x > 1)', false],
  ['[1, 2, 3].exists_one(x, x > 2)', true],
  ['[].all(x, false)', true],
  ['[].exists(x, true)', false],
  ['[1, 2, 3].map(x, x * 2)', [2, 4, 6]],
  ['[1, 2, 3].map(x, x > 1, x * 2)', [4, 6]],
  ['[1, 2, 3].filter(x, x > 1)', [2, 3]],
  ['{"a": 1, "b": 2}.map(k, k)', ['a', 'b']],
  ['[[1, 2], [3]].map(x, x.map(y, y + x.size()))', [[3, 4], [4]]],
  ['[1, 2].map(x, [3].map(x, x))', [[3], [3]]],
  ['cel.bind(x, 1, cel.bind(y, x + 1, [x, y]))', [1, 2]],
  ['has(object.spec.replicas) && !has(object.spec.paused)', true],
  ['optional.of(1).hasValue() && !optional.none().hasValue()', true],
])('%s is %j', (source, expected) => {
  expect(valueFrom(source)).toEqual(expected);
});

it('an item on which the test fails counts only if no other item decides', () => {
  expect(valueFrom('["a", 1].exists(x, x > 0)')).toBe(true);
  expect(() => valueFrom('["a", 1].exists(x, x > 1)')).toThrow('cannot compare string with int');
  expect(valueFrom('["a", 1].all(x, x > 1)')).toBe(false);
  expect(() => valueFrom('["a", 1].all(x, x > 0)')).toThrow('cannot compare string with int');
});
