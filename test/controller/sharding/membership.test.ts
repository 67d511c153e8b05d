import { expect, it } from 'vitest';
import type { Attempt } from '../../../src/controller/election/acquire-or-renew.ts';
import { Membership } from '../../../src/controller/sharding/membership.ts';
import { calm, election } from '../../support/election.ts';

/** The membership of one replica, running. */
async function running({ renewDeadlineMs = 10_000, retryPeriodMs = 2000 } = {}) {
  const place = await election();
  const attempts: Attempt['kind'][] = [];
  const ending = new AbortController();
  const membership = new Membership({
    client: place.client,
    namespace: 'shop',
    lease: 'operator',
    labels: { app: 'a' },
    identity: 'one',
    leaseDurationMs: 15_900,
    renewDeadlineMs,
    retryPeriodMs,
    clock: place.clock,
    onAttempt: ({ kind }) => attempts.push(kind),
  });
  expect(membership.isKnown).toBe(false);
  const ran = membership.run(ending.signal);
  await calm();
  const end = async () => {
    ending.abort();
    await place.pass(500);
    await ran;
  };
  return { ...place, membership, attempts, end };
}

it('a membership renews its Lease every retry period, in whole seconds and with its labels, until it is ended', async () => {
  const { membership, attempts, pass, lease, spec, end } = await running();
  expect([attempts, membership.isKnown]).toEqual([['held'], true]);
  expect(lease()?.metadata.labels).toEqual({ app: 'a' });
  expect(spec()).toMatchObject({ holderIdentity: 'one', leaseDurationSeconds: 15 });
  const first = spec()?.renewTime;
  await pass(8000);
  expect(attempts).toEqual(Array(5).fill('held'));
  expect(spec()?.renewTime).not.toBe(first);
  await end();
  await pass(30_000);
  expect(attempts).toHaveLength(5);
});

it('a membership is known for the duration in its Lease after its last renewal was sent, and tries on', async () => {
  const { sandbox, membership, attempts, pass, end } = await running();
  sandbox.faults.add({ fault: { kind: 'status', code: 500 }, times: 100 });
  await pass(14_500);
  expect([membership.isKnown, new Set(attempts.slice(1))]).toEqual([true, new Set(['failed'])]);
  await pass(500);
  expect(membership.isKnown).toBe(false);
  sandbox.faults.clear();
  await pass(4000);
  expect([membership.isKnown, attempts.at(-1)]).toEqual([true, 'held']);
  await end();
});

it('a membership gives up an attempt without an answer after half of the renew deadline', async () => {
  const { sandbox, attempts, pass, end } = await running();
  sandbox.faults.add({ fault: { kind: 'delay', ms: 60_000 } });
  await pass(2000 + 4500);
  expect(attempts).toEqual(['held']);
  await pass(1000);
  expect(attempts).toEqual(['held', 'failed']);
  await end();
});

it('a membership whose renewals are answered late stays known, also when its period is nearly its deadline', async () => {
  const { sandbox, membership, pass, end } = await running({ renewDeadlineMs: 14_000, retryPeriodMs: 11_000 });
  sandbox.faults.add({ fault: { kind: 'delay', ms: 6500 }, times: 100 });
  for (let i = 0; i < 60; i++) {
    await pass(1000);
    expect([i, membership.isKnown]).toEqual([i, true]);
  }
  await end();
});

it('a membership renews as soon as an answer that takes half of the deadline may come too late', async () => {
  const { attempts, pass, end } = await running({ renewDeadlineMs: 14_000, retryPeriodMs: 11_000 });
  await pass(7900); // its Lease lasts 15 s, and half of the deadline is 7 s
  expect(attempts).toHaveLength(1);
  await pass(200);
  expect(attempts).toHaveLength(2);
  await end();
});
