import { expect, it } from 'vitest';
import { LeaseCandidate } from '../../../src/controller/election/candidate.ts';
import type { LeaseLock } from '../../../src/controller/election/lease-lock.ts';
import { recordOf } from '../../../src/controller/election/lease-record.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

it('a record is as old as the time since it was seen, also when it was seen before the candidate began', async () => {
  const clock = new FakeClock();
  clock.tick(5000);
  const seen = { record: recordOf({ metadata: {}, spec: { holderIdentity: 'b' } }), at: clock.monotonic() };
  clock.tick(300);
  const candidate = new LeaseCandidate({
    lock: {} as LeaseLock,
    identity: 'a',
    durationSeconds: 15,
    clock,
    onSlowPath() {},
    seen,
  });
  expect(candidate.observedAgeMs).toBe(300);
  clock.tick(400);
  expect([candidate.observedAgeMs, candidate.isHolder]).toEqual([700, false]);
});
