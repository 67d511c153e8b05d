import { shardText } from '../session/shard-choice.ts';
import { countText } from './count-text.ts';
import type { Facts } from './hint.ts';

/** Says what a shard has: `shard 1/4 by uid: 251 pods; other shards have the rest`. */
export const shardPart = async ({ plan: { shard }, cached }: Facts): Promise<string[]> =>
  shard ? [`${shardText(shard)}: ${countText(cached)}${shard.of > 1 ? '; other shards have the rest' : ''}`] : [];
