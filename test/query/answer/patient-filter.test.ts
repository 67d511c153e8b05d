import { describe, expect, it } from 'vitest';
import { placesPatiently } from '../../../src/query/answer/patient-filter.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

/** A clock on which each look at the time is `ms` later, and that counts how often other code could run. */
function slowClock(ms: number) {
  const clock = new FakeClock();
  let now = 0;
  const counted = { pauses: 0 };
  return {
    counted,
    clock: {
      ...clock,
      now: () => clock.now(),
      sleep: clock.sleep.bind(clock),
      after: clock.after.bind(clock),
      monotonic: () => (now += ms),
      yield: async () => void counted.pauses++,
    },
  };
}

describe('a patient filter', () => {
  it('finds the places of what matches, and leaves out what need not be looked at', async () => {
    const found = await placesPatiently([5, undefined, 2, 9, undefined, 7], (number) => number > 4, {
      clock: new FakeClock(),
      onProgress: () => {},
    });
    expect(found).toEqual([0, 3, 5]);
  });

  it('lets other code run every eight milliseconds, and says after two seconds how far it is, and again after twice as long', async () => {
    const said: number[] = [];
    const { clock, counted } = slowClock(500);
    const numbers = Array.from({ length: 64 * 12 }, (_, i) => i);
    await placesPatiently(numbers, () => false, { clock, onProgress: (count) => said.push(count) });
    expect(counted.pauses).toBe(12);
    expect(said).toEqual([192, 448]); // each 64 objects take a second here;
  });

  it.each([
    [7, 1],
    [8, 2],
  ])('when 64 objects take %i ms, lets other code run after every %i looks at the time', async (ms, looks) => {
    const clock = new FakeClock();
    let pauses = 0;
    const slow = Object.assign(Object.create(clock) as FakeClock, {
      monotonic: () => clock.monotonic(),
      yield: async () => void pauses++,
    });
    const numbers = Array.from({ length: 64 * 12 }, (_, i) => i);
    const matches = (n: number) => {
      if (n % 64 === 63) clock.tick(ms);
      return false;
    };
    await placesPatiently(numbers, matches, { clock: slow, onProgress: () => {} });
    expect(pauses).toBe(12 / (3 - looks));
  });

  it('says nothing and does not pause when it is fast', async () => {
    const said: number[] = [];
    const { clock, counted } = slowClock(0);
    await placesPatiently(Array(10_000).fill(1), () => true, { clock, onProgress: (count) => said.push(count) });
    expect([counted.pauses, said]).toEqual([0, []]);
  });
});
