import { expect, it } from 'vitest';
import {
  divisionOf,
  LONGEST_SUFFIX,
  leaseGroupOf,
  memberLeaseOf,
  shardLeaseOf,
} from '../../../src/controller/sharding/division-labels.ts';

const division = { name: 'shop', of: 8, by: 'uid' } as const;

it('the name of a Lease says what it is of, and in which division; the one of a replica is its own', () => {
  expect([divisionOf(division), shardLeaseOf(division, 3)]).toEqual(['8-by-uid', 'shop-shard-3-of-8-by-uid']);
  expect(memberLeaseOf(division, 'one')).toMatch(/^shop-member-[\da-f]{10}$/);
  expect(memberLeaseOf(division, 'one')).not.toBe(memberLeaseOf(division, 'two'));
});

it('no name of a Lease adds more than the longest suffix', () => {
  const longest = shardLeaseOf({ name: '', of: 65_536, by: 'namespace' }, 65_535);
  expect([longest.length, memberLeaseOf({ name: '' }, 'one').length < LONGEST_SUFFIX]).toEqual([LONGEST_SUFFIX, true]);
});

it('the label of a group is its name up to 63 characters, and beyond that its beginning with a digest', () => {
  const name = 'n'.repeat(63);
  expect(leaseGroupOf({ name })).toBe(name);
  expect(leaseGroupOf({ name: `${name}a` })).toMatch(/^n{51}-[\da-f]{10}$/);
  expect(leaseGroupOf({ name: `${name}a` })).not.toBe(leaseGroupOf({ name: `${name}b` }));
  expect(leaseGroupOf({ name: `${'n'.repeat(50)}.-${'n'.repeat(50)}` })).toMatch(/^n{50}-[\da-f]{10}$/);
});
