import { ageMsOf, type Holding } from './holding.ts';

export interface HowFound {
  /** The plan and its counts. */
  readonly how: string;
  /** The number of objects that also meet the filters; undefined without filters. */
  readonly filtered: number | undefined;
  /** The selection of a server in place of all objects. */
  readonly pushed: string;
}

/** One line for `--explain`: how the objects of one type were found, and how old they are. */
export function explainedText(holding: Holding, { how, filtered, pushed }: HowFound): string {
  return [
    `${holding.informer.name}: ${how}`,
    ...(filtered === undefined ? [] : [`filters kept ${filtered}`]),
    `pushed to the server: ${pushed}`,
    ...shardParts(holding),
    ...memoryParts(holding),
    `last sign of life ${ageMsOf(holding).toFixed(0)}ms ago, at version ${versionsOf(holding)}`,
  ].join('; ');
}

const versionsOf = ({ informer: { continuity } }: Holding) =>
  [...new Set(continuity.map(({ resourceVersion }) => resourceVersion).filter(Boolean))].join(' and ') || 'none';

/** How the objects are kept, if they are kept as text. */
function memoryParts({ informer: { memory } }: Holding): string[] {
  if (!memory || memory.packed === 0) return [];
  const { packed, textBytes, storedBytes, hotReads, coldReads } = memory;
  const each = Math.round(storedBytes / packed);
  const ratio = (textBytes / Math.max(1, storedBytes)).toFixed(1);
  return [
    `${packed} kept as text, ${each} bytes each (${ratio} times smaller); ${coldReads} decoded, ${hotReads} read hot`,
  ];
}

/** Who divided the objects, and how many of other shards came and were left out. */
function shardParts({ informer: { sharding = [], lister } }: Holding): string[] {
  const [first] = sharding;
  if (first === undefined) return [];
  const shard = `shard ${first.indexes.join(', ')}/${first.of} by ${first.by}`;
  const leftOut = sharding.reduce((sum, each) => sum + each.leftOut, 0);
  const dividedBy = leftOut > 0 ? 'client' : first.dividedBy;
  if (dividedBy === undefined) return [`${shard}: who divided is not known`];
  if (dividedBy === 'server') return [`${shard}: divided by the server, which sent no other objects`];
  return [
    `${shard}: divided here, the server sent ${lister.size + leftOut}, and ${leftOut} of other shards are left out`,
  ];
}
