import { describe, expect, it } from 'vitest';
import { TokenBucket } from '../../../src/client/http/token-bucket.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

describe('TokenBucket', () => {
  it('lets a burst through at once, then requests at its rate, in the order of the calls', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ qps: 10, burst: 2, clock });
    const passed: number[] = [];
    for (const n of [1, 2, 3, 4]) void bucket.take().then(() => passed.push(n));
    await settled();
    expect(passed).toEqual([1, 2]);
    await clock.advance(100);
    expect(passed).toEqual([1, 2, 3]);
    await clock.advance(100);
    expect(passed).toEqual([1, 2, 3, 4]);
    clock.tick(10_000);
    expect([await bucket.take(), await bucket.take()]).toEqual([0, 0]);
    const third = bucket.take();
    await clock.advance(100);
    expect(await third).toBeCloseTo(100);
  });

  it.each([
    { qps: 50, burst: 300, idleMs: 0, taken: 305, waits: [20, 40, 60, 80, 100] },
    { qps: 5, burst: 10, idleMs: 0, taken: 12, waits: [200, 400] },
    { qps: 5, burst: 10, idleMs: 400, taken: 14, waits: [200, 400], before: 10 },
    { qps: 0.5, burst: 1, idleMs: 0, taken: 3, waits: [2000, 4000] },
    { qps: 50, burst: 0, idleMs: 0, taken: 2, waits: [20, 40] },
  ])(
    'of $qps a second and bursts of $burst makes $taken callers wait $waits ms at the end',
    async ({ before, ...row }) => {
      const clock = new FakeClock();
      const bucket = new TokenBucket({ qps: row.qps, burst: row.burst, clock });
      for (let i = 0; i < (before ?? 0); i++) await bucket.take();
      clock.tick(row.idleMs);
      const waits = Promise.all(Array.from({ length: row.taken - (before ?? 0) }, () => bucket.take()));
      await clock.advance(10_000);
      expect((await waits).filter((ms) => ms > 0).map(Math.round)).toEqual(row.waits);
    },
  );

  it('returns the token when the wait is aborted', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ qps: 1, burst: 1, clock });
    await bucket.take();
    const controller = new AbortController();
    const waiting = bucket.take(controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
    clock.tick(1000);
    expect(await bucket.take()).toBe(0);
  });

  it.each([-1, Number.POSITIVE_INFINITY])('does not delay at a rate of %d', async (qps) => {
    const bucket = new TokenBucket({ qps, burst: 1, clock: new FakeClock() });
    for (let i = 0; i < 100; i++) expect(await bucket.take()).toBe(0);
  });
});
