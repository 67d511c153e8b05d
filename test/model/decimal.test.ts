import { expect, test } from 'vitest';
import {
  addDecimals,
  compareDecimals,
  divideDecimal,
  formatDecimal,
  parseDecimal,
  roundDecimal,
} from '../../src/model/decimal.ts';

const decimal = (text: string) => {
  const found = parseDecimal(text);
  if (!found) throw new Error(`${text} is not a number`);
  return found;
};

test('a number keeps every digit', () => {
  for (const text of ['0', '12', '-12.5', '9007199254740993', '0.000000000000000000001', '-0.1'])
    expect(formatDecimal(decimal(text))).toBe(text);
  expect(formatDecimal(decimal('1.50'))).toBe('1.5');
  expect(formatDecimal(decimal('1.5e3'))).toBe('1500');
  expect(formatDecimal(decimal('25e-1'))).toBe('2.5');
  expect(formatDecimal(decimal('.5'))).toBe('0.5');
});

test('other text is no number, nor is what would take a book to write', () => {
  for (const text of ['', '.', '-', 'e5', '1e', '0x10', '1Gi', 'NaN', '1e99999', '1 2'])
    expect(parseDecimal(text)).toBeUndefined();
});

test('numbers are added and compared exactly', () => {
  expect(formatDecimal(addDecimals(decimal('0.1'), decimal('0.2')))).toBe('0.3');
  expect(formatDecimal(addDecimals(decimal('9007199254740992'), decimal('0.5')))).toBe('9007199254740992.5');
  expect(compareDecimals(decimal('0.10'), decimal('0.1'))).toBe(0);
  expect(compareDecimals(decimal('9007199254740993'), decimal('9007199254740992'))).toBeGreaterThan(0);
  expect(compareDecimals(decimal('-2'), decimal('1.5'))).toBeLessThan(0);
});

test('a quotient is rounded, a half away from zero', () => {
  const quotient = (text: string, by: bigint, scale: number) => formatDecimal(divideDecimal(decimal(text), by, scale));
  expect(quotient('1', 3n, 3)).toBe('0.333');
  expect(quotient('2', 3n, 3)).toBe('0.667');
  expect(quotient('-2', 3n, 3)).toBe('-0.667');
  expect(quotient('1', 2n, 0)).toBe('1');
  expect(quotient('-1', 2n, 0)).toBe('-1');
  expect(formatDecimal(roundDecimal(decimal('1.2345'), 2))).toBe('1.23');
});
