import type { ReadTimes, SyncedCache } from './cache-process.ts';
import type { CompactMeasured } from './compact-rows.ts';
import { expectedRss } from './memory-formula.ts';
import type { TextTable } from './text-table.ts';

const mb = (bytes: number) => (bytes / 1e6).toFixed(0);
const seconds = (ms: number) => (ms / 1000).toFixed(2);
const number = (value: number) => value.toLocaleString('en-US');
const NONE = '–';

/** The names of the kinds, with what their objects are. */
const KIND_NAMES = {
  pods: 'pods',
  deployments: 'deployments',
  mixed: 'pods of 1 to 6 containers',
  widgets: 'custom resources of 50 kB',
  secrets: 'Secrets that do not compress',
} as const;

/** Memory and time of each cache until it has synced. */
export function syncTable({ compared, grown, further, clientGo }: CompactMeasured): TextTable {
  const row = (name: string, cache: SyncedCache) => [
    name,
    number(cache.objects),
    seconds(cache.ms),
    seconds(cache.cpuMs),
    mb(cache.peakRss),
    mb(cache.rss),
    mb(cache.heap),
    mb(cache.external),
    number(Math.round((cache.rss - cache.base.rss) / cache.objects)),
    cache.memory.packed === 0 ? NONE : number(Math.round(cache.memory.textBytes / cache.memory.packed)),
    cache.memory.packed === 0 ? NONE : number(Math.round(cache.memory.storedBytes / cache.memory.packed)),
    cache.blockMs.toFixed(0),
  ];
  return {
    title: 'The initial list',
    head: [
      'cache',
      'objects',
      'wall s',
      'CPU s',
      'peak RSS MB',
      'settled RSS MB',
      'heap MB',
      'external MB',
      'bytes an object',
      'its text',
      'compressed',
      'longest block ms',
    ],
    rows: [
      row('pods, `objects`', compared.plain),
      row('pods, `compact`', compared.compact),
      row('pods, `compact`, fields kept', compared.kept),
      ...grown.map((cache) => row('pods, `compact`', cache)),
      ...further.flatMap(({ kind, plain, compact }) => [
        row(`${KIND_NAMES[kind]}, \`objects\``, plain),
        row(`${KIND_NAMES[kind]}, \`compact\``, compact),
      ]),
      ...clientGo.flatMap((peer) => {
        const rest = Array.from({ length: 6 }, () => NONE);
        if ('missing' in peer) return [];
        const { objects, cpuMs, peakRss, rss } = peer;
        return [['pods, client-go dynamic', number(objects), NONE, seconds(cpuMs), mb(peakRss), mb(rss), ...rest]];
      }),
    ],
  };
}

/** Reads, and what a storm left. */
export function readTable({ compared, grown }: CompactMeasured): TextTable {
  const row = (
    name: string,
    { objects, coldMs, coldP99Ms, hotUs, fewUs, fewAgainUs, scanUs, scanAgainUs }: SyncedCache & Partial<ReadTimes>,
  ) => [
    name,
    number(objects),
    ...[coldMs, coldP99Ms].map((value) => value?.toFixed(3) ?? NONE),
    hotUs?.toFixed(2) ?? NONE,
    ...[fewUs, fewAgainUs, scanUs, scanAgainUs].map((value) => value?.toFixed(1) ?? NONE),
  ];
  return {
    title: 'Reads',
    head: [
      'cache',
      'objects',
      'cold lookup p50 ms',
      'p99 ms',
      'hot lookup µs',
      'selective filter µs an object',
      'again',
      'other filter µs an object',
      'again',
    ],
    rows: [
      row('`objects`', compared.plain),
      row('`compact`', compared.compact),
      row('`compact`, fields kept', compared.kept),
      ...grown.map((cache) => row('`compact`', cache)),
    ],
  };
}

export function stormTable({ storms }: CompactMeasured): TextTable {
  return {
    title: 'Storms',
    head: ['pods', 'of which change', 'changes/s', 'CPU', 'RSS MB, warm', 'at the end', 'settled, warm', 'at the end'],
    rows: storms.map(({ objects, of, warm, end }) => [
      number(objects),
      number(of),
      number(Math.round(end.changes / (end.ms / 1000))),
      `${((100 * end.cpuMs) / end.ms).toFixed(0)} %`,
      mb(warm.unsettled),
      mb(end.unsettled),
      mb(warm.rss),
      mb(end.rss),
    ]),
  };
}

/** The formula of docs/memory.md and what was measured, for caches with one index of shared and one of own values. */
export function formulaTable({ grown }: CompactMeasured): TextTable {
  return {
    title: 'The formula of [memory.md](memory.md)',
    head: ['pods', 'expected MB', 'measured MB', 'measured / expected'],
    rows: grown.map(({ objects, rss, memory }) => {
      const storedBytes = memory.storedBytes / objects;
      const expected = expectedRss({ objects, storedBytes, sharedIndexes: 1, ownIndexes: 1 });
      return [number(objects), mb(expected), mb(rss), (rss / expected).toFixed(2)];
    }),
  };
}
