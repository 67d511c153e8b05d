import { type SectionResults, sectionOf, withSection } from './page-section.ts';

/** What `node bench/wire.ts --save` measured, as it is kept in `wire.json`. */
export type WireResults = SectionResults;

const METHOD = `A Go server in a separate process answers as a kube-apiserver does: TLS, pieces of 2 kB, gzip level 1 compressed while it is sent, JSON or protobuf. All pods are different, and half of each is managedFields. Client and server share two cores. All programs run in turn, round after round. "As the program sets it" leaves managedFields out and keeps V8's young generation small; the library's plain defaults do neither ([why](decisions/managed-fields.md)). Why gzip is requested: [compression](decisions/compression.md). To measure again: \`node bench/wire.ts 50000 3 --save\`, on a machine with Go.`;

/** The section of docs/performance.md with both sides under the same conditions. */
export function wireSection(results: WireResults): string[] {
  return sectionOf('## On the wire of an API server', results, METHOD);
}

/** The page with this section in the place of the one it has, or before the last one. */
export function withWireSection(page: string, results: WireResults): string {
  return withSection(page, wireSection(results));
}
