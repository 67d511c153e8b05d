import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { InformerError } from '../../kit/error.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { Shard, ShardedBy } from '../../model/shard.ts';
import type { ShardSet } from '../../model/shard-set.ts';

/**
 * Refuses what has no shards. Throws `argument`: an object that is asked for by name is in one shard only, and a type
 * without namespaces cannot be divided by them.
 */
export function checkSharded(shard: Shard | ShardSet, { type, names }: ResourceSelection): void {
  const resource = formatGroupResource(type.gvr);
  if (names.length > 0)
    throw new InformerError('argument', `${resource} ${names[0]} is asked for by name, and a shard is a part of all`, {
      hint: 'leave out the name, or the shard; -l and --field-selector select within a shard',
    });
  if (shard.by === 'namespace' && !type.namespaced)
    throw new InformerError('argument', `${resource} have no namespace: by namespace, all of them are in one shard`, {
      hint: '--shard-by uid divides them',
    });
}

/** `shard 1/4 by uid`: as it was asked for. */
export const shardText = ({ index, of, by = 'uid' }: Shard): string => `shard ${index}/${of} by ${by}`;

/** `; shard 1/4 by uid` behind a line about a whole stream; nothing behind that of a whole collection. */
export const shardSuffix = (shard: Shard | undefined): string => (shard ? `; ${shardText(shard)}` : '');

/** The side that divides a type, for the log. */
export const SHARDED_BY: Readonly<Record<ShardedBy, string>> = {
  server: 'the server divides the objects: it sends those of this part only',
  client: 'the server does not divide the objects: it sends all, and those of other parts are left out here',
};
