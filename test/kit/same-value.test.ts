import { describe, expect, it } from 'vitest';
import { HugeNumber } from '../../src/kit/exact-json.ts';
import { isPlain, isSamePart, sameValue } from '../../src/kit/same-value.ts';

describe('sameValue', () => {
  it.each([
    [{ a: 1 }, { a: 1, b: undefined }, true],
    [{ a: 0 }, { a: -0 }, true],
    [[1, 2], [2, 1], false],
    [{ a: 9007199254740992 }, { a: 9007199254740993n }, false],
    [new HugeNumber('1E400'), new HugeNumber('2E400'), false],
    [new HugeNumber('1E400'), new HugeNumber('1E400'), true],
    [new Date(1), new Date(2), false],
    [[], {}, false],
    [null, {}, false],
    [{ toString: 1 }, {}, false],
  ])('%o and %o are equal: %s', (a, b, same) => {
    expect([sameValue(a, b), sameValue(b, a)]).toEqual([same, same]);
  });
});

it('sameValue compares values nested 50,000 levels deep', () => {
  const nested = (leaf: number) => {
    let value: unknown = leaf;
    for (let i = 0; i < 50_000; i++) value = { a: [value] };
    return value;
  };
  expect([sameValue(nested(1), nested(1)), sameValue(nested(1), nested(2))]).toEqual([true, false]);
});

it.each<[unknown, unknown, boolean]>([
  [1, 1, true],
  [Number.NaN, Number.NaN, true],
  [new HugeNumber('1e400'), new HugeNumber('1e400'), true],
  [{}, {}, false],
  ['1', 1, false],
])('isSamePart of %o and %o: %s', (a, b, same) => {
  expect(isSamePart(a, b)).toBe(same);
});

it.each<[object, boolean]>([
  [{}, true],
  [[], true],
  [Object.create(null), true],
  [new Date(0), false],
  [new Map(), false],
])('%o is plain: %s', (value, plain) => {
  expect(isPlain(value)).toBe(plain);
});
