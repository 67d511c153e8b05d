import { cellText } from '../escape.ts';

/**
 * A table in a frame, for a few rows. Streams and answers have printers of their own, which are hundreds of times
 * faster.
 */
export async function framedTable(head: readonly string[], rows: readonly (readonly string[])[]): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
  table.push(...rows.map((row) => row.map(cellText)));
  return `${table.toString()}\n`;
}
