import { describe, expect, it } from 'vitest';
import {
  compareServerQuantities,
  readServerQuantity,
  type ServerQuantity,
  storedQuantity,
} from '../../../src/sandbox/types/stored-quantity.ts';

describe('the stored form of a quantity', () => {
  // Each line was made by resource.Quantity of Kubernetes 1.36.
  it.each([
    ['0.5', '500m'],
    ['1.5Gi', '1536Mi'],
    ['1000m', '1'],
    ['1024Mi', '1Gi'],
    ['1000k', '1M'],
    ['100Mi', '100Mi'],
    ['1073741824', '1073741824'],
    ['1e3', '1e3'],
    ['1.1e4', '1.1e4'],
    ['1.1e5', '110e3'],
    ['1e100', '10e99'],
    ['1E3', '1E3'],
    ['12345e-1', '1234500e-3'],
    ['0.5Gi', '512Mi'],
    ['0.1Ki', '102400m'],
    ['0', '0'],
    ['0Gi', '0'],
    ['-1.5', '-1500m'],
    ['1.500', '1.500'],
    ['0500m', '0500m'],
    ['99Ei', '9223372036854775807'],
    ['0.1n', '1n'],
    ['1000000E', '1'],
  ])('%s is stored as %s', (given, stored) => {
    expect(storedQuantity(given, { milli: false })).toBe(stored);
  });

  it('in a list of resources has no part below a thousandth', () => {
    const stored = (text: string) => storedQuantity(text, { milli: true });
    expect(['0.0001', '1u', '-1u', '2500u', '1.5'].map(stored)).toEqual(['1m', '1m', '-1m', '3m', '1500m']);
    expect(storedQuantity('2500u', { milli: false })).toBe('2500u');
  });

  it('of a number is that of its text', () => {
    expect([0.5, 3, 10n ** 30n].map((n) => storedQuantity(n, { milli: false }))).toEqual(['500m', '3', '1']);
  });

  it('takes no time for a huge exponent', () => {
    for (const text of ['1e999999999', '1e-999999999'])
      expect(storedQuantity(text, { milli: true })).toMatch(/^(1e999999999|1e-3)$/);
  });
});

describe('a text that is no quantity', () => {
  const FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  it.each([
    ['', FORM],
    ['1x', FORM],
    ['1.2.3', FORM],
    ['5KK', "unable to parse quantity's suffix"],
    ['1mi', "unable to parse quantity's suffix"],
    ['1e', "unable to parse quantity's suffix"],
  ])('%j is refused in the words of a server, and stays as it is', (text, problem) => {
    expect(readServerQuantity(text)).toBe(problem);
    expect(storedQuantity(text, { milli: false })).toBe(text);
  });
});

describe('compareServerQuantities', () => {
  const compare = (a: string, b: string) =>
    Math.sign(
      compareServerQuantities(readServerQuantity(a) as ServerQuantity, readServerQuantity(b) as ServerQuantity),
    );
  it.each([
    ['1', '1000m', 0],
    ['1Gi', '1073741824', 0],
    ['1G', '1Gi', -1],
    ['100m', '0.2', -1],
    ['-1', '0', -1],
    ['-2', '-1', -1],
    ['1e999999999', '1', 1],
    ['0', '0m', 0],
  ])('orders %s and %s by their amounts', (a, b, order) => {
    expect(compare(a, b)).toBe(order);
    expect(compare(b, a)).toBe(order === 0 ? 0 : -order);
  });
});
