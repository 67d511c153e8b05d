import { expect, it } from 'vitest';
import { commonPathSection, withCommonPath } from '../../bench/common-path-section.ts';
import { exactRows } from '../../bench/exact-rows.ts';
import { figureRow, ratioRow, targetTable } from '../../bench/target-row.ts';

const results = (cell: string) => ({
  date: '2026-01-02T03:04:05.000Z',
  load: 1.25,
  table: { title: 'Starts', head: ['work', 'measured'], rows: [['ours', cell]] },
});

it('a page gets the section once, before the one about the method, and then new figures in its place', () => {
  const page = '# Performance\n\n## On the wire of an API server\n\nwire\n\n## How it was measured\n\ntext\n';
  const once = withCommonPath(page, results('1'));
  expect(once).toBe(page.replace('## How', `${commonPathSection(results('1')).join('\n\n')}\n\n## How`));
  expect(withCommonPath(once, results('2'))).toBe(once.replace('| ours | 1 |', '| ours | 2 |'));
});

it('a target is met at its limit and missed above it', () => {
  const rows = [
    ratioRow('a', 1.1, 'bare Node', 1.1, 'x'),
    ratioRow('b', 1.1, 'bare Node', 1.104, 'x'),
    figureRow('c', 70, 'MB', 70, 'y'),
    figureRow('d', 70, 'MB', 71, 'y'),
    figureRow('e', 70, 'MB', Number.NaN, 'y'),
  ];
  expect(targetTable('t', rows).rows).toEqual([
    ['a', '≤ 1.1 × bare Node', '1.10 ×', 'yes', 'x'],
    ['b', '≤ 1.1 × bare Node', '1.10 ×', '**no**', 'x'],
    ['c', '≤ 70 MB', '70 MB', 'yes', 'y'],
    ['d', '≤ 70 MB', '71 MB', '**no**', 'y'],
    ['e', '≤ 70 MB', 'NaN MB', '**no**', 'y'],
  ]);
});

it('each kind of text is parsed beside JSON.parse', () => {
  const rows = exactRows(1, 20);
  expect(rows.map(({ target }) => target)).toEqual(['≤ 1.02 × the same without them', '≤ 1.3 × JSON.parse']);
  for (const { measured } of rows) expect(measured).toMatch(/^\d+\.\d\d ×$/);
});
