import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareQuantities, parseQuantity, type Quantity } from '../../src/model/quantity.ts';

const quantity = (text: string) => parseQuantity(text) as Quantity;

describe('a quantity', () => {
  it.each([
    ['0', 0n],
    ['1', 1_000_000_000n],
    ['+1', 1_000_000_000n],
    ['-1.5', -1_500_000_000n],
    ['.5', 500_000_000n],
    ['5.', 5_000_000_000n],
    ['100m', 100_000_000n],
    ['1u', 1000n],
    ['1n', 1n],
    ['1k', 1_000_000_000_000n],
    ['1Ki', 1_024_000_000_000n],
    ['1.5Gi', 1_610_612_736_000_000_000n],
    ['0.5Ki', 512_000_000_000n],
    ['1e3', 1_000_000_000_000n],
    ['1E-3', 1_000_000n],
    ['2E', 2_000_000_000_000_000_000_000_000_000n],
    ['1Ei', 1_152_921_504_606_846_976_000_000_000n],
  ])('%s is parsed exactly', (text, nano) => {
    expect(parseQuantity(text)?.nano).toBe(nano);
  });

  it.each(['', ' ', '.', '-', '1K', '1.3Gb', '1 Gi', '1e', 'Gi', '1_000', '0x10', '1ki', '1.2.3', '∞'])(
    '"%s" is not a quantity',
    (text) => {
      expect(parseQuantity(text)).toBeUndefined();
    },
  );

  it('finer than a billionth is rounded away from zero', () => {
    expect(quantity('0.0000000001').nano).toBe(1n);
    expect(quantity('-1.0000000001').nano).toBe(-1_000_000_001n);
    expect(quantity('1e-400').nano).toBe(1n);
  });

  it('above the API’s largest becomes the largest, also with a huge exponent', () => {
    const most = quantity('9223372036854775807').nano;
    expect(quantity('1e999999999').nano).toBe(most);
    expect(quantity('100Ei').nano).toBe(most);
    expect(quantity('-1e40').nano).toBe(-most);
    expect(quantity('0e999999999').nano).toBe(0n);
  });

  it.each([
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['2000k', '2M'],
    ['1e3', '1e3'],
    ['12000e3', '12e6'],
    ['0Gi', '0'],
    ['-2048Ki', '-2Mi'],
    ['0.1Ki', '102400m'],
  ])('%s is written %s', (text, expected) => {
    expect(String(quantity(text))).toBe(expected);
  });

  it('converts to a number', () => {
    expect(quantity('500m').toNumber()).toBe(0.5);
    expect(quantity('1Gi').toNumber()).toBe(2 ** 30);
    expect(quantity('500m').isInteger).toBe(false);
    expect(quantity('1k').isInteger).toBe(true);
  });
});

describe('two quantities', () => {
  it.each([
    ['1', '1000m', 0],
    ['1Gi', '1G', 1],
    ['100m', '0.2', -1],
    ['-1', '1', -1],
    ['1e3', '1k', 0],
  ])('%s and %s compare as %i, whatever their suffixes', (a, b, expected) => {
    expect(compareQuantities(quantity(a), quantity(b))).toBe(expected);
  });

  it('compare as their values do', () => {
    const units = ['m', '', 'k', 'Ki', 'M', 'Mi'];
    const sizes = [1e-3, 1, 1e3, 1024, 1e6, 1024 ** 2];
    const part = fc.tuple(fc.integer({ min: -9999, max: 9999 }), fc.nat({ max: units.length - 1 }));
    fc.assert(
      fc.property(part, part, ([a, i], [b, j]) => {
        const expected =
          Math.sign(Math.round(a * (sizes[i] as number) * 1000) - Math.round(b * (sizes[j] as number) * 1000)) + 0;
        expect(compareQuantities(quantity(`${a}${units[i]}`), quantity(`${b}${units[j]}`))).toBe(expected);
      }),
    );
  });

  it('have the same value after formatting and parsing', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
        fc.constantFrom('', 'm', 'Ki', 'n', 'e2'),
        (value, suffix) => {
          const once = quantity(`${value}${suffix}`);
          expect(quantity(String(once)).nano).toBe(once.nano);
        },
      ),
    );
  });
});
