import { cellAt } from '../../model/cell-ages.ts';
import type { Cells, TableColumn } from '../../model/cells.ts';

/** ` (x17 over 47m)` of a row at a time, wall-clock ms; nothing for what happened once. */
export type SeriesText = (row: Cells, now: number) => string;

/** How often Events were counted, by columns that are printed with `-o wide` only. Source: kubectl cmd/events getInterval. */
export function seriesTextOf(server: readonly TableColumn[] = [], textOf: (cell: unknown) => string): SeriesText {
  const [first, count] = ['First Seen', 'Count'].map((wanted) => server.findIndex(({ name }) => name === wanted));
  if (first === undefined || count === undefined || Math.min(first, count) < 0) return () => '';
  return (row, now) => {
    const times = Number(row.cells[count]);
    return times > 1 ? ` (x${times} over ${textOf(cellAt(row, first, now))})` : '';
  };
}
