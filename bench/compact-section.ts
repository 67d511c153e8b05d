import { withSection } from './page-section.ts';
import { markdownOf, type TextTable } from './text-table.ts';

/** What `node bench/compact.ts --save` measured, as it is kept in `compact.json`. */
export interface CompactResults {
  /** RFC 3339. */
  readonly date: string;
  /** The load of the machine before the first run. */
  readonly load: number;
  readonly tables: readonly TextTable[];
}

const METHOD = `Every cache is an informer of the built library in a process of its own, with two indexes (the node, which 100 pods share, and the uid, which is each pod's own), under Node's own heap limit. A replay server in another process makes the objects while it sends them, so it has no copy of them; pods are of 7 kB as JSON, a third of it managedFields, which are left out. Each pod has its own name, uid, version, node and addresses; the rest comes from 40 templates, so real pods compress less: the rows of pods of 1 to 6 containers have identities of 64 random digits in each container, and Secrets are random throughout. RSS is that of the process, Node included. "Settled" is after garbage collections, of which the last one moves objects together, as V8 does by itself in a process that has little to do; the same is done for every row, and client-go gives its free memory back to the system. "Bytes an object" is what the process has more than before the list, divided by the objects. CPU is that of the process from the start of the informer to its sync. The rows that are compared run in turn, round after round, and are medians. The longest block is how late the event loop got to a timer at worst, from the start to half a second after the sync. A cold lookup is the first read of an object by an index of the uid; hot ones read 200 objects again and again. The selective filter asks for the name of one node, which 100 pods have in their text; the other one reads the phase and the images of all containers. The first search of fields decodes every object, and remembers what they are; "again" is the next one. In the rows "fields kept" the cache was asked before its list to keep these fields, as \`query --filter\` asks its cache; then the first search decodes nothing either. A storm sends changes of pods in an order without a pattern, each with a new version; a quarter of its minute is the warm-up; where fewer changes a second are shown than the 2,000 that were due, all came, but later. Settled and not settled memory are both shown: without a forced collection, a storm leaves garbage until V8 collects it. client-go holds no million pods here: at the size shown it takes 60 kB for each pod, so a million would need 60 GB, and this machine has 24 GB. On a machine that does other work, too, all times are too long; compare the rows with each other. To measure again: \`npm run build && node bench/compact.ts --save\`. [memory.md](memory.md) says what a cache will need.`;

/** The section of docs/performance.md about compact caches. */
export function compactSection({ date, load, tables }: CompactResults): string[] {
  return [
    '## Caches of a million objects',
    `Measured ${date.slice(0, 10)}; load before the first run ${load.toFixed(1)}.`,
    ...tables.flatMap((table) => [`### ${table.title}`, markdownOf(table)]),
    METHOD,
  ];
}

/** The page with this section in the place of the one it has, or before the last one. */
export function withCompactSection(page: string, results: CompactResults): string {
  return withSection(page, compactSection(results));
}
