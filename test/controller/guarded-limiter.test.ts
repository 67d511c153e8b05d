import { describe, expect, it } from 'vitest';
import { guardedLimiter } from '../../src/controller/guarded-limiter.ts';
import type { ReconcileRequest } from '../../src/controller/reconciler.ts';
import type { Clock } from '../../src/kit/clock.ts';
import { createLogger } from '../../src/kit/logger.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { ItemExponentialFailureRateLimiter, type RateLimiter } from '../../src/workqueue/rate-limiter.ts';
import { added, start } from '../support/controller.ts';

const fail = (): never => {
  throw new Error('no limit today');
};
const BROKEN: RateLimiter = { when: fail, forget: fail, numRequeues: fail };
const NOT_A_NUMBER: RateLimiter = { when: () => Number.NaN, forget() {}, numRequeues: () => '2' as unknown as number };

function recorded() {
  const lines: string[] = [];
  return {
    lines,
    logger: createLogger((level, message, { call, error }) => lines.push(`${level} ${message}: ${call} ${error}`)),
  };
}

it('passes on the answers of a limiter, and counts no failure of its own', () => {
  const { lines, logger } = recorded();
  const own = new ItemExponentialFailureRateLimiter(5, 1000);
  const limiter = guardedLimiter(own, new ItemExponentialFailureRateLimiter(1, 10), logger);
  expect([limiter.when('a'), limiter.when('a'), limiter.numRequeues('a')]).toEqual([5, 10, 2]);
  limiter.forget('a');
  expect([limiter.numRequeues('a'), own.numRequeues('a'), lines]).toEqual([0, 0, []]);
});

it('gives a limiter its clock, passes on which delay decided, and logs where either throws', () => {
  const { lines, logger } = recorded();
  const clocks: Clock[] = [];
  const own: RateLimiter = { ...BROKEN, useClock: (clock) => void clocks.push(clock), decidedBy: () => 'rate limit' };
  const [clock, other] = [new FakeClock(), new ItemExponentialFailureRateLimiter(1, 10)];
  const limiter = guardedLimiter(own, other, logger);
  limiter.useClock?.(clock);
  expect([clocks, limiter.decidedBy?.(), lines]).toEqual([[clock], 'rate limit', []]);
  const failing = guardedLimiter({ ...BROKEN, useClock: fail, decidedBy: fail }, other, logger);
  failing.useClock?.(clock);
  expect(failing.decidedBy?.()).toBeUndefined();
  expect(lines.map((line) => line.replace(/.*failed: /, ''))).toEqual([
    'useClock no limit today',
    'decidedBy no limit today',
  ]);
});

it.each([
  ['throws', BROKEN, 'no limit today'],
  ['returns no number', NOT_A_NUMBER, 'expected a number'],
])('if a limiter %s, the other one answers, and the error is logged', (_, own, error) => {
  const { lines, logger } = recorded();
  const limiter = guardedLimiter(own, new ItemExponentialFailureRateLimiter(5, 1000), logger);
  expect([limiter.when('a'), limiter.when('a')]).toEqual([5, 10]);
  expect(limiter.numRequeues('a')).toBe(2);
  expect(() => limiter.forget('a')).not.toThrow();
  expect(limiter.numRequeues('a')).toBe(0);
  expect(lines[0]).toContain('error the rate limiter failed: when');
  expect(lines[0]).toContain(error);
});

describe('a controller whose limiter', () => {
  it.each([
    ['throws', BROKEN],
    ['returns no number', NOT_A_NUMBER],
  ])('%s goes on, retries with delays, and parks a key after its retries', async (_, rateLimiter) => {
    const seen: string[] = [];
    const reconcile = ({ name, attempt }: ReconcileRequest) => {
      seen.push(`${name} ${attempt}`);
      if (name === 'web') throw new Error('still broken');
    };
    const { clock, events, controller, abort, run } = await start({
      reconcile,
      rateLimiter,
      maxRetries: 2,
      logger: recorded().logger,
    });
    events.emit(added('web'));
    await settled();
    expect([seen, clock.nextIn]).toEqual([['web 1'], 5]);
    await clock.advance(15);
    expect(seen).toEqual(['web 1', 'web 2', 'web 3']);
    expect(controller.parked).toMatchObject([{ key: 'shop/web', attempts: 3 }]);
    events.emit(added('other'));
    await settled();
    expect(seen.at(-1)).toBe('other 1');
    abort.abort();
    await run;
  });
});
