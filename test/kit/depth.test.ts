import { expect, it } from 'vitest';
import { isTooDeep, MOST_LEVELS, TOO_DEEP } from '../../src/kit/depth.ts';

const nested = (levels: number, wrap: (inner: unknown) => unknown) => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = wrap(value);
  return value;
};

it.each<[string, (inner: unknown) => unknown]>([
  ['lists', (inner) => [0, inner]],
  ['maps', (inner) => ({ a: null, b: inner })],
])('%s are too deep beyond the limit', (_, wrap) => {
  expect([isTooDeep(nested(MOST_LEVELS, wrap)), isTooDeep(nested(MOST_LEVELS + 1, wrap))]).toEqual([false, true]);
});

it('a value that contains itself is too deep; a scalar never is', () => {
  const self: { self?: unknown } = {};
  self.self = self;
  expect([isTooDeep(self), isTooDeep('text'), isTooDeep(null)]).toEqual([true, false, false]);
});

it('the text names the limit', () => {
  expect(TOO_DEEP).toBe('it is nested deeper than 1,000 levels');
});
