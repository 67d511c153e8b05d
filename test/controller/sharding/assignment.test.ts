import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shardsOf } from '../../../src/controller/sharding/assignment.ts';

type Holders = (string | undefined)[];

const view = fc.record({
  members: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1 }),
  holders: fc.array(fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'gone'), { nil: undefined }), {
    minLength: 1,
    maxLength: 24,
  }),
});

/** Lets all replicas take and give back what they should, until nothing changes. Gives the number of shards that moved. */
function settle(members: string[], holders: Holders): number {
  let moves = 0;
  for (let round = 0; round < 100; round++) {
    const before = holders.join();
    for (const member of members) {
      const wanted = new Set(shardsOf(member, { members, holders }));
      for (const [shard, holder] of holders.entries()) {
        if (holder === member && !wanted.has(shard)) {
          holders[shard] = undefined;
          moves++;
        }
        if (holder === undefined && wanted.has(shard)) holders[shard] = member;
      }
    }
    if (holders.join() === before) return moves;
  }
  throw new Error('never settles');
}

const countsOf = (members: string[], holders: Holders) =>
  members.map((member) => holders.filter((holder) => holder === member).length);

describe('the shards of replicas', () => {
  it('without an owner go to exactly one replica each, if all see the same', () => {
    fc.assert(
      fc.property(view, ({ members, holders }) => {
        const wanted = members.flatMap((member) => shardsOf(member, { members, holders }));
        expect(new Set(wanted).size).toBe(wanted.length);
        const others = wanted.filter((shard) => holders[shard] !== undefined);
        for (const shard of others) expect(shardsOf(holders[shard] as string, { members, holders })).toContain(shard);
      }),
    );
  });

  it('are the same for replicas that see the members in another order', () => {
    fc.assert(
      fc.property(view, ({ members, holders }) => {
        const reversed = members.toReversed();
        for (const member of members)
          expect(shardsOf(member, { members: reversed, holders })).toEqual(shardsOf(member, { members, holders }));
      }),
    );
  });

  it('become numbers that differ by one at most, with as few moves as possible', () => {
    fc.assert(
      fc.property(view, ({ members, holders: given }) => {
        const holders = given.map((holder) => (holder && (members as string[]).includes(holder) ? holder : undefined));
        const before = countsOf(members, holders).sort((a, b) => b - a);
        const moves = settle(members, holders);
        const after = countsOf(members, holders).sort((a, b) => b - a);
        expect(holders).not.toContain(undefined);
        expect((after[0] as number) - (after.at(-1) as number)).toBeLessThanOrEqual(1);
        // the replicas with the most keep the most that anybody may have in the end
        const least = before.reduce((sum, count, i) => sum + Math.max(0, count - (after[i] as number)), 0);
        expect(moves).toBe(least);
      }),
    );
  });

  it('of four replicas are two each of eight, and a fifth gets one of one of them', () => {
    const holders: Holders = Array(8).fill(undefined);
    expect(settle(['a', 'b', 'c', 'd'], holders)).toBe(0);
    expect(holders.join('')).toBe('aabbccdd');
    expect(settle(['a', 'b', 'c', 'd', 'e'], holders)).toBe(1);
  });

  it('of a replica that has died go to those that live, and nothing else moves', () => {
    const holders: Holders = [...'aabbccdd'].map((holder) => (holder === 'b' ? undefined : holder));
    expect(settle(['a', 'c', 'd'], holders)).toBe(0);
    expect(holders.slice(4).join('')).toBe('ccdd');
  });

  it('are none for a replica beyond their number', () => {
    const holders: Holders = [undefined, undefined];
    settle(['a', 'b', 'c'], holders);
    expect(holders.join('')).toBe('ab');
    expect(shardsOf('c', { members: ['a', 'b', 'c'], holders })).toEqual([]);
  });

  it('of an owner that is no replica are left alone', () => {
    expect(shardsOf('a', { members: ['a'], holders: ['x', undefined] })).toEqual([1]);
  });
});

it('replicas that see the members in different orders come to the same shards', () => {
  for (const holders of [[undefined], [undefined, undefined, undefined]] as Holders[]) {
    const shardsBy = (members: string[]) =>
      ['a', 'b'].map((member) => [...shardsOf(member, { members, holders })].sort());
    expect(shardsBy(['b', 'a'])).toEqual(shardsBy(['a', 'b']));
  }
});
