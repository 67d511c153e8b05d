import { neutralised } from './escape.ts';

/**
 * One record of CSV with its CRLF. A cell with a comma, a quote or a line end is in quotes. A cell that a spreadsheet
 * would take for a formula gets an apostrophe in front; numbers, and a sign alone, stay as they are. `terminal` escapes
 * what a terminal would obey. Source: RFC 4180; OWASP on CSV injection.
 */
export function csvRecord(cells: readonly string[], terminal = false): string {
  return `${cells.map((cell) => quoted(terminal ? neutralised(inert(cell)) : inert(cell))).join(',')}\r\n`;
}

const FORMULA = /^[=+\-@\t\r\n]/;
const HARMLESS = /^(-?\d+(\.\d+)?([eE][+-]?\d+)?|[+-])$/;

const inert = (cell: string) => (FORMULA.test(cell) && !HARMLESS.test(cell) ? `'${cell}` : cell);

const CONTROL: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * One line of tab-separated values. A tab, a line end and a backslash in a cell are `\t`, `\n`, `\r` and `\\`, so that
 * each line is a record, and each tab is between two cells. Formulas are as in CSV. Source: mysql --batch.
 */
export function tsvRecord(cells: readonly string[], terminal = false): string {
  const own = cells.map((cell) => inert(cell).replaceAll(/[\\\t\n\r]/g, (sign) => CONTROL[sign] ?? sign));
  return `${own.map((cell) => (terminal ? neutralised(cell) : cell)).join('\t')}\n`;
}

const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
