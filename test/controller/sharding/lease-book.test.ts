import { expect, it } from 'vitest';
import { REPLICA, ROLE_LABEL, SHARD } from '../../../src/controller/sharding/division-labels.ts';
import { LeaseBook } from '../../../src/controller/sharding/lease-book.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const lease = (name: string, holderIdentity: string, leaseDurationSeconds: number) => ({
  metadata: { name },
  spec: { holderIdentity, leaseDurationSeconds },
});

it('counts the duration of a Lease from the time at which its record was first seen', () => {
  const clock = new FakeClock();
  const book = new LeaseBook(clock);
  book.saw(lease('a', 'me', 10));
  clock.tick(9_999);
  book.saw(lease('a', 'me', 10));
  expect([book.holderOf('a'), book.hasLapsed('a'), book.get('a')?.record.holder]).toEqual(['me', false, 'me']);
  clock.tick(1);
  expect([book.holderOf('a'), book.hasLapsed('a')]).toEqual([undefined, true]);
  book.saw(lease('a', '', 10));
  expect([book.holderOf('a'), book.hasLapsed('a')]).toEqual([undefined, false]);
});

it('knows when the next Lease ends, of those that are in force', () => {
  const clock = new FakeClock();
  const book = new LeaseBook(clock);
  expect(book.nextEndMs).toBeUndefined();
  book.saw(lease('late', 'a', 30));
  book.saw(lease('soon', 'b', 20));
  book.saw(lease('free', '', 10));
  clock.tick(5_000);
  expect(book.nextEndMs).toBe(15_000);
  clock.tick(15_000);
  expect([book.nextEndMs, [...book.inForce()].map(([name]) => name)]).toEqual([10_000, ['late']]);
  book.gone('late');
  expect(book.nextEndMs).toBeUndefined();
});

it('names the Leases that were not in use for a time', () => {
  const clock = new FakeClock();
  const book = new LeaseBook(clock);
  book.saw(lease('free', '', 10));
  book.saw(lease('held', 'a', 60));
  clock.tick(20_000);
  expect([[...book.unused(20_000)], [...book.unused(20_001)]]).toEqual([['free'], []]);
  clock.tick(40_000);
  expect([...book.unused(20_000)]).toEqual(['free', 'held']);
});

it('counts the Lease of a replica from its renewTime on when it is seen for the first time, and then from each change', () => {
  const clock = new FakeClock();
  const book = new LeaseBook(clock);
  const renewed = (name: string, role: string, ageMs: number) => {
    const renewTime = new Date(clock.now() - ageMs).toISOString().replace('Z', '000Z');
    const { metadata, spec } = lease(name, 'a', 10);
    book.saw({ metadata: { ...metadata, labels: { [ROLE_LABEL]: role } }, spec: { ...spec, renewTime } } as never);
  };
  renewed('killed', REPLICA, 10_000);
  renewed('alive', REPLICA, 9_999);
  renewed('ahead', REPLICA, -3_600_000);
  renewed('shard', SHARD, 3_600_000);
  expect([...book.inForce()].map(([name]) => name)).toEqual(['alive', 'ahead', 'shard']);
  clock.tick(1);
  expect([...book.inForce()].map(([name]) => name)).toEqual(['ahead', 'shard']);
  renewed('killed', REPLICA, 3_600_000);
  expect(book.holderOf('killed')).toBe('a');
  expect([...book.unused(1)]).toEqual(['alive']);
});
