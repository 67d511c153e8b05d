import { InformerError } from '../../kit/error.ts';
import { checkShard, SHARDED_KEYS, type Shard } from '../../model/shard.ts';
import type { Given } from './argv.ts';
import { choice, type FlagValues, group, text } from './flag.ts';
import { refuseWithout } from './useless-flags.ts';

/** A fixed part of the objects: shared by `watch` and `query`. */
export const shardFlags = group('SELECTION', {
  shard: text({
    summary: 'only one of N parts of the objects, counted from 0: the four quarters are 0/4, 1/4, 2/4 and 3/4',
    helpValue: 'I/N',
  }),
  'shard-by': choice(SHARDED_KEYS, {
    summary: 'with --shard: divide by the hash of the uid, of the namespace, or of namespace and name (default: uid)',
  }),
});

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
