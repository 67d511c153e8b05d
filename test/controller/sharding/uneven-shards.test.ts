import { expect, it } from 'vitest';
import { unevenText } from '../../../src/controller/sharding/uneven-shards.ts';
import { ShardSet } from '../../../src/model/shard-set.ts';

const keysOf = (names: readonly string[]) => names.map((name) => `${name}/web`);
const alike = Array.from({ length: 8 }, (_, i) => `team-${i}`);
const spread = ['bank', 'crew', 'dock', 'farm', 'shop', 'yard', 'prod', 'dev'];
const of12 = (count: number, by: 'namespace' | 'uid' = 'namespace') => {
  const index = new ShardSet({ of: 12, by: 'namespace' }).indexOf({ metadata: { namespace: 'team-0' } });
  return new ShardSet({ of: 12, by, indexes: Array.from({ length: count }, (_, i) => (index + i) % 12) });
};

it('it is said where all namespaces are in one of several shards, and not where that may be chance', () => {
  expect(unevenText(keysOf(alike), of12(3))).toMatch(
    /^all 8 namespaces of its objects are in shard \d+ of 12, as names are that differ at the end only: /,
  );
  expect(unevenText(keysOf(alike), of12(1))).toBeUndefined(); // it has one shard only
  expect(unevenText(keysOf(alike.slice(0, 3)), of12(3))).toBeUndefined();
  expect(unevenText(keysOf(spread), of12(12))).toBeUndefined();
  expect(unevenText([], of12(3))).toBeUndefined();
});

it('it may be chance where names that are spread well do it more often than once in a thousand', () => {
  const isSaid = (namespaces: number, shards: number) =>
    unevenText(keysOf(alike.slice(0, namespaces)), of12(shards)) !== undefined;
  expect([isSaid(7, 3), isSaid(8, 3)]).toEqual([false, true]); // once in 729, and in 2187
  expect([isSaid(4, 9), isSaid(4, 10)]).toEqual([false, true]); // once in 729, and in 1000
});
