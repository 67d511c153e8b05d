import { expect, test } from 'vitest';
import { bar } from '../../../src/output/tables/bars.ts';
import { countTable } from '../../../src/output/tables/count-table.ts';
import { displayWidth } from '../../../src/output/tables/display-width.ts';

test('a bar is as long as its share, in eighths, and never nothing for something', () => {
  expect(bar(4, 4, 3, false)).toBe('███');
  expect(bar(1, 2, 3, false)).toBe('█▌');
  expect(bar(1, 1000, 3, false)).toBe('▏');
  expect(bar(1, 2, 4, true)).toBe('##');
  expect(bar(1, 1000, 4, true)).toBe('#');
  expect(bar(0, 4, 3, false)).toBe('');
});

const LINES = [
  { value: 'registry.example.com/a-team-with-a-long-name/web-frontend@sha256:0123456789abcdef', count: 12_345, amounts: [] },
  { value: 'nginx:1.27', count: 40, amounts: [] },
  { value: '漢字', count: 1, amounts: [] },
]; // biome-ignore format: one line each

test.each([20, 40, 80, 200])('no line is wider than a terminal of %i columns', (columns) => {
  for (const ascii of [false, true]) {
    const lines = countTable(LINES, { noHeaders: false, amounts: [], bars: { columns, ascii } }).split('\n');
    for (const line of lines) expect(displayWidth(line)).toBeLessThan(Math.max(columns, 30));
    expect(lines.map((line) => /[#█▏▎▍▌▋▊▉]$/.test(line))).toEqual([false, ...LINES.map(() => columns > 20), false]);
  }
});

test('without a terminal there are no bars, and nothing is shortened', () => {
  const text = countTable(LINES, { noHeaders: true, amounts: [] });
  expect(text).toContain(`${LINES[0]?.value}   12345\n`);
  expect(text).not.toMatch(/█|…/);
});

test('amounts take the place of bars', () => {
  const lines = [{ value: 'n1', count: 2, amounts: ['1250m'] }];
  expect(countTable(lines, { noHeaders: false, amounts: ['sum(cpu)'], bars: { columns: 80, ascii: false } })).toBe(
    'VALUE   COUNT   SUM(CPU)\nn1      2       1250m\n',
  );
});
