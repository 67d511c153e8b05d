import { expect, it } from 'vitest';
import { SkewedClock } from '../../src/sandbox/skewed-clock.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

it.each([0, 3_600_000, -3_600_000])('with a skew of %i ms only the time of day differs', async (skewMs) => {
  const base = new FakeClock();
  const clock = new SkewedClock(base);
  clock.skewMs = skewMs;
  expect([clock.now() - base.now(), clock.monotonic() - base.monotonic()]).toEqual([skewMs, 0]);
  await base.advance(500);
  expect([clock.now() - base.now(), clock.monotonic() - base.monotonic()]).toEqual([skewMs, 0]);
});

it('waits as the other clock does, also when the skew changes meanwhile', async () => {
  const base = new FakeClock();
  const clock = new SkewedClock(base);
  const done: string[] = [];
  void clock.sleep(1_000).then(() => done.push('sleep'));
  clock.after(1_000, () => done.push('timer'));
  clock.skewMs = 10_000;
  await base.advance(999);
  expect(done).toEqual([]);
  await base.advance(1);
  expect(done.sort()).toEqual(['sleep', 'timer']);
  expect(base.pending).toBe(0);
});

it('rejects a sleep whose signal aborts, and cancels a timer', async () => {
  const base = new FakeClock();
  const clock = new SkewedClock(base);
  const leave = new AbortController();
  const sleep = clock.sleep(1_000, { signal: leave.signal });
  const timer = clock.after(1_000, () => expect.unreachable());
  leave.abort(new Error('left'));
  timer.cancel();
  await expect(sleep).rejects.toThrow('left');
  expect(base.pending).toBe(0);
});
