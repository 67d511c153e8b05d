import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';
import { checkShard, placeOf, type Shard, shardRanges } from '../../src/model/shard.ts';
import { ShardSet } from '../../src/model/shard-set.ts';
import { parseShardSelector } from '../../src/sandbox/read/shard-selector.ts';
import { newUid } from '../../src/sandbox/write/identity.ts';

const object = (uid: string, namespace = 'a') => ({ metadata: { name: 'x', namespace, uid } });
const selectorOf = (shard: Shard) => shardRanges([shard.index], shard);
const shards = (of: number, by: Shard['by'] = 'uid') => Array.from({ length: of }, (_, index) => ({ index, of, by }));

describe('shards', () => {
  it('are asked for by ranges that meet, from 0 to 2^64', () => {
    expect(shards(2).map(selectorOf)).toEqual([
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')",
      "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')",
    ]);
    expect(shards(3, 'namespace').map(selectorOf)[1]).toBe(
      "shardRange(object.metadata.namespace, '0x5555555555555556', '0xaaaaaaaaaaaaaaab')",
    );
  });

  it('of any number hold each object once, and a server that reads their selectors agrees', () => {
    const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(65_536));
    fc.assert(
      fc.property(size, fc.uuid(), fc.constantFrom('uid', 'namespace' as const), (of, uid, by) => {
        const some =
          of <= 40 ? shards(of, by as Shard['by']) : [0, 1, of / 2, of - 1].map((index) => ({ index, of, by }));
        const subject = { apiVersion: 'v1', kind: 'Pod', ...object(uid, uid.slice(0, 8)) };
        const matching = some.filter((shard) => placeOf(subject, shard as Shard) === shard.index);
        const asked = some.filter((shard) => parseShardSelector(selectorOf(shard as Shard)).matches(subject));
        return (of > 40 || matching.length === 1) && JSON.stringify(matching) === JSON.stringify(asked);
      }),
    );
  });

  it('that are neighbours are asked for by one range', () => {
    expect(shardRanges([0, 1, 3], { of: 4 })).toBe(
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || " +
        "shardRange(object.metadata.uid, '0xc000000000000000', '0x10000000000000000')",
    );
    const selector = parseShardSelector(shardRanges([0, 2, 3, 6], { of: 7 }));
    for (let i = 0; i < 500; i++) {
      const subject = { apiVersion: 'v1', kind: 'Pod', ...object(newUid(seededRandom(i))) };
      expect(selector.matches(subject)).toBe([0, 2, 3, 6].includes(placeOf(subject, { of: 7 })));
    }
  });

  it('divide evenly: none of 8 has more than 1.1 times its part of 20,000 random uids', () => {
    const counts = Array(8).fill(0);
    const random = seededRandom(1);
    for (let i = 0; i < 20_000; i++) {
      const uid = newUid(random);
      counts[placeOf(object(uid), { of: 8 })]++;
    }
    expect(Math.max(...counts)).toBeLessThan(1.1 * 2_500);
  });

  it('by namespace hold all objects of a namespace together', () => {
    const places = ['u1', 'u2', 'u3'].map((uid) => placeOf(object(uid, 'shop'), { of: 5, by: 'namespace' }));
    expect(new Set(places).size).toBe(1);
  });

  it.each([
    [{ index: 2, of: 2 }, 'index must be a whole number from 0 to 1'],
    [{ index: -1, of: 2 }, 'index must be a whole number from 0 to 1'],
    [{ index: 0.5, of: 2 }, 'index must be a whole number from 0 to 1'],
    [{ index: 0, of: 0 }, 'of must be a whole number from 1 to 65536'],
    [{ index: 0, of: 1, by: 'label' as never }, 'by'],
  ])('%j is refused', (shard, text) => expect(() => checkShard(shard)).toThrow(text));
});

it('namespaces whose names differ at the end only are in few shards, as docs/scaling.md says', () => {
  const places = (count: number, digits = 1) => {
    const names = Array.from({ length: count }, (_, i) => `team-${String(i).padStart(digits, '0')}`);
    return new Set(names.map((namespace) => placeOf(object('', namespace), { of: 4, by: 'namespace' })));
  };
  expect([...places(10)]).toEqual([3]);
  expect(places(100).size).toBe(2);
  expect(places(1000, 3).size).toBe(3);
});

it('by name, names that differ at the end only are spread, as those of a StatefulSet are', () => {
  for (const of of [2, 3, 4, 8]) {
    const sizes = Array.from({ length: of }, () => 0);
    for (let i = 0; i < 200; i++) {
      const place = placeOf({ metadata: { namespace: 'shop', name: `web-${i}`, uid: `${i}` } }, { of, by: 'name' });
      sizes[place] = (sizes[place] ?? 0) + 1;
    }
    expect(Math.min(...sizes)).toBeGreaterThan(100 / of);
  }
});

it('by name, an object without a namespace has a place of its own, whatever its uid is', () => {
  const places = ['u1', 'u2'].map((uid) => placeOf({ metadata: { name: 'node-1', uid } }, { of: 64, by: 'name' }));
  expect(places[0]).toBe(places[1]);
  expect(new ShardSet({ of: 64, by: 'name', indexes: [places[0] as number] }).selection.selector).toBeUndefined();
});
