/** A table of texts; every row has as many cells as the head. */
export interface TextTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const NUMBER = /^[\d.,]+$|^–$/;

/** For a terminal: columns of numbers to the right. */
export function textOf({ title, head, rows }: TextTable): string {
  const all = [head, ...rows];
  const widths = head.map((_, c) => Math.max(...all.map((row) => (row[c] ?? '').length)));
  const isNumeric = numericColumns({ title, head, rows });
  const line = (row: readonly string[]) =>
    row
      .map((cell, c) => (isNumeric[c] ? cell.padStart(widths[c] ?? 0) : cell.padEnd(widths[c] ?? 0)))
      .join('  ')
      .trimEnd();
  return `\n${title}\n${all.map((row) => `  ${line(row)}`).join('\n')}`;
}

/** For a page. */
export function markdownOf(table: TextTable): string {
  const isNumeric = numericColumns(table);
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = `|${table.head.map((_, c) => (isNumeric[c] ? '---:' : '---')).join('|')}|`;
  return [line(table.head), rule, ...table.rows.map(line)].join('\n');
}

function numericColumns({ head, rows }: TextTable): boolean[] {
  return head.map((_, c) => rows.length > 0 && rows.every((row) => NUMBER.test(row[c] ?? '')));
}
