import { expect, it } from 'vitest';
import { sharePlan } from '../../../src/controller/sharding/shard-handover.ts';

const plan = (wanted: number[], has: number[], notBefore: Record<number, number> = {}) =>
  sharePlan({
    now: 1000,
    wanted: new Set(wanted),
    has,
    notBefore: new Map(Object.entries(notBefore).map(([index, time]) => [+index, time])),
  });

it('a replica gives back what it should not have, claims what it lacks, and leaves the rest', () => {
  expect(plan([1, 2, 3], [0, 2])).toEqual({ givesBack: [0], claims: [1, 3], waitMs: Number.POSITIVE_INFINITY });
  expect(plan([2], [2], { 2: 1500 })).toEqual({ givesBack: [], claims: [], waitMs: Number.POSITIVE_INFINITY });
});

it('a replica claims a shard again when its time has come, and waits for the first of the others', () => {
  expect(plan([1, 2, 3, 4], [], { 1: 999, 2: 1000, 3: 1002, 4: 1001 })).toMatchObject({ claims: [1, 2], waitMs: 1 });
});
