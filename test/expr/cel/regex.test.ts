import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { regexFor } from '../../../src/expr/cel/regex.ts';
import { compile } from '../../support/cel.ts';

describe('find returns the leftmost match, the one that RE2 prefers', () => {
  it.each([
    ['[0-9]+', 'a12b345', '12', ['12', '345']],
    ['a|ab', 'abab', 'a', ['a', 'a']],
    ['ab|a', 'aba', 'ab', ['ab', 'a']],
    ['a*?b', 'aab', 'aab', ['aab']],
    ['a+?', 'aaa', 'a', ['a', 'a', 'a']],
    ['^\\w+', 'one two', 'one', ['one']],
    ['(?m)^\\w+$', 'one\ntwo', 'one', ['one', 'two']],
    ['\\bb\\w*', 'ab bc b', 'bc', ['bc', 'b']],
    ['(?i)WEB', 'a web', 'web', ['web']],
    ['[^/]+$', 'docker.io/library/nginx', 'nginx', ['nginx']],
    ['é.', '😀éé😀', 'éé', ['éé']],
    ['.', '😀é', '😀', ['😀', 'é']],
    ['a*', 'baac', '', ['', 'aa', '']],
    ['x', 'abc', undefined, []],
    ['', 'ab', '', ['', '', '']],
  ])('%s in %j', (pattern, text, first, all) => {
    expect(regexFor(pattern).find(text)).toBe(first);
    expect(regexFor(pattern).findAll(text)).toEqual(all);
  });

  it('findAll returns no more matches than its limit', () => {
    expect(regexFor('\\d').findAll('1234', 2)).toEqual(['1', '2']);
    expect(regexFor('\\d').findAll('1234', 0)).toEqual([]);
  });
});

it('a match is the same as that of JavaScript, for patterns that both support', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '(a|ab)', '(?:ab)', '\\w', '^a', 'b$', '\\b');
  const times = fc.constantFrom('', '*', '+', '?', '*?', '+?', '{1,2}');
  const piece = fc
    .tuple(atom, times)
    .map(([a, t]) => (a.startsWith('^') || a.endsWith('$') || a === '\\b' ? a : a + t));
  const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), maxLength: 12 });
  fc.assert(
    fc.property(pattern, text, (source, input) => {
      const native = new RegExp(source, 'u');
      expect(regexFor(source).find(input)).toBe(native.exec(input)?.[0]);
      expect(regexFor(source).test(input)).toBe(native.test(input));
    }),
    { numRuns: 1000 },
  );
});

it('a pattern is compiled once, and only the last few hundred are cached', () => {
  const first = regexFor('kept-0');
  expect(regexFor('kept-0')).toBe(first);
  for (let i = 1; i <= 300; i++) regexFor(`kept-${i}`);
  expect(regexFor('kept-0')).not.toBe(first);
});

it('a pattern that is exponential in a backtracking engine takes linear time', () => {
  const program = compile('object.text.matches("(a+)+$")');
  const before = performance.now();
  expect(program.test({ object: { text: `${'a'.repeat(20_000)}!` } })).toBe(false);
  expect(compile('object.text.find("(a*)*b") == ""').test({ object: { text: 'a'.repeat(2000) } })).toBe(true);
  expect(performance.now() - before).toBeLessThan(2000);
});
