import { expect, it } from 'vitest';
import { HandlerResync } from '../../../src/informer/handlers/handler-resync.ts';

it('is due before the first check, then at the first check after each period', () => {
  const schedule = new HandlerResync(10, 100);
  expect(schedule.isDue).toBe(true);
  const checks = [105, 109, 110, 111, 119, 120, 145, 150, 155].map((at) => [at, schedule.check(at)]);
  expect(checks.filter(([, isDue]) => isDue).map(([at]) => at)).toEqual([110, 120, 145, 155]);
});

it('remembers the result of the last check', () => {
  const schedule = new HandlerResync(10, 0);
  schedule.check(5);
  expect(schedule.isDue).toBe(false);
  schedule.check(10);
  expect(schedule.isDue).toBe(true);
});

it('is never due at a check with a period of 0', () => {
  const schedule = new HandlerResync(0, 0);
  expect([schedule.check(0), schedule.check(1e9)]).toEqual([false, false]);
});
