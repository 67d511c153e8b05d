import { markdownOf, type TextTable } from './text-table.ts';

/** A section of docs/performance.md that is measured by itself, and kept in a file. */
export interface SectionResults {
  /** RFC 3339. */
  readonly date: string;
  /** The load of the machine before the first run. */
  readonly load: number;
  readonly table: TextTable;
}

/** The parts of a section: its table, when it was measured, and how. */
export function sectionOf(heading: string, { date, load, table }: SectionResults, method: string): string[] {
  return [
    heading,
    `${table.title}. Measured ${date.slice(0, 10)}; load before the first run ${load.toFixed(1)}.`,
    markdownOf(table),
    method,
  ];
}

/** The page with this section in the place of the one with the same heading, or before the last one. */
export function withSection(page: string, section: readonly string[]): string {
  const [heading = ''] = section;
  const text = `${section.join('\n\n')}\n\n`;
  const last = page.indexOf('## How it was measured');
  const from = page.indexOf(heading);
  if (from === -1) return `${page.slice(0, last)}${text}${page.slice(last)}`;
  return `${page.slice(0, from)}${text}${page.slice(page.indexOf('\n## ', from) + 1)}`;
}
