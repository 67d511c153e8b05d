import { markdownOf, type TextTable } from './text-table.ts';

/** What `node bench/wire.ts --save` measured, as it is kept in `wire.json`. */
export interface WireResults {
  /** RFC 3339. */
  readonly date: string;
  /** The load of the machine before the first run. */
  readonly load: number;
  readonly table: TextTable;
}

const HEADING = '## On the wire of an API server';

const METHOD = `A Go server in a separate process answers as a kube-apiserver does: TLS, pieces of 2 kB, gzip level 1 compressed while it is sent, JSON or protobuf. All pods are different, and half of each is managedFields. Client and server share two cores. All programs run in turn, round after round. "As the program sets it" leaves managedFields out and keeps V8's young generation small; the library's plain defaults do neither ([why](decisions/managed-fields.md)). Why gzip is requested: [compression](decisions/compression.md). To measure again: \`node bench/wire.ts 50000 3 --save\`, on a machine with Go.`;

/** The section of docs/performance.md with both sides under the same conditions. */
export function wireSection({ date, load, table }: WireResults): string[] {
  return [
    HEADING,
    `${table.title}. Measured ${date.slice(0, 10)}; load before the first run ${load.toFixed(1)}.`,
    markdownOf(table),
    METHOD,
  ];
}

/** The page with this section in the place of the one it has, or before the last one. */
export function withWireSection(page: string, results: WireResults): string {
  const text = `${wireSection(results).join('\n\n')}\n\n`;
  const last = page.indexOf('## How it was measured');
  const from = page.indexOf(HEADING);
  if (from === -1) return `${page.slice(0, last)}${text}${page.slice(last)}`;
  return `${page.slice(0, from)}${text}${page.slice(page.indexOf('\n## ', from) + 1)}`;
}
