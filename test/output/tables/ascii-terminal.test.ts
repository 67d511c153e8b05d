import { expect, test } from 'vitest';
import { asksForAscii } from '../../../src/output/tables/ascii-terminal.ts';

test('ASCII alone is for a dumb terminal, and a locale that is not UTF-8', () => {
  expect(asksForAscii({ TERM: 'xterm', LANG: 'en_US.UTF-8' })).toBe(false);
  expect(asksForAscii({ TERM: 'xterm', LANG: 'C', LC_ALL: 'C.utf8' })).toBe(false);
  expect(asksForAscii({ TERM: 'xterm', WT_SESSION: 'x' })).toBe(false);
  expect(asksForAscii({ TERM: 'dumb', LANG: 'en_US.UTF-8' })).toBe(true);
  expect(asksForAscii({ TERM: 'xterm', LANG: 'en_US.UTF-8', LC_ALL: 'C' })).toBe(true);
  expect(asksForAscii({ TERM: 'xterm' })).toBe(true);
});
