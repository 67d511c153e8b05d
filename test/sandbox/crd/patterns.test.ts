import { expect, it } from 'vitest';
import { goPattern } from '../../../src/sandbox/crd/patterns.ts';

it.each<[string, string, boolean]>([
  ['^[a-z]+$', 'abc', true],
  ['(?i)^abc$', 'ABC', true],
  ['^a\\-b\\:c$', 'a-b:c', true],
  ['\\A[[:alpha:]]+[[:digit:]_]\\z', 'abc_', true],
  ['\\A[[:alpha:]]+\\z', 'abc1', false],
  ['^(?P<name>x)$', 'x', true],
  ['^\\p{Lu}$', 'É', true],
])('reads %s as Go does: %s', (pattern, text, matches) => {
  expect(goPattern(pattern)?.test(text)).toBe(matches);
});

it('has no word for what only Go reads', () => {
  expect(goPattern('a**')).toBeUndefined();
  expect(goPattern('(?U)a+')).toBeUndefined();
});
