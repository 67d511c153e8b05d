import { expect, it } from 'vitest';
import { caughtUp } from '../../src/informer/catch-up.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

const pod = (version: string) => ({ metadata: { name: 'a', uid: 'u', resourceVersion: version } });

/** What remains between a cache and a list, both with one pod, when the stream brings nothing. */
async function compared(cached: string | undefined, listed: string | undefined) {
  const clock = new FakeClock();
  const entries = (version: string | undefined) => (version === undefined ? [] : [['a', pod(version)] as const]);
  const ours = entries(cached);
  const drift = caughtUp(
    {
      cached: () => ours,
      get: () => ours[0]?.[1],
      list: async () => entries(listed),
      isBehind: () => false,
      clock,
      graceMs: 100,
    },
    new AbortController().signal,
  );
  await clock.advance(1000);
  return drift;
}

it.each([
  ['the same version', '5', '5', {}],
  ['an earlier version than the list', '9', '10', { stale: ['a'] }],
  ['a later version than the list', '10', '9', {}],
  ['an object that the list does not have', '5', undefined, { extra: ['a'] }],
  ['no object of those in the list', undefined, '5', { missing: ['a'] }],
])('of a cache with %s it is known what is wrong', async (_, cached, listed, wrong) => {
  expect(await compared(cached, listed)).toEqual({ missing: [], extra: [], stale: [], ...wrong });
});
