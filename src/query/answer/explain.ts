import type { CollectionPart } from './collection-part.ts';
import { ageMsOf, type Holding } from './holding.ts';

export interface HowFound {
  /** The plan and its counts. */
  readonly how: string;
  /** The number of objects that also meet the filters; undefined without filters. */
  readonly filtered: number | undefined;
  /** The selection of a server in place of all objects. */
  readonly pushed: string;
  /** The part of the objects that was asked for. */
  readonly part: CollectionPart | undefined;
}

/** One line for `--explain`: how the objects of one type were found, and how old they are. */
export function explainedText(holding: Holding, { how, filtered, pushed, part }: HowFound): string {
  return [
    `${holding.informer.name}: ${how}`,
    ...(filtered === undefined ? [] : [`filters kept ${filtered}`]),
    `pushed to the server: ${pushed}`,
    ...(part ? [part.explain(holding.informer)] : []),
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
