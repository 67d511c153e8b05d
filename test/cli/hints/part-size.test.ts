import { expect, it } from 'vitest';
import { partSize } from '../../../src/cli/hints/part-size.ts';
import { shardPart } from '../../../src/cli/session/shard-choice.ts';
import { factsOf, pods } from '../../support/hints.ts';

it.each([
  [{ index: 1, of: 4 }, 'shard 1/4 by uid: 2 pods; other shards have the rest'],
  [{ index: 0, of: 2, by: 'namespace' }, 'shard 0/2 by namespace: 2 pods; other shards have the rest'],
  [{ index: 0, of: 1 }, 'shard 0/1 by uid: 2 pods'],
] as const)('of shard %j it says how many objects it has', async (shard, line) => {
  expect(await partSize(factsOf([pods('a', 'b')], { part: shardPart(shard) }))).toEqual([line]);
});

it('is silent without a shard', async () => {
  expect(await partSize(factsOf([pods('a')]))).toEqual([]);
});
