import { describe, expect, it } from 'vitest';
import type { LeasePlan } from '../../../src/cli/reconcile/lease-plan.ts';
import { SharingReports, sharedText } from '../../../src/cli/reconcile/sharing-reports.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import type { ShardOverview } from '../../../src/controller/sharding/shard-options.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const UID_COMES_AGAIN = expect.stringContaining('--shard-by name keeps both at one');

const overview = (more: Partial<ShardOverview>): ShardOverview => ({
  held: [],
  members: [],
  holders: [],
  waitsFor: undefined,
  ...more,
});

function reporting(sharing: LeasePlan['sharing'] = { of: 4, by: 'uid' }, hasFinalizer = false) {
  const notices: string[] = [];
  const clock = new FakeClock();
  const ending = new AbortController();
  const session = { notice: (text: string) => notices.push(text), clock, signal: ending.signal } as unknown as Session;
  const lease = { namespace: 'shop', name: 'work', sharing } as unknown as LeasePlan;
  const reports = new SharingReports(session, lease, { hasFinalizer });
  return { reports, notices, clock, ending };
}

describe('the first lines', () => {
  it.each<[string, LeasePlan['sharing'], boolean, string, boolean]>([
    ['by uid', { of: 4, by: 'uid' }, false, '4 shards', true],
    ['by uid, with a finalizer, which keeps the name until the cleanup', { of: 4, by: 'uid' }, true, '4 shards', false],
    ['by name', { of: 4, by: 'name' }, false, '4 shards', false],
    ['by namespace', { of: 4, by: 'namespace' }, false, '4 shards', false],
    ['of one shard', { of: 1, by: 'uid' }, false, 'one shard', false],
  ])('say what is shared, and what is not guaranteed: %s', (_, sharing, hasFinalizer, shards, isSaid) => {
    const { reports, notices } = reporting(sharing, hasFinalizer);
    reports.begins('me');
    expect(notices).toEqual([
      `shares the keys in ${shards} by the Leases shop/work-*, as me`,
      ...(isSaid ? [UID_COMES_AGAIN] : []),
    ]);
    reports.close();
  });

  it('say after a lease duration that no Lease could be read or written', async () => {
    const { reports, notices, clock } = reporting({ of: 4, by: 'name' });
    reports.begins('me');
    await clock.advance(14_999);
    expect(notices).toHaveLength(1);
    await clock.advance(1);
    expect(notices.at(-1)).toBe('has no shard yet: the Leases could not be read or written');
    expect(reports.isFirst).toBe(true);
  });
});

