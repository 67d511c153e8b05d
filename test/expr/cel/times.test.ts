import { expect, it } from 'vitest';
import { compareTimes, nanosOf, parseTime, timeOfNanos, timeText } from '../../../src/expr/cel/times.ts';

it.each([
  ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.000Z'],
  ['2026-03-01T12:00:00.5+02:00', '2026-03-01T10:00:00.500Z'],
  ['2026-03-01', undefined],
  ['2026-03-01T12:00:00', undefined],
  ['2026-13-01T12:00:00Z', undefined],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-04-31T12:00:00+02:00', undefined],
  ['2026-03-01T24:00:00Z', undefined],
  ['2026-03-01T12:00:60Z', undefined],
  ['0000-12-31T00:00:00Z', undefined],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['yesterday', undefined],
])('the time %j is %s', (text, iso) => {
  expect(parseTime(text)?.toISOString()).toBe(iso);
});

it.each(['2026-03-01T12:00:00.123456789Z', '2026-03-01T12:00:00.000001Z', '1969-12-31T23:59:59.999999999Z'])(
  '%s keeps its nanoseconds',
  (text) => {
    const time = parseTime(text) as Date;
    expect(timeText(time)).toBe(text);
    expect(timeText(timeOfNanos(nanosOf(time)))).toBe(text);
  },
);

it('times are in order to the nanosecond', () => {
  const [early, late] = [timeOfNanos(1n), timeOfNanos(2n)];
  expect(compareTimes(early, late)).toBeLessThan(0);
  expect(compareTimes(late, early)).toBeGreaterThan(0);
  expect(compareTimes(late, timeOfNanos(2n))).toBe(0);
  expect(compareTimes(timeOfNanos(-1n), timeOfNanos(0n))).toBeLessThan(0);
});
