import { expect, it } from 'vitest';
import { compareInstants, parseInstant } from '../../src/model/instant.ts';

const order = (a: string, b: string) => {
  const [x, y] = [parseInstant(a), parseInstant(b)];
  return x && y ? Math.sign(compareInstants(x, y)) : undefined;
};

it.each([
  ['2026-11-21T10:00:00Z', '2026-11-21T12:00:00+02:00', 0],
  ['2026-11-21T10:00:00Z', '2026-11-21T11:00:00+02:00', 1],
  ['2026-11-21T23:30:00-01:00', '2026-11-22T00:00:00Z', 1],
  ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000000Z', 0],
  ['2026-11-21T10:00:00.123456Z', '2026-11-21T10:00:00.123457Z', -1],
  ['2026-11-21T10:00:00.9Z', '2026-11-21T10:00:00.10Z', 1],
  ['2026-11-21', '2026-11-21T00:00:00Z', 0],
  ['2026-11', '2026-11-01T00:00:00Z', 0],
  ['2026-11-21T10', '2026-11-21T10:00:00Z', 0],
] as const)('%s and %s compare as moments: %i', (a, b, expected) => {
  expect(order(a, b)).toBe(expected);
  expect(order(b, a)).toBe(expected === 0 ? 0 : -expected);
});

it.each(['', '2026', '2026-13', '2026-02-30', '2026-11-21T25:00:00Z', 'a2026-11-21', '10.96.0.1', '1-2-3'])(
  '%j is not a time',
  (text) => {
    expect(parseInstant(text)).toBeUndefined();
  },
);
