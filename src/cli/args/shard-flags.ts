import { SHARDED_KEYS } from '../../model/shard.ts';
import { choice, group, text } from './flag.ts';

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
