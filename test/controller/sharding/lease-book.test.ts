import { expect, it } from 'vitest';
import {
  DIVISION_LABEL,
  REPLICA,
  ROLE_LABEL,
  SHARD,
  shardLeaseOf,
} from '../../../src/controller/sharding/division-labels.ts';
import { LeaseBook } from '../../../src/controller/sharding/lease-book.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const DIVISION = { name: 'op', of: 8, by: 'uid' } as const;
const SHARD_0 = shardLeaseOf(DIVISION, 0);

const lease = (name: string, holderIdentity: string, leaseDurationSeconds: number) => ({
  metadata: { name },
  spec: { holderIdentity, leaseDurationSeconds },
});

/** A Lease with its labels, by default of a replica of this division that is in force for 10 seconds from now on. */
const labelled = (
  clock: FakeClock,
  name: string,
  { role = REPLICA, division = '8-by-uid', holder = name, heldMs = 0 },
) =>
  ({
    metadata: { name, resourceVersion: `${name}-7`, labels: { [ROLE_LABEL]: role, [DIVISION_LABEL]: division } },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: 10,
      acquireTime: new Date(clock.now() - heldMs).toISOString(),
      renewTime: new Date(clock.now()).toISOString(),
    },
  }) as never;

function bookOf() {
  const clock = new FakeClock();
  const book = new LeaseBook(clock, DIVISION);
  const saw = (name: string, options: Partial<Parameters<typeof labelled>[2]> = {}) =>
    book.saw(labelled(clock, name, options as never));
  const leftover = () => book.leftover(10_000).map(({ name }) => name);
  return { clock, book, saw, leftover };
}

it('counts the duration of a Lease from the time at which its record was first seen', () => {
  const { clock, book } = bookOf();
  expect([book.holderOf(0), book.hasLapsed(0), book.ofShard(0)]).toEqual([undefined, false, undefined]);
  book.saw(lease(SHARD_0, 'me', 10));
  clock.tick(9_999);
  book.saw(lease(SHARD_0, 'me', 10));
  expect([book.holderOf(0), book.hasLapsed(0), book.ofShard(0)?.record.holder]).toEqual(['me', false, 'me']);
  clock.tick(1);
  expect([book.holderOf(0), book.hasLapsed(0)]).toEqual([undefined, true]);
  book.saw(lease(SHARD_0, '', 10));
  expect([book.holderOf(0), book.hasLapsed(0)]).toEqual([undefined, false]);
  book.gone(SHARD_0);
  expect(book.ofShard(0)).toBeUndefined();
});

it('knows when the next Lease ends, of those that are in force', () => {
  const { clock, book } = bookOf();
  expect(book.nextEndMs).toBe(Number.POSITIVE_INFINITY);
  book.saw(lease('late', 'a', 30));
  book.saw(lease('soon', 'b', 20));
  book.saw(lease('free', '', 10));
  clock.tick(5_000);
  expect(book.nextEndMs).toBe(15_000);
  clock.tick(15_000);
  expect(book.nextEndMs).toBe(10_000);
  book.gone('late');
  expect(book.nextEndMs).toBe(Number.POSITIVE_INFINITY);
});

it('knows the replicas of its division that live, and which of them have been there for less than a time', () => {
  const { clock, book, saw } = bookOf();
  saw('old', { heldMs: 5000 });
  saw('new', { heldMs: 4999 });
  saw('other', { division: '4-by-uid' });
  saw('shard', { role: SHARD });
  saw('left', { holder: '' });
  expect([[...book.members], [...book.newcomers(5000)]]).toEqual([['old', 'new'], ['new']]);
  clock.tick(9_999);
  saw('new', { heldMs: 14_998 });
  expect([...book.members]).toEqual(['old', 'new']);
  clock.tick(1);
  expect([[...book.members], [...book.newcomers(5000)]]).toEqual([['new'], []]);
});

it('knows another division that has shards', () => {
  const { clock, book, saw } = bookOf();
  saw('own', { role: SHARD });
  saw('replica', { division: '4-by-uid' });
  saw('free', { role: SHARD, division: '2-by-uid', holder: '' });
  expect(book.otherDivision).toBeUndefined();
  saw('other', { role: SHARD, division: '4-by-uid' });
  expect(book.otherDivision).toBe('4-by-uid');
  clock.tick(10_000);
  expect(book.otherDivision).toBeUndefined();
});

it('names the Leases that are not needed: of replicas two durations after their last change, of other divisions after twenty', () => {
  const { clock, book, saw, leftover } = bookOf();
  saw('replica');
  saw('left', { holder: '', division: '4-by-uid' });
  saw('shard', { role: SHARD, holder: '' });
  saw('other', { role: SHARD, division: '4-by-uid' });
  clock.tick(19_999);
  expect(leftover()).toEqual([]);
  clock.tick(1);
  expect(leftover()).toEqual(['replica', 'left']);
  clock.tick(179_999);
  saw('replica');
  book.gone('left');
  expect(leftover()).toEqual([]);
  clock.tick(1);
  expect(book.leftover(10_000)).toMatchObject([{ name: 'other', resourceVersion: 'other-7' }]);
  book.saw(lease('long', 'a', 10_000));
  clock.tick(1_000_000);
  expect(leftover()).toEqual(['replica', 'other']);
});

it('counts the Lease of a replica from its renewTime on when it is seen for the first time, and then from each change', () => {
  const { clock, book } = bookOf();
  const renewed = (name: string, role: string, ageMs: number) => {
    const renewTime = new Date(clock.now() - ageMs).toISOString().replace('Z', '000Z');
    const { metadata, spec } = lease(name, name, 10);
    const labels = { [ROLE_LABEL]: role, [DIVISION_LABEL]: '8-by-uid' };
    book.saw({ metadata: { ...metadata, labels }, spec: { ...spec, renewTime } } as never);
  };
  renewed('killed', REPLICA, 10_000);
  renewed('alive', REPLICA, 9_999);
  renewed('ahead', REPLICA, -3_600_000);
  renewed(SHARD_0, SHARD, 3_600_000);
  expect([[...book.members], book.holderOf(0)]).toEqual([['alive', 'ahead'], SHARD_0]);
  clock.tick(1);
  expect([[...book.members], book.holderOf(0)]).toEqual([['ahead'], SHARD_0]);
  renewed('killed', REPLICA, 3_600_000);
  expect([...book.members]).toContain('killed');
});

it('counts the Lease of a replica without a time from when it is seen', () => {
  const { clock, book } = bookOf();
  book.saw({
    metadata: { name: 'a', labels: { [ROLE_LABEL]: REPLICA, [DIVISION_LABEL]: '8-by-uid' } },
    spec: lease('a', 'a', 10).spec,
  } as never);
  clock.tick(9_999);
  expect([...book.members]).toEqual(['a']);
  clock.tick(1);
  expect([...book.members]).toEqual([]);
});
