import { describe, expect, test } from 'vitest';
import { HugeNumber } from '../../../src/kit/exact-json.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { amountsOf, VERBS, type Verb } from '../../../src/query/answer/sums.ts';

/** The exact result for one group in which each value is an item's. */
const exact = (verb: Verb, ...values: unknown[]) => amountsOf(verb, [values.map((value) => [value])]).amounts[0]?.exact;
const readable = (verb: Verb, ...values: unknown[]) =>
  amountsOf(verb, [values.map((value) => [value])]).amounts[0]?.readable;

describe('quantities', () => {
  test('are added exactly, in the unit they are written in', () => {
    expect(exact('sum', '250m', '1')).toBe('1250m');
    expect(exact('sum', '250m', 1)).toBe('1250m');
    expect(exact('sum', '500m', '500m')).toBe('1');
    expect(exact('sum', '128Mi', '1Gi')).toBe('1152Mi');
    expect(exact('sum', '1Gi', '1Gi')).toBe('2Gi');
    expect(exact('sum', '1G', '500M')).toBe('1500M');
    expect(exact('sum', '100n', '1')).toBe('1000000100n');
    expect(exact('sum', '1Gi', '1G')).toBe('2073741824');
    expect(exact('sum', '4Ei', '4Ei', '4Ei')).toBe('12Ei');
  });

  test('have the units of the whole column, in each of its groups', () => {
    const { amounts } = amountsOf('sum', [[['1000m']], [['2'], ['3']], [['250m']]]);
    expect(amounts.map((amount) => amount?.exact)).toEqual(['1', '5', '250m']);
  });

  test('are averaged to a billionth, and bytes to a whole one', () => {
    expect(exact('avg', '1', '250m', '250m')).toBe('500m');
    expect(exact('avg', '1m', '1m', '0')).toBe('666667n');
    expect(exact('avg', '1Ki', '1Ki', '1')).toBe('683');
  });

  test('are shown rounded to a person where they are long', () => {
    expect(readable('sum', '12345678Ki', '1Ki')).toBe('11.8Gi');
    expect(readable('sum', '123456789n', '0')).toBe('123.5m');
    expect(readable('sum', '1234567m', '0')).toBe('1234.567');
    expect(readable('sum', '1152Mi', '0')).toBe('1152Mi');
    expect(readable('sum', '-12345678Ki')).toBe('-11.8Gi');
  });
});

describe('numbers', () => {
  test('are added exactly, beyond 2^53 and in decimals', () => {
    expect(exact('sum', 9007199254740993n, 1)).toBe(9007199254740994n);
    expect(exact('sum', 0.1, 0.2)).toBe(0.3);
    expect(exact('sum', 1e20, 1)).toBe(100000000000000000001n);
    expect(exact('sum', '99999999999999999999', '1')).toBe('100000000000000000000');
    expect(String(exact('sum', new HugeNumber('1E400'), 1))).toHaveLength(401);
    expect(exact('max', 9007199254740993n, 9007199254740992n)).toBe(9007199254740993n);
    expect(exact('sum', -5, 3)).toBe(-2);
  });

  test('are averaged to a billionth', () => {
    expect(exact('avg', 1, 2)).toBe(1.5);
    expect(exact('avg', 1, 1, 0)).toBe(0.666666667);
    expect(exact('avg', -1, -1, 0)).toBe(-0.666666667);
    expect(exact('avg', 9007199254740993n, 9007199254740995n)).toBe(9007199254740994n);
  });
});

describe('durations and times', () => {
  test('have a least and a largest, as they are written', () => {
    expect(exact('max', '90s', '1m', '1h0m0s')).toBe('1h0m0s');
    expect(exact('min', '90s', '1m', '1h0m0s')).toBe('1m');
    expect(exact('min', '2026-01-02T00:00:00Z', '2026-01-02T00:30:00+01:00')).toBe('2026-01-02T00:30:00+01:00');
    expect(exact('max', '2026-01-02T00:00:00.1Z', '2026-01-02T00:00:00.09Z')).toBe('2026-01-02T00:00:00.1Z');
  });

  test('add up as durations, where most are no quantities', () => {
    expect(exact('sum', '90s', '5m', '1h')).toBe('1h6m30s');
    expect(exact('avg', '1s', '2s')).toBe('1.5s');
    expect(exact('sum', '5m', '10m')).toBe('15m');
  });

  test('have no sum if they are times', () => {
    const { amounts, unread } = amountsOf('sum', [[['2026-01-02T00:00:00Z']]]);
    expect(amounts).toEqual([undefined]);
    expect(unread).toEqual({ count: 1, of: 1, example: '2026-01-02T00:00:00Z' });
  });
});

test('what is no amount is left out and counted once, though its item be in two groups', () => {
  const both = ['abc', 1];
  const { amounts, unread } = amountsOf('sum', [[both, [null, undefined]], [both, [{ a: 1 }, true]], [[]]]);
  expect(amounts.map((amount) => amount?.exact)).toEqual([1, 1, undefined]);
  expect(unread).toEqual({ count: 3, of: 4, example: 'abc' });
});

describe.each([1, 2, 3, 4, 5])('of the random values of seed %i', (seed) => {
  const random = seededRandom(seed);
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T;
  const SUFFIXES = { n: 1n, u: 1000n, m: 1000_000n, '': 10n ** 9n, k: 10n ** 12n, M: 10n ** 15n, G: 10n ** 18n, Ki: 1024n * 10n ** 9n, Mi: 1024n ** 2n * 10n ** 9n, Gi: 1024n ** 3n * 10n ** 9n } as const; // biome-ignore format: one line
  const values = Array.from({ length: 200 }, () => {
    const suffix = pick(Object.keys(SUFFIXES) as (keyof typeof SUFFIXES)[]);
    const digits = BigInt(Math.floor(random() * 10 ** pick([1, 3, 6, 9])));
    return { text: `${digits}${suffix}`, nano: digits * SUFFIXES[suffix], group: Math.floor(random() * 5) };
  });
  const groups = [0, 1, 2, 3, 4].map((group) => values.filter((value) => value.group === group));
  const results = new Map(
    VERBS.map((verb) => [verb, amountsOf(verb, groups.map((items) => items.map(({ text }) => [text]))).amounts]), // biome-ignore format: short
  );
  const nanos = (verb: Verb) =>
    results.get(verb)?.map((amount) => {
      const { digits, scale } = amount?.value ?? { digits: -1n, scale: 0 };
      return digits * 10n ** BigInt(9 - scale);
    });

  test('sum, least and largest are those of a naive count in billionths', () => {
    const sum = (items: typeof values) => items.reduce((total, { nano }) => total + nano, 0n);
    const ordered = (items: typeof values) => items.map(({ nano }) => nano).sort((a, b) => Number(a - b));
    const least = (items: typeof values) => ordered(items)[0];
    const largest = (items: typeof values) => ordered(items).at(-1);
    expect(nanos('sum')).toEqual(groups.map(sum));
    expect(nanos('min')).toEqual(groups.map(least));
    expect(nanos('max')).toEqual(groups.map(largest));
  });

  test('the text of a sum, added to nothing, is the same sum', () => {
    const sums = results.get('sum') ?? [];
    const again = sums.map((amount) => amountsOf('sum', [[[String(amount?.exact)]]]).amounts[0]?.value);
    const nano = (value: { digits: bigint; scale: number } | undefined) =>
      value && value.digits * 10n ** BigInt(9 - value.scale);
    expect(again.map(nano)).toEqual(sums.map((amount) => nano(amount?.value)));
  });
});
