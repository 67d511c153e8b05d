import { describe, expect, it } from 'vitest';
import {
  literalOf,
  misplaced,
  placeholderOf,
  prefixOf,
  splitWords,
  type Word,
} from '../../../src/hooks/run/exec-words.ts';

const NAME = { path: '.name', source: '{{.name}}' };

describe('a line is split into words as in a shell', () => {
  it.each<[string, Word[]]>([
    ['a  b\tc', [['a'], ['b'], ['c']]],
    [`'a b' "c d" e\\ f`, [['a b'], ['c d'], ['e f']]],
    [`"a \\"b\\" \\n" 'it"s'`, [['a "b" \\n'], ['it"s']]],
    [`a'b'"c"`, [['abc']]],
    [`'' ""`, [[''], ['']]],
    ['$HOME *', [['$HOME'], ['*']]],
    ['{{.name}}', [[NAME]]],
    ['x{{.name}}y', [['x', NAME, 'y']]],
    [`'{{.name}}' "a {{.name}}"`, [[NAME], ['a ', NAME]]],
    [`{{.items[?(@.a=="x y")]}}`, [[{ path: '.items[?(@.a=="x y")]', source: '{{.items[?(@.a=="x y")]}}' }]]],
    ['', []],
  ])('%s', (line, words) => {
    expect(splitWords(line)).toEqual(words);
  });

  it.each([
    [`a 'b`, 'a quote is not closed'],
    [`a "b`, 'a quote is not closed'],
    ['a {{.name', 'a placeholder is not closed'],
  ])('%s is refused', (line, message) => {
    expect(() => splitWords(line)).toThrow(
      expect.objectContaining({ code: 'argument', message: expect.stringContaining(message) }),
    );
  });
});

it('a word has a literal text or a placeholder, and the text before it', () => {
  const words: Word[] = [['a'], ['a', NAME, 'b'], [NAME]];
  expect(words.map(literalOf)).toEqual(['a', undefined, undefined]);
  expect(words.map(placeholderOf)).toEqual([undefined, NAME, NAME]);
  expect(words.map(prefixOf)).toEqual(['a', 'a', '']);
  expect([literalOf(undefined), placeholderOf(undefined)]).toEqual([undefined, undefined]);
});

it('a misplaced placeholder is refused with its place and a hint', () => {
  expect(() => misplaced(NAME, 'within quotes', 'put it outside')).toThrow(
    expect.objectContaining({
      code: 'argument',
      message: 'the placeholder {{.name}} is not allowed within quotes',
      hint: 'put it outside',
    }),
  );
});
