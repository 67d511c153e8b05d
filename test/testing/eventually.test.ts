import { expect, it } from 'vitest';
import { eventually } from '../../src/testing/eventually.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

it('gives the first value that passes', async () => {
  const clock = new FakeClock();
  let tries = 0;
  const waiting = eventually(() => (++tries === 3 ? 'there' : undefined), { clock });
  await clock.advance(20);
  expect(await waiting).toBe('there');
});

it('fails with the last failure when time runs out', async () => {
  const clock = new FakeClock();
  const waiting = eventually(() => expect(1).toBe(2), { clock, timeoutMs: 100 });
  waiting.catch(() => {});
  await clock.advance(100);
  await expect(waiting).rejects.toThrow(/^not within 100ms: expected 1 to be 2/);
  expect(clock.pending).toBe(0);
});
