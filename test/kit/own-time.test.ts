import { expect, it } from 'vitest';
import { afterOwnTime } from '../../src/kit/own-time.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';

/** A clock of a process that is suspended for a time: its next timer is that late. */
class SuspendedClock extends FakeClock {
  lateMs = 0;

  override after(ms: number, run: () => void) {
    const late = this.lateMs;
    this.lateMs = 0;
    return super.after(ms + late, run);
  }
}

function limit(lateMs = 0) {
  const clock = new SuspendedClock();
  clock.lateMs = lateMs;
  const at: number[] = [];
  const timer = afterOwnTime(clock, 5000, () => void at.push(clock.monotonic()));
  return { clock, at, timer };
}

it('ends at its time in a process that runs', async () => {
  const { clock, at } = limit();
  await clock.advance(4999);
  expect(at).toEqual([]);
  await clock.advance(1);
  expect(at).toEqual([5000]);
  expect(clock.pending).toBe(0);
});

it('begins again in a process that was suspended: what was sent to it meanwhile is still unread', async () => {
  const { clock, at } = limit(60_000);
  await clock.advance(69_999);
  expect(at).toEqual([]);
  await clock.advance(1);
  expect(at).toEqual([70_000]);
});

it('does not end before the input that waits is handled: that may cancel it', async () => {
  const { clock, at, timer } = limit();
  setImmediate(() => timer.cancel());
  clock.tick(5000);
  await settled();
  expect(at).toEqual([]);
});

it('leaves no timer when it is cancelled', () => {
  const { clock, timer } = limit();
  timer.cancel();
  timer[Symbol.dispose]();
  expect(clock.pending).toBe(0);
});
