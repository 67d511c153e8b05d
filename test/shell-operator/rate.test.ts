import { expect, it } from 'vitest';
import { RunRate } from '../../src/shell-operator/rate.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

it.each([
  [1, [0, 3_000, 6_000, 9_000]],
  [2, [0, 0, 3_000, 6_000]],
  [3, [0, 0, 0, 3_000]],
])('runs are apart by the interval, after as many at once as the burst, %s', async (burst, expected) => {
  const clock = new FakeClock();
  const rate = new RunRate({ intervalMs: 3_000, burst }, clock);
  const begun: number[] = [];
  const from = clock.monotonic();
  const runs = (async () => {
    for (let i = 0; i < 4; i++) {
      await rate.wait(new AbortController().signal);
      begun.push(clock.monotonic() - from);
    }
  })();
  for (let i = 0; i < 12; i++) await clock.advance(1_000);
  await runs;
  expect(begun).toEqual(expected);
});
