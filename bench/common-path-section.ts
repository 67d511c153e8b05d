import { type SectionResults, sectionOf, withSection } from './page-section.ts';

/** What `node bench/common-path.ts --save` measured, as it is kept in `common-path.json`. */
export type CommonPathResults = SectionResults;

const METHOD = `Each command runs beside another program in turn; ratios are medians of the pairs, figures medians of the runs, each with the start of its process. A program that takes a few hundredths of a second runs five times in a row, because the kernel counts in hundredths. The page is open in a headless browser on the same machine, and is asked after all rows are there. To measure again: \`npm run build && node bench/common-path.ts --save\`, with KUBECONFIG and \`--namespace\` for a server of your own ([what it needs](https://github.com/kubectl-informer/kubectl-informer/blob/main/bench/README.md)).`;

const HEADING = '## Starts, the page, exact numbers';

/** The section of docs/performance.md about what ends at once, and the page. */
export function commonPathSection(results: CommonPathResults): string[] {
  return sectionOf(HEADING, results, METHOD);
}

/** The page with this section in the place of the one it has, or before the last one. */
export function withCommonPath(page: string, results: CommonPathResults): string {
  return withSection(page, commonPathSection(results));
}
