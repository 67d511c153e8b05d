import { parseLongDuration } from '../../kit/duration.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { PrintedType } from '../printer.ts';
import type { Column } from '../tables/columns.ts';

export type Mark = 'added' | 'changed' | 'removed';

/** A change of an object while it was watched. */
export interface HistoryLine {
  /** RFC 3339. */
  readonly time: string;
  readonly event: 'ADDED' | 'MODIFIED' | 'DELETED' | 'LEFT';
  readonly text: string;
}

export interface LiveRow {
  readonly key: string;
  object: ReadonlyObject;
  /** The type of the object, as its cluster serves it. */
  readonly type: PrintedType;
  /** The value that the command line sorts by. */
  sortKey: unknown;
  mark: Mark | undefined;
  /** The time at which the mark was first shown, or at which a cell changed after that. */
  markedAt: number | undefined;
  /** The cells as they were shown last. */
  texts: readonly string[];
  /** The indexes of the cells that have changed since the mark was set. */
  changed: ReadonlySet<number>;
  /** The last changes, the newest first. */
  history: readonly HistoryLine[];
  /** The text that a search looks at; undefined when it is not known for this state. */
  searched: string | undefined;
}

export const NO_CELLS: ReadonlySet<number> = new Set();

/** The text in which a search finds a row: its names and its cells, without the age, in small letters. */
export function searchedText({ object }: LiveRow, columns: readonly Column[], cells: readonly string[]): string {
  const shown = cells.filter((_, i) => columns[i]?.heading !== 'AGE');
  const { namespace = '', name = '' } = object.metadata;
  return [namespace, name, ...shown].join(' ').toLowerCase();
}

/** The value by which a column is sorted: numbers and durations by size, other cells as text. */
export function sortValue(cell: string): number | string {
  const count = COUNT.exec(cell)?.[1];
  if (count !== undefined) return Number(count);
  const age = cell.replace(/ ago$/, '');
  if (!AGE.test(age)) return cell;
  try {
    return parseLongDuration(age);
  } catch {
    return cell;
  }
}

/** `3`, and `3 (5m ago)`. */
const COUNT = /^(-?\d+)(?: \(.* ago\))?$/;
/** `5m`, `3d4h`. */
const AGE = /^(\d+[a-z]+)+$/;
