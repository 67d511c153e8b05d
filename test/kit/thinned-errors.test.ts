import { expect, it } from 'vitest';
import { createLogger } from '../../src/kit/logger.ts';
import { ThinnedErrors } from '../../src/kit/thinned-errors.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

it('logs the first ten failures of a minute, then the 16th, the 32nd and so on with their count', () => {
  const clock = new FakeClock();
  const errors = new ThinnedErrors(clock);
  const lines: unknown[] = [];
  const logger = createLogger((level, message, fields) => lines.push([level, message, fields.failures ?? fields.n]));
  for (let n = 1; n <= 100; n++) errors.report(logger, 'the handler threw', { n });
  const counts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64];
  expect(lines).toEqual(counts.map((count) => ['error', 'the handler threw', count]));
});

it('starts again after a minute', () => {
  const clock = new FakeClock();
  const errors = new ThinnedErrors(clock);
  let lines = 0;
  const logger = createLogger(() => lines++);
  for (let n = 0; n < 15; n++) errors.report(logger, 'x', {});
  expect(lines).toBe(10);
  clock.tick(59_999);
  errors.report(logger, 'x', {}); // the 16th
  errors.report(logger, 'x', {});
  expect(lines).toBe(11);
  clock.tick(1);
  errors.report(logger, 'x', {});
  expect(lines).toBe(12);
});
