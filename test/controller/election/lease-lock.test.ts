import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { createConfig } from '../../../src/client/config/cluster-config.ts';
import { LEASES, LeaseLock } from '../../../src/controller/election/lease-lock.ts';
import { type LeaseRecord, leaseSpecOf, recordOf } from '../../../src/controller/election/lease-record.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { election } from '../../support/election.ts';
import { socketScript } from '../../support/socket-script.ts';

const FULL: LeaseRecord = {
  holder: 'me',
  durationSeconds: 15,
  acquireTime: '2026-01-01T00:00:00.123456Z',
  renewTime: '2026-01-01T00:00:02.654321Z',
  transitions: 3,
  strategy: 'OldestEmulationVersion',
  preferredHolder: 'next',
};
const signal = new AbortController().signal;

describe('the lock', () => {
  it('keeps every field of a record through a write and a read [LE-18]', async () => {
    const { client } = await election();
    const options = { client, namespace: 'shop', name: 'operator' };
    expect(await new LeaseLock(options).create(FULL, signal)).toEqual(FULL);
    const lock = new LeaseLock(options);
    expect(await lock.get(signal)).toEqual(FULL);
    const changed = { ...FULL, holder: 'you', renewTime: '2026-01-01T00:00:04.000001Z', transitions: 4 };
    expect(await lock.update(changed, signal)).toEqual(changed);
    expect(await new LeaseLock(options).get(signal)).toEqual(changed);
  });

  it('leaves out an empty strategy and an empty preferred holder [LE-18]', async () => {
    const place = await election();
    const lock = new LeaseLock({ client: place.client, namespace: 'shop', name: 'operator' });
    const plain = { ...FULL, strategy: '', preferredHolder: '' };
    expect(await lock.create(plain, signal)).toEqual(plain);
    expect(Object.keys(place.spec() ?? {}).sort()).toEqual([
      'acquireTime',
      'holderIdentity',
      'leaseDurationSeconds',
      'leaseTransitions',
      'renewTime',
    ]);
  });

  it.each([
    ['stay in a Lease as they are', false, 1],
    ['are removed by the first update, where that is asked for', true, 0],
  ] as const)('managed fields %s', async (_, isUntracked, expected) => {
    const place = await election();
    const lock = new LeaseLock({ client: place.client, namespace: 'shop', name: 'operator', isUntracked });
    await lock.create(FULL, signal);
    expect(place.lease()?.metadata.managedFields).toHaveLength(1);
    for (const transitions of [4, 5]) {
      expect(await lock.update({ ...FULL, transitions }, signal)).toEqual({ ...FULL, transitions });
      expect(place.lease()?.metadata.managedFields ?? []).toHaveLength(expected);
    }
  });

  it('those of a server-side apply stay in any case', async () => {
    const place = await election();
    const lock = new LeaseLock({ client: place.client, namespace: 'shop', name: 'operator', isUntracked: true });
    await lock.create(FULL, signal);
    const apply = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { labels: { team: 'a' } } };
    const options = { type: 'apply', fieldManager: 'people' } as const;
    await place.client.resource(LEASES, { namespace: 'shop' }).patch('operator', apply, options);
    await lock.get(signal);
    await lock.update({ ...FULL, transitions: 4 }, signal);
    expect(place.lease()?.metadata.managedFields?.map(({ operation }) => operation)).toContain('Apply');
  });

  it('reads missing fields as zero values', () => {
    const zero = {
      holder: '',
      durationSeconds: 0,
      acquireTime: '',
      renewTime: '',
      transitions: 0,
      strategy: '',
      preferredHolder: '',
    };
    for (const lease of [{ metadata: {} }, { metadata: {}, spec: {} }, { metadata: {}, spec: null }]) {
      expect(recordOf(lease)).toEqual(zero);
    }
    expect(leaseSpecOf(zero)).toEqual({ holderIdentity: '', leaseDurationSeconds: 0, leaseTransitions: 0 });
  });

  it('changes only the listed labels, and none without a list [LE-18]', async () => {
    const place = await election();
    place.put({ holderIdentity: 'x', leaseDurationSeconds: 1 }, { app: 'old', team: 'a' });
    const options = { client: place.client, namespace: 'shop', name: 'operator' };
    const plain = new LeaseLock(options);
    await plain.get(signal);
    await plain.update(FULL, signal);
    expect(place.lease()?.metadata.labels).toEqual({ app: 'old', team: 'a' });
    const labelled = new LeaseLock({ ...options, labels: { app: 'new', tier: '1' } });
    await labelled.get(signal);
    await labelled.update(FULL, signal);
    expect(place.lease()?.metadata.labels).toEqual({ app: 'new', team: 'a', tier: '1' });
  });

  it('refuses a write before a read, and one that another write has overtaken', async () => {
    const place = await election();
    const options = { client: place.client, namespace: 'shop', name: 'operator' };
    await expect(new LeaseLock(options).update(FULL, signal)).rejects.toThrow(
      'lease not initialized, call get or create first',
    );
    const lock = new LeaseLock(options);
    expect(lock.description).toBe('shop/operator');
    await lock.create(FULL, signal);
    place.put({ holderIdentity: 'x', leaseDurationSeconds: 1 });
    await expect(lock.update(FULL, signal)).rejects.toMatchObject({ statusCode: 409 });
  });

  it('does not wait for the rate limit of its client, behind the requests of others', async () => {
    await using server = await socketScript((_, response) => {
      response.end(JSON.stringify({ metadata: { name: 'operator' }, spec: leaseSpecOf(FULL) }));
    });
    const clock = new FakeClock(); // its time stands still, so that a request that has to wait gets no answer
    const client = createClient(createConfig({ server: server.url }), { clock, qps: 1, burst: 1 });
    const lock = new LeaseLock({ client, namespace: 'shop', name: 'operator' });
    await client.raw('/version');
    const ended = new AbortController();
    const waiting = expect(client.resource(LEASES).list({}, { signal: ended.signal })).rejects.toThrow('over');
    expect(await lock.get(signal)).toEqual(FULL);
    expect(await lock.update(FULL, signal)).toEqual(FULL);
    ended.abort(new Error('over'));
    await waiting;
    await client.close();
  });
});
