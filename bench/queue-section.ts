import { type SectionResults, sectionOf, withSection } from './page-section.ts';

/** What `node bench/queue.ts --save` measured, as it is kept in `queue.json`. */
export type QueueResults = SectionResults;

const METHOD = `Each row handles its keys once, after a warm-up, and the rows run in turn, round after round; medians. A row of the queue keeps its queue for all rounds, as a program does, and releases keys by a call, as client-go's \`Done\`; a \`using\` instead takes V8 about 0.4 µs more. client-go's rows run in a Go program of their own, which measures itself in the same way; its 16 workers are threads on both cores. All the reconcilers and hooks have nothing to do, so that a row shows what the queue, the controller and the start of a hook cost; CPU is that of the measuring process, without the processes of hooks. On a machine that does other work, too, wall times and keys a second are too long and too few; compare the CPU times. Rows of hooks handle fewer keys, as their names say; compare the time for one key. The controller does more for each key than client-go's queue: it keeps causes, histories, metrics and the state for retries. To measure again: \`npm run build && node --expose-gc bench/queue.ts 100000 3 --save\`; client-go's rows need Go and its modules.`;

/** The section of docs/performance.md about the work queue. */
export function queueSection(results: QueueResults): string[] {
  return sectionOf("## The work queue beside client-go's", results, METHOD);
}

/** The page with this section in the place of the one it has, or before the last one. */
export function withQueueSection(page: string, results: QueueResults): string {
  return withSection(page, queueSection(results));
}
