import { expect, it } from 'vitest';
import { equalJson } from '../../../src/sandbox/types/equal.ts';

it.each<[equal: boolean, a: unknown, b: unknown]>([
  [true, { a: 1, b: [2, { c: 3 }] }, { b: [2, { c: 3 }], a: 1 }],
  [true, [], []],
  [true, null, null],
  [true, 'x', 'x'],
  [false, { a: 1 }, { a: 1, b: 2 }],
  [false, { a: 1, b: 2 }, { a: 1 }],
  [false, { a: undefined }, { b: undefined }],
  [false, [1, 2], [2, 1]],
  [false, [1], [1, 2]],
  [false, [], {}],
  [false, {}, []],
  [false, null, {}],
  [false, {}, null],
  [false, 1, '1'],
  [false, { constructor: 1 }, {}],
  [false, {}, { toString: 1 }],
])('says %o for %j and %j', (equal, a, b) => {
  expect(equalJson(a, b)).toBe(equal);
});
