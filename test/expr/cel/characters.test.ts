import { expect, it } from 'vitest';
import {
  charactersOf,
  countOf,
  indexOf,
  lastIndexOf,
  splitText,
  substring,
  trimmed,
} from '../../../src/expr/cel/characters.ts';

it.each(['', 'abc', 'é', 'a😀b', '😀😀'])('%j has as many characters as code points', (text) => {
  expect(charactersOf(text)).toEqual([...text]);
  expect(countOf(text)).toBe([...text].length);
  expect(splitText(text, '')).toEqual([...text]);
});

it('places count characters beyond U+FFFF as one', () => {
  expect([indexOf('😀a😀a', 'a'), indexOf('😀a😀a', 'a', 2), indexOf('😀', 'x')]).toEqual([1, 3, -1]);
  expect([lastIndexOf('😀a😀a', 'a'), lastIndexOf('😀a😀a', 'a', 2), lastIndexOf('😀', 'x')]).toEqual([3, 1, -1]);
  expect([substring('😀a😀', 1), substring('😀a😀', 0, 1), substring('😀', 1)]).toEqual(['a😀', '😀', '']);
});

it.each([
  () => indexOf('a', 'a', -1),
  () => lastIndexOf('a', 'a', -1),
  () => substring('a', -1),
  () => substring('a', 0, 2),
  () => substring('a', 2),
])('%s fails', (call) => {
  expect(call).toThrow('the index is out of range');
});

it('white space at both ends is removed, a byte order mark is not', () => {
  expect(trimmed(' \t\x85\u2003a b\u3000\n')).toBe('a b');
  expect(trimmed('\ufeffa')).toBe('\ufeffa');
  expect(trimmed(' \n ')).toBe('');
});
