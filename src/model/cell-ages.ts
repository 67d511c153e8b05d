import { humanDuration, parseLongDuration } from '../kit/duration.ts';
import { type Cells, cellVariable, headingOf, type TableColumn } from './cells.ts';

/** Columns of built-in types whose cells are the time since something happened. AGE is made of the object. */
const SINCE: ReadonlySet<string> = new Set(['LAST SEEN', 'FIRST SEEN', 'LAST SCHEDULE']);
/** The variables of these columns in an expression: what it finds changes with the time alone. */
export const SINCE_VARIABLES: readonly string[] = [...SINCE].map(cellVariable);
/** `3 (5m ago)`, as RESTARTS is printed. */
const COUNTED = /^(\d+ \()(\S+)( ago\))$/;
/** A cell is right for as long as this after it was printed, ms: it has no smaller unit. */
const RIGHT_MS = 1000;

/** Whether all cells of a column are the time since something happened. Columns of a custom resource say so. */
export function isSince(column: TableColumn): boolean {
  return (column.type === 'date' && headingOf(column) !== 'AGE') || SINCE.has(headingOf(column));
}

/** The columns whose cells grow older: always, or where they count. */
interface OlderColumns {
  readonly hasSince: boolean;
  readonly counted: readonly number[];
}

const OLDER_COLUMNS = new WeakMap<readonly TableColumn[], OlderColumns>();

function olderColumns(columns: readonly TableColumn[]): OlderColumns {
  let older = OLDER_COLUMNS.get(columns);
  if (!older) {
    const counted = columns.flatMap((column, i) => (headingOf(column) === 'RESTARTS' ? [i] : []));
    older = { hasSince: columns.some(isSince), counted };
    OLDER_COLUMNS.set(columns, older);
  }
  return older;
}

const isCounted = (cell: unknown): cell is string => typeof cell === 'string' && cell.endsWith(' ago)');

/** The row that a server has just printed. The time is read, and kept, only if a cell depends on it. */
export function printedRow(columns: readonly TableColumn[], cells: readonly unknown[], now?: () => number): Cells {
  if (!now) return { columns, cells };
  const { hasSince, counted } = olderColumns(columns);
  const growsOlder = hasSince || counted.some((place) => isCounted(cells[place]));
  return growsOlder ? { columns, cells, at: now() } : { columns, cells };
}

/**
 * A cell as the server would print it now: one that says how long ago something was grows older. It is as exact as its
 * text: `5h` is at least five hours. `now` is the wall-clock time, ms.
 */
export function cellAt({ columns, cells, at }: Cells, i: number, now: number): unknown {
  const cell = cells[i];
  if (at === undefined || now - at < RIGHT_MS || typeof cell !== 'string') return cell;
  const column = columns[i];
  if (!column) return cell;
  if (isSince(column)) return later(cell, now - at);
  if (headingOf(column) !== 'RESTARTS' || !isCounted(cell)) return cell;
  const [, before = '', age = '', after = ''] = COUNTED.exec(cell) ?? [];
  return age === '' ? cell : before + later(age, now - at) + after;
}

/** All cells of a row as the server would print them now. */
export function cellsAt(row: Cells, now: number): readonly unknown[] {
  return row.at === undefined ? row.cells : row.cells.map((_, i) => cellAt(row, i, now));
}

/** A text that is no age, such as `<none>`, stays. */
function later(age: string, ms: number): string {
  try {
    return humanDuration(parseLongDuration(age) + ms);
  } catch {
    return age;
  }
}

/** The cells of a row as one list, in which the time of printing follows the last cell where it is known. */
export const storedCells = ({ cells, at }: Cells): readonly unknown[] =>
  at === undefined ? cells : [...cells, { at }];

/** The row of {@link storedCells}. */
export function rowOfStored(columns: readonly TableColumn[], stored: readonly unknown[]): Cells {
  const { at } = Object(stored[columns.length]) as { readonly at?: unknown };
  if (stored.length !== columns.length + 1 || typeof at !== 'number') return { columns, cells: stored };
  return { columns, cells: stored.slice(0, -1), at };
}
