import type { CollectionPart } from '../../query/answer/collection-part.ts';
import type { Given } from '../args/argv.ts';
import type { FlagValues } from '../args/flag.ts';
import type { shardFlags } from '../args/shard-flags.ts';
import { shardOf, shardPart } from './shard-choice.ts';

/** The part of the objects that flags ask for; undefined: all. Throws `argument` for one that does not exist. */
export function askedPart(
  flags: FlagValues<typeof shardFlags>,
  given: ReadonlyMap<string, Given>,
): CollectionPart | undefined {
  const shard = shardOf(flags, given);
  return shard && shardPart(shard);
}
