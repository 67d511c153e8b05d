import { expect, it } from 'vitest';
import { goPattern, patternProblem } from '../../../../src/sandbox/types/custom/patterns.ts';

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

it('has none for what Go does not read, and says what is wrong with it as Go does', () => {
  expect(goPattern('a**')).toBeUndefined();
  expect(patternProblem('a**')).toBe('error parsing regexp: invalid nested repetition operator: `**`');
  expect(patternProblem('(?=a)')).toBe('error parsing regexp: invalid or unsupported Perl syntax: `(?=`');
  expect(patternProblem('(?U)a+')).toBeUndefined();
});
