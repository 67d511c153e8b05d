import { expect, it } from 'vitest';
import { Fence, momentOf } from '../../../src/controller/election/fence.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

it.each([
  ['the period, while an answer in time is sure', 2_000, 5_000, 0, 2_000],
  ['less than the period, so that a late answer comes before the fence shuts', 11_000, 7_000, 0, 8_000],
  ['less again after an answer that was late', 11_000, 7_000, 6_500, 1_500],
  ['a part of the time left where no late answer would come in time', 11_000, 14_500, 7_000, 1_000],
  ['no time when the fence is shut', 11_000, 7_000, 20_000, 0],
])('the pause to the next renewal is %s', (_, periodMs, answerMs, ageMs, pauseMs) => {
  const clock = new FakeClock();
  const fence = new Fence(clock, 15_000);
  expect(fence.pauseMs(periodMs, answerMs)).toBe(periodMs);
  fence.renewed(momentOf(clock));
  clock.tick(ageMs);
  expect(fence.pauseMs(periodMs, answerMs)).toBe(pauseMs);
});

it('a fence is open for its limit after its last renewal, by the clock that is ahead, and not when it is closed', () => {
  const clock = new FakeClock();
  const fence = new Fence(clock, 15_000);
  expect([fence.isOpen, fence.openMs, fence.leftMs]).toEqual([false, 0, undefined]);
  fence.renewed(momentOf(clock));
  clock.tick(14_999);
  expect([fence.isOpen, fence.openMs, fence.leftMs]).toEqual([true, 1, 1]);
  clock.tick(1);
  expect([fence.isOpen, fence.openMs, fence.leftMs]).toEqual([false, 0, 0]);
  clock.tick(5000);
  expect([fence.isOpen, fence.openMs, fence.leftMs]).toEqual([false, 0, -5000]);
  fence.renewed(momentOf(clock));
  expect(fence.isOpen).toBe(true);
  fence.close();
  expect([fence.isOpen, fence.openMs]).toEqual([false, 0]);
});
