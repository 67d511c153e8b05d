import { expect, it } from 'vitest';
import { valueFrom } from '../../support/cel.ts';

const hexOf = (source: string) => Buffer.from(String(valueFrom(source)), 'base64').toString('hex');

it.each([
  ['b"abc"', '616263'],
  ['b"é"', 'c3a9'],
  ["B'''😀'x'''", 'f09f9880277827'.slice(0, -2)],
  ['b"é\\xff\\101\\\\\\"\\a\\b\\f\\n\\r\\t\\v\\?"', 'c3a9ff415c2207080c0a0d090b3f'],
])('the bytes of %s are %s', (source, expected) => {
  expect(hexOf(source)).toBe(expected);
});
