import { type SectionResults, sectionOf, withSection } from './page-section.ts';

/** What `node bench/query.ts --save` measured, as it is kept in `query.json`. */
export type QueryResults = SectionResults;

const METHOD = `One pod of many is looked up by an index over its name, each time another one. The server is the sandbox, with the same pods for every row; \`serve\` has synced before. Rows of the library and of the socket repeat the lookup in one process. Rows of processes are whole processes, from start to exit; they run in turn, round after round, and the figure is the median. Without a serve, \`query\` asks the server for the one pod, by a field selector. kubectl's scan reads all pods into its memory (8.8 GB of it), and jq finds the one. The start of the program is that of \`kubectl-informer version\`, which does nothing but start. On a machine that does other work, too, all times are too long; compare the rows with each other. To measure again: \`npm run build && node --expose-gc bench/query.ts 100000 11 --save\`.`;

/** The section of docs/performance.md about questions. */
export function querySection(results: QueryResults): string[] {
  return sectionOf('## One pod of many', results, METHOD);
}

/** The page with this section in the place of the one it has, or before the last one. */
export function withQuerySection(page: string, results: QueryResults): string {
  return withSection(page, querySection(results));
}
