import type { Shard } from '../../model/shard.ts';
import { shardText } from '../session/shard-choice.ts';
import { countText } from './count-text.ts';
import type { FoundFacts } from './hint.ts';

export interface ShardFacts extends FoundFacts {
  readonly plan: { readonly shard: Shard | undefined };
}

/** Says what a shard has: `shard 1/4 by uid: 251 pods; other shards have the rest`. */
export const shardPart = async ({ plan: { shard }, cached }: ShardFacts): Promise<string[]> =>
  shard ? [`${shardText(shard)}: ${countText(cached)}${shard.of > 1 ? '; other shards have the rest' : ''}`] : [];
