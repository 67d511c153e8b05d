import { expect, it } from 'vitest';
import { Election, type ElectionStart } from '../../../src/controller/election/election.ts';
import { LeaseLock } from '../../../src/controller/election/lease-lock.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { calm, election } from '../../support/election.ts';

/** An election for the lease of another leader, and whether its run has ended. */
async function second(startOf: (place: Awaited<ReturnType<typeof election>>) => Promise<ElectionStart>) {
  const place = await election();
  const first = await place.start('first');
  await place.pass(1_000);
  first.abort.abort(); // it is not released: it will expire
  const { client, clock } = place;
  const options = { client, clock, name: 'operator', namespace: 'shop', identity: 'second', logger: silentLogger };
  const callbacks = { random: () => 0, onStartedLeading: () => {}, onStoppedLeading: () => {} };
  const one = new Election({ ...options, ...callbacks }, await startOf(place));
  const stop = new AbortController();
  let hasEnded = false;
  const running = one.run(stop.signal).then(() => {
    hasEnded = true;
  });
  await calm();
  return {
    place,
    one,
    hasEnded: () => hasEnded,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await calm();
      await clock.advance(60_000);
      await running;
    },
  };
}

it.each([
  [{ once: true }, true],
  [{ once: false }, false],
  [{}, false],
])('an election that begins with %j ends after its first attempt: %s', async (start, isOver) => {
  await using election = await second(async () => start);
  expect([election.hasEnded(), election.one.isLeading]).toEqual([isOver, false]);
  await election.place.pass(30_000);
  expect([election.hasEnded(), election.one.isLeading]).toEqual([isOver, !isOver]);
});

it('a Lease that was seen before is waited for only as long as is left of its duration', async () => {
  await using election = await second(async ({ client, clock }) => {
    const lock = new LeaseLock({ client, namespace: 'shop', name: 'operator' });
    return { seen: { record: await lock.get(AbortSignal.timeout(60_000)), at: clock.monotonic() - 14_000 } };
  });
  await election.place.pass(3_000);
  expect(election.one.isLeading).toBe(true);
});