describe('a change of the shards', () => {
  const seen = async (
    change: (reports: SharingReports) => void,
    { sharing = { of: 4, by: 'uid' } as LeasePlan['sharing'], ms = 250 } = {},
  ) => {
    const { reports, notices, clock } = reporting(sharing);
    change(reports);
    await clock.advance(ms - 1);
    expect(notices).toEqual([]);
    await clock.advance(1);
    reports.close();
    return notices;
  };
  const alone = overview({ held: [0, 1, 2], members: ['me'] });

  it.each<[string, (reports: SharingReports) => void, string[]]>([
    [
      'once its keys run',
      (reports) => {
        reports.changed(alone);
        for (const index of [2, 0, 1]) reports.opened(index);
      },
      ['has shards 0-2 of 4; no other replica is there'],
    ],
    [
      'without the ones that are closed',
      (reports) => {
        for (const index of [0, 1, 3]) reports.opened(index);
        reports.closed(1);
        reports.changed(overview({ held: [0, 3], members: ['me', 'you'] }));
      },
      ['has shards 0, 3 of 4; 2 replicas share them'],
    ],
    [
      'as one',
      (reports) => {
        reports.opened(3);
        reports.changed(overview({ held: [3], members: ['me', 'you'] }));
      },
      ['has shard 3 of 4; 2 replicas share them'],
    ],
    [
      'also where there is none',
      (reports) => reports.changed(overview({ held: [], members: ['me', 'you'] })),
      ['has no shard of 4: 2 replicas share them, and this one waits'],
    ],
    [
      'where others divide otherwise',
      (reports) => reports.changed(overview({ held: [], members: ['me'], waitsFor: '12-by-uid' })),
      ['has no shard: replicas that divide otherwise (12-by-uid) are at work, and this one waits until they end'],
    ],
    [
      'that wait for their Leases',
      (reports) => {
        reports.opened(0);
        reports.opened(1);
        reports.waits(0, true);
        reports.waits(1, true);
        reports.changed(overview({ held: [0, 1], members: ['me'] }));
      },
      ['waits with the keys of shards 0-1 of 4: their Leases were not renewed in time'],
    ],
    [
      'one of which waits for its Lease, and one not any more',
      (reports) => {
        reports.waits(0, true);
        reports.waits(1, true);
        reports.waits(0, false);
        reports.changed(overview({ held: [1], members: ['me'] }));
      },
      ['waits with the keys of shard 1 of 4: its Lease was not renewed in time'],
    ],
    [
      'of which several were lost, with the reason once',
      (reports) => {
        const error = new Error('the lease shop/work-0 was lost: it was renewed 15s ago');
        reports.lost(0, error);
        reports.lost(1, new Error('the lease shop/work-1 was lost: it was renewed 15s ago'));
      },
      ['lost shards 0-1 of 4: it was renewed 15s ago; runs of its keys were ended, and another replica takes it over'],
    ],
  ])('is one line, a quarter of a second later: %s', async (_, change, lines) => {
    expect(await seen(change)).toEqual(lines);
  });

  it('names what divides, where that is not the uid', async () => {
    const change = (reports: SharingReports) => reports.changed(overview({ held: [], members: ['me', 'you'] }));
    expect(await seen(change, { sharing: { of: 2, by: 'name' } })).toEqual([
      'has no shard of 2 by name: 2 replicas share them, and this one waits',
    ]);
  });

  it('whose objects take long to read is said after three seconds more', async () => {
    const { reports, notices, clock } = reporting();
    reports.opened(0);
    reports.changed(overview({ held: [0, 1, 2], members: ['me'] }));
    await clock.advance(3_249);
    expect(notices).toEqual([]);
    await clock.advance(1);
    expect(notices).toEqual(['reads the objects of shards 1-2 of 4']);
    expect(reports.isFirst).toBe(false);
  });

  it('that changes nothing is not said again, and nothing is said at the end', async () => {
    const { reports, notices, clock, ending } = reporting();
    reports.opened(0);
    reports.changed(overview({ held: [0], members: ['me'] }));
    await clock.advance(250);
    reports.changed(overview({ held: [0], members: ['me'] }));
    await clock.advance(250);
    expect(notices).toHaveLength(1);
    ending.abort();
    reports.lost(0, new Error('it ends'));
    await clock.advance(250);
    expect(notices).toHaveLength(1);
  });
});

it('an error of the Leases is said again after a minute', async () => {
  const { reports, notices, clock } = reporting();
  const fail = () => reports.failed(new Error('forbidden'));
  fail();
  await clock.advance(59_999);
  fail();
  reports.failed(new Error('refused'));
  expect(notices).toEqual([
    'a Lease could not be acquired or renewed, and is tried again: forbidden',
    'a Lease could not be acquired or renewed, and is tried again: refused',
  ]);
  await clock.advance(1);
  fail();
  expect(notices).toHaveLength(3);
});

it('an uneven division is said once', () => {
  const { reports, notices } = reporting();
  for (const text of [undefined, 'one replica has all', 'one replica has most']) reports.uneven(text);
  expect(notices).toEqual(['one replica has all']);
});

it('the objects of shared work are named as those of its shards', () => {
  expect(sharedText({ group: 'apps', version: 'v1', resource: 'deployments' })).toBe('deployments.apps of its shards');
});
