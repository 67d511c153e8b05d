import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { ShardedSource, shardingOf } from '../../informer/watch/sharded-source.ts';
import { InformerError } from '../../kit/error.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import { checkShard, type Shard, type ShardedBy, type Sharding } from '../../model/shard.ts';
import { ShardSet } from '../../model/shard-set.ts';
import type { CollectionPart, PartReader } from '../../query/answer/collection-part.ts';
import type { Given } from '../args/argv.ts';
import type { FlagValues } from '../args/flag.ts';
import type { shardFlags } from '../args/shard-flags.ts';
import { refuseWithout } from '../args/useless-flags.ts';

/** The part that flags ask for; undefined without `--shard`. Throws `argument` for one that does not exist. */
export function shardOf(
  { shard: asked, 'shard-by': by }: FlagValues<typeof shardFlags>,
  given: ReadonlyMap<string, Given>,
): Shard | undefined {
  refuseWithout(given, ['shard-by'], ['shard']);
  if (asked === undefined) return undefined;
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(asked) ?? [];
  if (index === undefined || of === undefined) throw badShard(asked, 'I/N, such as 0/4 for the first of four parts');
  const shard: Shard = { index: Number(index), of: Number(of), by: by ?? 'uid' };
  if (shard.of >= 1 && shard.index >= shard.of) {
    const range = shard.of === 1 ? '0/1' : `0/${shard.of} to ${shard.of - 1}/${shard.of}`;
    throw badShard(asked, range, 'parts are counted from 0, as the Leases of reconcile --shards are');
  }
  try {
    checkShard(shard);
  } catch {
    throw badShard(asked, 'I/N with N from 1 to 65536', '0/1 is all objects, 0/2 and 1/2 are the two halves');
  }
  return shard;
}

const badShard = (asked: string, expected: string, hint?: string) =>
  new InformerError('argument', `invalid argument "${asked}" for "--shard": expected ${expected}`, { hint });

/** The objects of one shard, as a person asked for it. */
export function shardPart(shard: Shard): CollectionPart {
  const { index, of, by = 'uid' } = shard;
  const { selector, has } = new ShardSet({ of, by, indexes: [index] }).selection;
  const text = `shard ${index}/${of} by ${by}`;
  return {
    ...shardReader(shard),
    text,
    selector: { shardSelector: selector },
    has,
    countText: (count) => `${text}: ${count}${of > 1 ? '; other shards have the rest' : ''}`,
    explain: (cache) => `${text}: ${dividedText(shardingOf(cache), cache.lister.size)}`,
  };
}

/** Who divided the objects, and how many of other shards came and were left out. */
function dividedText(sharding: readonly Sharding[], size: number): string {
  const leftOut = sharding.reduce((sum, each) => sum + each.leftOut, 0);
  const dividedBy = leftOut > 0 ? 'client' : sharding[0]?.dividedBy;
  if (dividedBy === undefined) return 'who divided is not known';
  if (dividedBy === 'server') return 'divided by the server, which sent no other objects';
  return `divided here, the server sent ${size + leftOut}, and ${leftOut} of other shards are left out`;
}

/** Reads the objects of some shards. Those of a {@link ShardSet} may change. */
export const shardReader = (shards: Shard | ShardSet): PartReader => ({
  readerOf(selection, { clock, logger }) {
    checkSharded(shards, selection);
    let known: ShardedBy | undefined;
    const onSharding = (by: ShardedBy) => {
      if (by === known) return; // once for a type, however many sources it has
      known = by;
      logger.info(SHARDED_BY[by], { informer: formatGroupResource(selection.type.gvr) });
    };
    return (source) => new ShardedSource(source, shards, { onSharding, clock, logger });
  },
});

/**
 * Refuses what has no shards. Throws `argument`: an object that is asked for by name is in one shard only, and a type
 * without namespaces cannot be divided by them.
 */
function checkSharded(shard: Shard | ShardSet, { type, names }: ResourceSelection): void {
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

/** The side that divides a type, for the log. */
const SHARDED_BY: Readonly<Record<ShardedBy, string>> = {
  server: 'the server divides the objects: it sends those of this part only',
  client: 'the server does not divide the objects: it sends all, and those of other parts are left out here',
};
