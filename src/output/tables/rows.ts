import { jsonText } from '../../kit/exact-json.ts';
import { csvRecord, tsvRecord } from '../csv.ts';
import { cellText, safeJson } from '../escape.ts';
import { AlignedTable } from './table.ts';

/** The text of rows, which come one by one. None of them is kept. */
export interface Rows {
  /** The text of the next row; '' where it waits for the ones behind it. */
  add(values: readonly unknown[]): string;
  /** The text behind the last row. */
  end(): string;
}

export interface RowsOptions {
  readonly noHeaders: boolean;
  /** Escapes control sequences, for output to a terminal. */
  readonly terminal: boolean;
}

/** The rows whose cells make the columns of a table as wide as they are. */
const FITTED = 1_000;
/** A cell of a table is cut off behind this length. */
const LONGEST_CELL = 120;

/** An aligned table. Later rows may be wider than the first 1,000, which give the columns their widths. */
export function tableRows(names: readonly string[], { noHeaders }: RowsOptions, longest = LONGEST_CELL): Rows {
  const table = new AlignedTable({ isClose: true });
  let waiting: string[][] | undefined = noHeaders ? [] : [names.map((name) => cellText(name.toUpperCase()))];
  const flush = () => {
    for (const cells of waiting ?? []) table.fit(cells);
    const text = (waiting ?? []).map((cells) => table.line(cells)).join('');
    waiting = undefined;
    return text;
  };
  return {
    add(values) {
      const cells = values.map((value) => shortened(cellText(plain(value)), longest));
      if (!waiting) return table.line(cells);
      waiting.push(cells);
      return waiting.length < FITTED ? '' : flush();
    },
    end: flush,
  };
}

/** As {@link tableRows}, with whole cells. */
export const wideRows = (names: readonly string[], options: RowsOptions) =>
  tableRows(names, options, Number.POSITIVE_INFINITY);

/** CSV with a line of headings. */
export const csvRows = (names: readonly string[], options: RowsOptions) => records(csvRecord, names, options);

/** Tab-separated values with a line of headings. */
export const tsvRows = (names: readonly string[], options: RowsOptions) => records(tsvRecord, names, options);

function records(record: typeof csvRecord, names: readonly string[], { noHeaders, terminal }: RowsOptions): Rows {
  let head = noHeaders ? '' : record(names, terminal);
  const withHead = (text: string) => {
    const all = head + text;
    head = '';
    return all;
  };
  return { add: (values) => withHead(record(values.map(plain), terminal)), end: () => withHead('') };
}

/** A JSON object for each row, one a line. What is undefined is left out. */
export function ndjsonRows(names: readonly string[], { terminal }: RowsOptions): Rows {
  const keys = names.map((name) => JSON.stringify(name));
  return {
    add(values) {
      const members = values.flatMap((value, i) => (value === undefined ? [] : [`${keys[i]}:${json(value)}`]));
      return terminal ? `${safeJson(`{${members.join(',')}}`)}\n` : `{${members.join(',')}}\n`;
    },
    end: () => '',
  };
}

/** One JSON list of the objects of all rows, one a line. */
export function jsonRows(names: readonly string[], options: RowsOptions): Rows {
  const lines = ndjsonRows(names, options);
  let before = '[';
  return {
    add(values) {
      const text = before + lines.add(values).trimEnd();
      before = ',\n';
      return text;
    },
    end: () => (before === '[' ? '[]\n' : ']\n'),
  };
}

/** A value of SQLite in JSON: bytes in hexadecimal, and a whole number of type REAL with its point. */
function json(value: unknown): string {
  return typeof value === 'number' ? real(value) : jsonText(value instanceof Uint8Array ? plain(value) : value);
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value === 'number') return real(value);
  return typeof value === 'object' ? jsonText(value) : String(value);
}

/** Source: sqlite3's own output. */
function real(value: number): string {
  if (!Number.isFinite(value)) return `${value < 0 ? '-' : ''}9.0e+999`;
  return Number.isSafeInteger(value) ? value.toFixed(1) : String(value);
}

const shortened = (text: string, longest: number) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
