import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../../src/controller/election/acquire-or-renew.ts';
import { TimedAttempts, timed } from '../../../src/controller/election/timed-attempts.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

const never = () => new Promise<never>(() => {});
const taken: Attempt = { kind: 'taken', by: 'other', own: undefined };

/** Attempts of which each takes as long as it may, unless it is said to answer. Gives the seconds that each one took. */
function attempts(renewDeadlineMs: number, leaseDurationMs: number) {
  const clock = new FakeClock();
  const all = new TimedAttempts(clock, { renewDeadlineMs, leaseDurationMs });
  const run = async (attempt: (signal: AbortSignal) => Promise<Attempt>, afterMs = Number.POSITIVE_INFINITY) => {
    let result: Attempt | undefined;
    const running = all.run(new AbortController().signal, attempt).then((ended) => {
      result = ended;
    });
    await settled();
    const startedAt = clock.monotonic();
    while (!result && clock.monotonic() - startedAt < afterMs) await clock.advance(500);
    await running;
    return { result: result as unknown as Attempt, seconds: (clock.monotonic() - startedAt) / 1000 };
  };
  return { clock, run };
}

describe('an attempt at a lease', () => {
  it.each([
    ['half of the deadline, then twice as long each time, up to the duration', 10_000, 15_000, [5, 10, 15, 15]],
    ['a second at least', 1_000, 1_500, [1, 1.5, 1.5]],
    ['a second at least, also where the lease is shorter', 600, 800, [1, 1]],
  ])('without an answer has %s', async (_, renewDeadlineMs, leaseDurationMs, expected) => {
    const { clock, run } = attempts(renewDeadlineMs, leaseDurationMs);
    for (const seconds of expected) {
      const attempt = await run(never);
      expect(attempt).toMatchObject({ result: { kind: 'failed' }, seconds });
      expect((attempt.result as { error: Error }).error.message).toBe(`no answer about the lease within ${seconds}s`);
    }
    expect(clock.pending).toBe(0);
  });

  it('has the first limit again after one that was answered', async () => {
    const { run } = attempts(10_000, 15_000);
    await run(never);
    expect((await run(async () => taken)).result).toBe(taken);
    expect((await run(never)).seconds).toBe(5);
  });

  it('that fails before its limit leaves the limit as it is', async () => {
    const { run } = attempts(10_000, 15_000);
    const error = new Error('refused');
    expect((await run(() => Promise.reject(error))).result).toEqual({ kind: 'failed', error });
    expect((await run(never)).seconds).toBe(5);
    expect((await run(() => Promise.reject(error))).result).toEqual({ kind: 'failed', error });
    expect((await run(never)).seconds).toBe(10);
  });

  it('ends with the signal that it was given, and its own signal ends with the limit', async () => {
    const clock = new FakeClock();
    const parent = new AbortController();
    let inner: AbortSignal | undefined;
    const task = (signal: AbortSignal) => {
      inner = signal;
      return never();
    };
    const late = expect(timed(clock, 2_500, task)).rejects.toThrow('no answer about the lease within 2.5s');
    await clock.advance(2_499);
    expect(inner?.aborted).toBe(false);
    await clock.advance(1);
    await late;
    expect(inner?.aborted).toBe(true);
    const reason = new Error('stopped');
    const stopped = expect(timed(clock, 2_500, task, parent.signal)).rejects.toBe(reason);
    parent.abort(reason);
    await stopped;
    expect([inner?.aborted, clock.pending]).toEqual([true, 0]);
    expect(await timed(clock, 2_500, async () => 7)).toBe(7);
    expect(clock.pending).toBe(0);
  });
});
