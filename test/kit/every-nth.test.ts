import { expect, it } from 'vitest';
import { everyNth } from '../../src/kit/every-nth.ts';

it.each([
  [1, '111111'],
  [2, '010101'],
  [3, '001001'],
  [7, '000000'],
])('of each %i calls the last one is true', (count, expected) => {
  const isFull = everyNth(count);
  expect(Array.from(expected, () => Number(isFull())).join('')).toBe(expected);
});
