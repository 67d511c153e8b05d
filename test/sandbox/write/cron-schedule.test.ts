import { expect, it } from 'vitest';
import { isTimeZone, scheduleProblem } from '../../../src/sandbox/write/cron-schedule.ts';

it.each(['* * * * *', '*/5 0-6 1,15 jan-MAR mon', '0 0 ? * 1', '@daily', '@every 1h30m', '5/10 * * * *'])(
  '%s is a schedule',
  (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
  },
);

it.each([
  ['nope', 'expected exactly 5 fields, found 1: [nope]'],
  ['61 * * * *', 'end of range (61) above maximum (59): 61'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-2 * * * *', 'beginning of range (5) beyond end of range (2): 5-2'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['@never', 'unrecognized descriptor: @never'],
  ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
])('%s is refused: %s', (schedule, problem) => {
  expect(scheduleProblem(schedule)).toBe(problem);
});

it('a time zone is one of the database', () => {
  expect(['Europe/Berlin', 'UTC', 'Nope/X', '', '+01:00'].map(isTimeZone)).toEqual([true, true, false, false, false]);
});
