import { ageMsOf, type CachedObjects } from './cached-objects.ts';
import type { CollectionPart } from './collection-part.ts';

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
export function explainedText(cached: CachedObjects, { how, filtered, pushed, part }: HowFound): string {
  return [
    `${cached.informer.name}: ${how}`,
    ...(filtered === undefined ? [] : [`filters kept ${filtered}`]),
    `pushed to the server: ${pushed}`,
    ...(part ? [part.explain(cached.informer)] : []),
    ...memoryParts(cached),
    `last sign of life ${ageMsOf(cached).toFixed(0)}ms ago, at version ${versionsOf(cached)}`,
  ].join('; ');
}

const versionsOf = ({ informer: { continuity } }: CachedObjects) =>
  [...new Set(continuity.map(({ resourceVersion }) => resourceVersion).filter(Boolean))].join(' and ') || 'none';

/** How the objects are kept, if they are kept as text. */
function memoryParts({ informer: { memory } }: CachedObjects): string[] {
  if (!memory || memory.packed === 0) return [];
  const { packed, textBytes, storedBytes, hotReads, coldReads } = memory;
  const each = Math.round(storedBytes / packed);
  const ratio = (textBytes / Math.max(1, storedBytes)).toFixed(1);
  return [
    `${packed} kept as text, ${each} bytes each (${ratio} times smaller); ${coldReads} decoded, ${hotReads} read hot`,
  ];
}
