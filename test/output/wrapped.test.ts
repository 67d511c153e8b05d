import { expect, it } from 'vitest';
import { wrapped } from '../../src/output/wrapped.ts';

it('breaks at blanks, with the indent in the width, and leaves a word that is longer on a line of its own', () => {
  expect(wrapped('one two three a-word-that-is-longer x', 12, '  ')).toBe(
    '  one two\n  three\n  a-word-that-is-longer\n  x',
  );
  expect(wrapped('', 12)).toBe('');
});
