import type { GroupRow } from '../../query/answer/groups.ts';
import { cellText } from '../escape.ts';
import { type Painter, plainPainter } from '../painter.ts';
import { type BarStyle, bar } from './bars.ts';
import { displayWidth, withoutMiddle } from './display-width.ts';
import { AlignedTable } from './table.ts';

export interface CountLine {
  /** Undefined where everything is one line. */
  readonly value: string | undefined;
  readonly count: number;
  readonly amounts: readonly string[];
}

export interface CountTableOptions {
  readonly noHeaders: boolean;
  /** Headings of the amounts. */
  readonly amounts: readonly string[];
  readonly painter?: Painter | undefined;
  /** Draws a bar for each count; there are none beside amounts. */
  readonly bars?: BarStyle | undefined;
}

/** Numbers about objects, in the order in which they are shown. */
export interface PrintedCounts {
  readonly rows: readonly GroupRow[];
  /** The names of the amounts. */
  readonly amounts: readonly string[];
  /** The rows as data. */
  records(): readonly object[];
}

/** A group without anything to count. */
const NOTHING = '<none>';

export function countsAsTable({ rows, amounts }: PrintedCounts, options: Omit<CountTableOptions, 'amounts'>): string {
  const lines = rows.map((row) => ({ ...row, amounts: row.amounts.map((amount) => amount?.readable ?? NOTHING) }));
  return countTable(lines, { ...options, amounts });
}

/** The longest bar, and the shortest for which others make room, in terminal cells. */
const LONGEST_BAR = 60;
const SHORTEST_BAR = 10;
/** Values are shortened for bars to no less than this. */
const SHORTEST_VALUE = 8;
const PADDING = 3;

/** Counts as a table; on a terminal as bars beside the counts, which fit its width. */
export function countTable(lines: readonly CountLine[], options: CountTableOptions): string {
  const { noHeaders, amounts, painter = plainPainter, bars } = options;
  const draws = bars !== undefined && amounts.length === 0 && lines.some(({ value }) => value !== undefined);
  const drawn = draws ? drawnLines(lines, bars) : undefined;
  const table = new AlignedTable(draws ? { widthOf: displayWidth } : {});
  const rows = lines.map(({ value, count, amounts: texts }, i) => [
    ...(value === undefined ? [] : [drawn?.[i]?.value ?? cellText(value)]),
    String(count),
    ...texts.map(cellText),
    ...(drawn?.[i]?.bar ? [drawn[i].bar] : []),
  ]);
  const hasValues = lines.some(({ value }) => value !== undefined);
  const headings = [...(hasValues ? ['VALUE'] : []), 'COUNT', ...amounts.map((name) => cellText(name.toUpperCase()))];
  for (const row of noHeaders ? rows : [headings, ...rows]) table.fit(row);
  const body = rows.map((row) => table.line(row));
  return (noHeaders ? '' : table.line(headings, painter.heading)) + body.join('');
}

function drawnLines(lines: readonly CountLine[], { columns, ascii }: BarStyle) {
  const most = Math.max(...lines.map(({ count }) => count));
  const countWidth = Math.max('COUNT'.length, String(most).length) + PADDING;
  const room = Math.max(SHORTEST_VALUE, columns - countWidth - SHORTEST_BAR - PADDING - 1);
  const values = lines.map(({ value = '' }) => withoutMiddle(cellText(value), room, ascii));
  const valueWidth = Math.max('VALUE'.length, ...values.map(displayWidth)) + PADDING;
  const width = Math.min(LONGEST_BAR, columns - valueWidth - countWidth - 1);
  return lines.map(({ count }, i) => ({ value: values[i] ?? '', bar: bar(count, most, width, ascii) }));
}
