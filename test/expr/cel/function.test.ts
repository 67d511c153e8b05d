import { expect, it } from 'vitest';
import { ask, asList, asNumber, asText, define } from '../../../src/expr/cel/function.ts';

it.each([
  [asText, 'x', 3, 'expected a string, got int'],
  [asNumber, 3, 2n ** 60n, 'the number is too large'],
  [asNumber, 0.5, '3', 'expected a number, got string'],
  [asList, [1], { a: 1 }, 'expected a list, got map'],
] as const)('%o takes %j, and another value fails', (read, accepted, refused, message) => {
  expect(read(accepted)).toBe(accepted);
  expect(() => read(refused)).toThrow(message);
});

it('only a function made with ask is a yes-or-no function', () => {
  expect([define('f', [], () => 1).asks, ask('f', [], () => true).asks]).toEqual([false, true]);
});
