import { type SectionResults, sectionOf, withSection } from './page-section.ts';
import type { PartsOfWhole } from './shard-parts.ts';
import type { SharedWork, SharedWorkOptions } from './shard-replicas.ts';
import type { TextTable } from './text-table.ts';

/** What `node bench/shards.ts --save` measured, as it is kept in `shards.json`. */
export type ShardResults = SectionResults;

const METHOD = `One informer of all pods, and then one of each of the parts, run one after another as processes of their own against the sandbox in another process, with the feature gate and without; the parts' figures are medians. Bytes are those of JSON. CPU is that of the process from the start of the informer to its sync, TLS and the warming up of Node's code included. The cache is what the heap has more than before, and RSS what the process has more, both after garbage collection. The server's CPU is what it took while that replica listed; its first list, that of the whole, also makes the texts of all objects, which later ones use: compare the parts with each other. Changes are of the same number of pods for each row. The rows of \`reconcile\` are processes of the program with a hook that waits, as one that asks another program; keys a second are those of a change of every pod. The killed replica gets SIGKILL; the first of its keys runs elsewhere when a shard was taken, and the last one after the runs of the others. Two cores are shared by four replicas, the server and whatever else the machine does: with a high load the rates are too low and the times too long. To measure again: \`npm run build && node bench/shards.ts 100000 --save\`. [scaling.md](scaling.md) says what follows.`;

/** The section of docs/performance.md about shards. */
export function shardSection(results: ShardResults): string[] {
  return sectionOf('## Replicas that share the objects', results, METHOD);
}

/** The page with this section in the place of the one it has, or before the last one. */
export function withShardSection(page: string, results: ShardResults): string {
  return withSection(page, shardSection(results));
}

const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

/** The rows of the parts, with each as a ratio to the whole, and of the shared work. */
export function shardTable(
  { pods, of, changes }: { readonly pods: number; readonly of: number; readonly changes: number },
  parts: readonly PartsOfWhole[],
  { work, options }: { readonly work: SharedWork; readonly options: SharedWorkOptions },
): TextTable {
  const rows = parts.flatMap(({ isSharding, whole, part, wholeChanges, partChanges }) => {
    const where = isSharding ? 'the server divides' : 'the client divides';
    const row = (name: string, of: (taken: typeof whole) => number, show: (value: number) => string) => [
      `${where}: ${name}`,
      show(of(whole)),
      show(of(part)),
      (of(part) / of(whole)).toFixed(2),
    ];
    const change = (name: string, of: (taken: typeof wholeChanges) => number, show: (value: number) => string) => [
      `${where}: ${name} of ${changes.toLocaleString('en-US')} changes`,
      show(of(wholeChanges)),
      show(of(partChanges)),
      (of(partChanges) / of(wholeChanges)).toFixed(2),
    ];
    return [
      row('bytes of the list', ({ bytes }) => bytes, mb),
      row('CPU', ({ cpuMs }) => cpuMs, seconds),
      row('the cache', ({ heap }) => heap, mb),
      row('RSS', ({ rss }) => rss, mb),
      row('CPU of the server', ({ serverMs }) => serverMs, seconds),
      change('bytes', ({ bytes }) => bytes, mb),
      change('CPU', ({ cpuMs }) => cpuMs, seconds),
    ];
  });
  const { keys, replicas, shards, workers, hookMs } = options;
  return {
    title: `${pods.toLocaleString('en-US')} pods in ${of} parts; ${keys.toLocaleString('en-US')} keys for ${replicas} replicas of \`reconcile --shards ${shards} --workers ${workers}\`, a hook of ${hookMs} ms`,
    head: ['row', 'whole', 'a part', 'ratio'],
    rows: [
      ...rows,
      [
        `reconcile: keys a second, one replica and ${replicas}`,
        work.alone.toFixed(0),
        work.together.toFixed(0),
        (work.together / work.alone).toFixed(2),
      ],
      [
        `reconcile: the first of ${work.taken} keys of a killed replica runs elsewhere`,
        '–',
        `${work.takenFirst.toFixed(1)} s`,
        '–',
      ],
      [`reconcile: the last of them`, '–', `${work.takenAll.toFixed(1)} s`, '–'],
    ],
  };
}
