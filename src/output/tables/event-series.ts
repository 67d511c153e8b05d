import type { Cells, TableColumn } from '../../model/cells.ts';

/** ` (x17 over 47m)`, by columns that are printed with `-o wide` only. Source: kubectl cmd/events getInterval. */
export function seriesTextOf(
  server: readonly TableColumn[] = [],
  textOf: (cell: unknown) => string,
): (cells: Cells | undefined) => string {
  const [first, count] = ['First Seen', 'Count'].map((wanted) => server.findIndex(({ name }) => name === wanted));
  if (first === undefined || count === undefined || Math.min(first, count) < 0) return () => '';
  return (cells) => {
    const times = Number(cells?.cells[count]);
    return times > 1 ? ` (x${times} over ${textOf(cells?.cells[first])})` : '';
  };
}
