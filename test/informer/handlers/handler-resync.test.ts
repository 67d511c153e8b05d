import { describe, expect, it } from 'vitest';
import { HandlerResync, resyncPeriod } from '../../../src/informer/handlers/handler-resync.ts';
import { createLogger, silentLogger } from '../../../src/kit/logger.ts';

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

it('with a period is due at the first check that comes at its time, also at the start of the clock', () => {
  const schedule = new HandlerResync(1, 0);
  expect([schedule.check(0), schedule.check(1), schedule.check(1), schedule.check(2)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

describe('the resync period of a handler', () => {
  const NONE = 'a handler asked for resyncs of an informer that has none';
  const SHORT = 'a resync period was raised to the shortest one';
  const RUNNING = 'a resync period was raised to the check interval of the running informer';

  it.each<[string, number, { checkMs: number; isStarted: boolean }, { periodMs: number; checkMs: number }, unknown[]]>([
    ['0 is never', 0, { checkMs: 5000, isStarted: true }, { periodMs: 0, checkMs: 5000 }, []],
    ['0 is never, of any informer', 0, { checkMs: 0, isStarted: false }, { periodMs: 0, checkMs: 0 }, []],
    ['of an informer without resyncs is never', 1, { checkMs: 0, isStarted: false }, { periodMs: 0, checkMs: 0 }, [[NONE, { resyncMs: 1 }]]], // biome-ignore format: one row
    ['that is longer than the interval of the checks is its own', 9000, { checkMs: 5000, isStarted: true }, { periodMs: 9000, checkMs: 5000 }, []], // biome-ignore format: one row
    ['may be the interval of the checks', 5000, { checkMs: 5000, isStarted: true }, { periodMs: 5000, checkMs: 5000 }, []], // biome-ignore format: one row
    ['that is shorter shortens the interval, before the start', 3000, { checkMs: 5000, isStarted: false }, { periodMs: 3000, checkMs: 3000 }, []], // biome-ignore format: one row
    ['that is shorter is the interval, after the start', 3000, { checkMs: 5000, isStarted: true }, { periodMs: 5000, checkMs: 5000 }, [[RUNNING, { resyncMs: 3000, check: 5000 }]]], // biome-ignore format: one row
    ['is a second at least', 999, { checkMs: 5000, isStarted: false }, { periodMs: 1000, checkMs: 1000 }, [[SHORT, { resyncMs: 999, least: 1000 }]]], // biome-ignore format: one row
    ['may be a second', 1000, { checkMs: 5000, isStarted: false }, { periodMs: 1000, checkMs: 1000 }, []], // biome-ignore format: one row
  ])('%s', (_, wantedMs, informer, period, warnings) => {
    const logged: unknown[] = [];
    const logger = createLogger((level, message, fields) => level === 'warn' && logged.push([message, fields]));
    expect(resyncPeriod(wantedMs, { ...informer, logger })).toEqual(period);
    expect(logged).toEqual(warnings);
  });

  it.each([-1, Number.NaN])('is not %s', (wantedMs) => {
    expect(() => resyncPeriod(wantedMs, { checkMs: 0, isStarted: false, logger: silentLogger })).toThrow(
      `resyncMs must be a number not below 0, not ${wantedMs}`,
    );
  });
});
