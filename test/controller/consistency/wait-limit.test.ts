import { describe, expect, it } from 'vitest';
import { LONGEST_WAIT_MS, leftOfWaitMs } from '../../../src/controller/consistency/wait-limit.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const MINUTE = 60_000;

/** What is left of a wait that began `agoMs` ago, for a cache whose watch is in a state since `sinceMs` ago. */
function left(agoMs: number, state?: 'connected' | 'disconnected', sinceMs = 0, longestMs?: number): number {
  const clock = new FakeClock();
  clock.tick(LONGEST_WAIT_MS * 2);
  const continuity = state && { connection: { state, since: clock.now() - sinceMs } };
  return leftOfWaitMs(continuity as never, clock.monotonic() - agoMs, clock, longestMs);
}

describe('a cache is waited for', () => {
  it('for a minute of an open watch', () => {
    expect(left(0, 'connected', MINUTE)).toBe(MINUTE);
    expect(left(20_000, 'connected', 5 * MINUTE)).toBe(40_000);
    expect(left(MINUTE, 'connected', 5 * MINUTE)).toBe(0);
    expect(left(3 * MINUTE, 'connected', 20_000)).toBe(40_000);
  });

  it('for ten minutes at most, if its watch is not open, or not known', () => {
    for (const state of ['disconnected', undefined] as const) {
      expect(left(5 * MINUTE, state, 5 * MINUTE)).toBe(MINUTE);
      expect(left(9.5 * MINUTE, state, MINUTE)).toBe(30_000);
      expect(left(10 * MINUTE, state, MINUTE)).toBe(0);
    }
    expect(left(9.5 * MINUTE, 'connected', 0)).toBe(30_000);
    expect(LONGEST_WAIT_MS).toBe(10 * MINUTE);
  });

  it('for as long as was asked for', () => {
    expect(left(4_000, 'connected', MINUTE, 10_000)).toBe(6_000);
    expect(left(4_000, 'disconnected', MINUTE, 10_000)).toBe(10_000);
  });
});
