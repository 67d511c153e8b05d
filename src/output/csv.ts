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

const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
