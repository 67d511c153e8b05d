import type { ObjectLane, TimelineSeries, TimelineSpan } from './timeline.ts';

/** A stretch of time that is drawn in a number of columns. */
export interface Columns {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

/** The column of a time. */
export function columnAt(at: number, { from, to, width }: Columns): number {
  const part = to > from ? (at - from) / (to - from) : 0;
  return Math.min(width - 1, Math.max(0, Math.floor(part * width)));
}

/** The columns of a time without its end; at least that of its begin, so that a short time is seen. */
function columnRange(from: number, to: number, columns: Columns): { readonly first: number; readonly last: number } {
  const first = columnAt(from, columns);
  const last = to >= columns.to ? columns.width - 1 : columnAt(to, columns) - 1;
  return { first, last: Math.max(first, last) };
}

/** The state of an object in each column: not ready where it was so for a part of it; undefined: it was not there. */
export function spanColumns(
  { spans }: Pick<ObjectLane, 'spans'>,
  columns: Columns,
): (TimelineSpan['state'] | undefined)[] {
  const cells = Array.from({ length: columns.width }, (): TimelineSpan['state'] | undefined => undefined);
  for (const { state, from, to } of spans) {
    const { first, last } = columnRange(from, to, columns);
    for (let i = first; i <= last; i++) if (cells[i] !== 'unready') cells[i] = state;
  }
  return cells;
}

/** The number in each column: the one that matters of several; null: there was none. */
export function seriesColumns({ points, worst }: TimelineSeries, columns: Columns): (number | null)[] {
  const cells = Array.from({ length: columns.width }, (): number | null => null);
  for (const [i, [at, value]] of points.entries()) {
    if (value === null) continue;
    const { first, last } = columnRange(at, points[i + 1]?.[0] ?? columns.to, columns);
    for (let column = first; column <= last; column++) {
      const other = cells[column] ?? value;
      cells[column] = worst === 'least' ? Math.min(other, value) : Math.max(other, value);
    }
  }
  return cells;
}

/** The columns in which changes may be missing. */
export function gapColumns({ gaps }: Pick<ObjectLane, 'gaps'>, columns: Columns): boolean[] {
  const cells = Array.from({ length: columns.width }, () => false);
  for (const { from, to } of gaps) {
    const { first, last } = columnRange(from, to, columns);
    cells.fill(true, first, last + 1);
  }
  return cells;
}

/** Columns that follow each other with the same value, as one. */
export function runsOf<T>(
  cells: readonly T[],
): { readonly value: T; readonly first: number; readonly count: number }[] {
  const runs: { readonly value: T; readonly first: number; count: number }[] = [];
  for (const [first, value] of cells.entries()) {
    const last = runs.at(-1);
    if (last && last.value === value) last.count++;
    else runs.push({ value, first, count: 1 });
  }
  return runs;
}
