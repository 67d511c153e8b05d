import { expect, it } from 'vitest';
import { AlignedTable } from '../../../src/output/tables/table.ts';

it('pads a column to its longest cell plus three spaces, and does not pad the last one', () => {
  const table = new AlignedTable();
  table.fit(['longest-name', 'x']);
  expect(table.line(['web', 'Running'])).toBe('web            Running\n');
  expect(table.line(['longest-name', 'x'])).toBe('longest-name   x\n');
});

it('makes a column at least six characters wide', () => {
  expect(new AlignedTable().line(['a', 'b', 'c'])).toBe('a     b     c\n');
});

it('never narrows a column again', () => {
  const table = new AlignedTable();
  table.line(['a-long-name', 'x']);
  expect(table.line(['a', 'x'])).toBe(`${'a'.padEnd(14)}x\n`);
  expect(table.widths(2)).toEqual([14, 6]);
});

it('counts code points, or by the given width', () => {
  expect(new AlignedTable().line(['😀😀😀😀', 'x'])).toBe('😀😀😀😀   x\n');
  expect(new AlignedTable({ widthOf: (text) => text.length * 2 }).line(['abcd', 'x'])).toBe('abcd   x\n');
});

it('shares the widths of the first columns among tables with one list', () => {
  const shared: number[] = [];
  const [pods, jobs] = [new AlignedTable({ shared, columns: 1 }), new AlignedTable({ shared, columns: 1 })];
  pods.fit(['a-long-name', 'a-long-status', 'x']);
  expect(jobs.line(['a', 'b', 'c'])).toBe(`${'a'.padEnd(14)}${'b'.padEnd(6)}c\n`);
});

it('paints each cell after padding', () => {
  expect(new AlignedTable().line(['a', 'b'], (cell, i) => `<${i}:${cell}>`)).toBe('<0:a     ><1:b>\n');
});
