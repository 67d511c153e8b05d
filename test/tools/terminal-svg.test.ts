import { expect, it } from 'vitest';
// @ts-expect-error a tool without types
import { spansOf, terminalSvg } from '../../tools/terminal-svg.mjs';

it('reads colours, boldness and lines through text, and leaves out what is no text', () => {
  expect(spansOf('\x1b[1mA\x1b[22mb\x1b[2K\x1b[9;31mc\x1b[0m\rd', 80)).toEqual([
    { bold: true, text: 'A' },
    { bold: false, dim: false, text: 'b' },
    { bold: false, dim: false, struck: true, color: 1, text: 'c' },
    { text: 'd' },
  ]);
});

it('cuts a line that is wider than the terminal, with a mark', () => {
  expect(spansOf('abc\x1b[31mdef', 5).map(({ text }: { text: string }) => text)).toEqual(['abc', 'd…']);
});

it('puts each part at its column, keeps spaces, and escapes what XML reads', () => {
  const svg = terminalSvg(['<a>  \x1b[31m"b"&'], { theme: 'dark', columns: 10, title: 'T' });
  expect(svg).toContain('x="16.0" textLength="39.0">&lt;a>\u00a0\u00a0</tspan>');
  expect(svg).toContain('x="55.0" textLength="31.2" fill="#ff7b72">&quot;b&quot;&amp;</tspan>');
});
