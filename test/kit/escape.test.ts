import { describe, expect, it } from 'vitest';
import {
  cellText,
  continued,
  neutralised,
  neutralisedButColours,
  neutralisedButDrawing,
  safeJson,
} from '../../src/kit/escape.ts';

describe('neutralised', () => {
  it.each([
    ['plain text, ümlaut, 漢字, 😀', 'plain text, ümlaut, 漢字, 😀'],
    ['a\tb\nc\r\n', 'a\tb\nc\r\n'],
    ['\x1b[31mred', '^[[31mred'],
    ['a\rb', 'a\\rb'],
    ['\x07\x08\x00\x7f', '^G^H^@^?'],
    ['\x9b31m', '^[[31m'],
    ['\u202eabc\u2066\u061c', '\\u202eabc\\u2066\\u061c'],
    ['zero\u200bwidth\ufeff\u00ad', 'zero\\u200bwidth\\ufeff\\u00ad'],
    ['line\u2028paragraph\u2029', 'line\\u2028paragraph\\u2029'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['👩\u200d🚀 👩🏽\u200d🚀 ❤️\u200d🔥 👨\u200d👩\u200d👧', '👩\u200d🚀 👩🏽\u200d🚀 ❤️\u200d🔥 👨\u200d👩\u200d👧'],
    ['👩\u200d \u200d👩 a\u200d👩 👩\u200db 1\u200d2', '👩\\u200d \\u200d👩 a\\u200d👩 👩\\u200db 1\\u200d2'],
    ['👩\u200d\u200d👩 👩\u200b👩', '👩\\u200d\\u200d👩 👩\\u200b👩'],
  ])('shows %j as %j', (text, shown) => {
    expect(neutralised(text)).toBe(shown);
  });
});

it.each([
  ['plain', 'plain'],
  ['a\tb', 'a b'],
  ['first\nsecond', 'first...'],
  ['first\rsecond', 'first...'],
  ['\x1b[2Jfirst\nsecond', '^[[2Jfirst...'],
])('cellText %j is %j', (text, cell) => {
  expect(cellText(text)).toBe(cell);
});

it('continued indents every line but the first', () => {
  expect(continued('a\nb\r\nc\x1b')).toBe('a\n  b\n  c^[');
});

it('neutralisedButColours keeps colours only', () => {
  expect(neutralisedButColours('\x1b[1;31mred\x1b[0m\x1b[2J\r')).toBe('\x1b[1;31mred\x1b[0m^[[2J\\r');
  expect(neutralisedButColours('plain')).toBe('plain');
});

it('neutralisedButDrawing keeps moves and modes of the cursor too, and nothing else', () => {
  expect(neutralisedButDrawing('\x1b[2J\x1b[?25l\r\x1b]0;title\x07')).toBe('\x1b[2J\x1b[?25l\r^[]0;title^G');
});

it('safeJson escapes what a terminal interprets, so that the value stays the same', () => {
  const value = { a: '\u202e\x7f\x9b\u{e0041} ü\n' };
  const text = safeJson(JSON.stringify(value, undefined, 2));
  expect(text).toBe('{\n  "a": "\\u202e\\u007f\\u009b\\udb40\\udc41 ü\\n"\n}');
  expect(JSON.parse(text)).toEqual(value);
});
