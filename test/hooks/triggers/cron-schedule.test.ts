import { describe, expect, it } from 'vitest';
import { parseSchedules } from '../../../src/hooks/triggers/cron-schedule.ts';

const NOON = Date.UTC(2026, 2, 1, 12);

/** The first three times after noon of 1 March 2026, in UTC. */
async function timesOf(text: string, zone = 'UTC'): Promise<string[]> {
  const [schedule] = await parseSchedules([text], zone);
  const times: string[] = [];
  for (let at = schedule?.next(NOON); at !== undefined && times.length < 3; at = schedule?.next(at))
    times.push(new Date(at).toISOString().slice(5, 19));
  return times;
}

describe('a schedule', () => {
  it.each([
    ['*/20 * * * *', 'UTC', ['03-01T12:20:00', '03-01T12:40:00', '03-01T13:00:00']],
    ['30 0 3 * * *', 'UTC', ['03-02T03:00:30', '03-03T03:00:30', '03-04T03:00:30']],
    ['  0   3 *  * MON-WED ', 'UTC', ['03-02T03:00:00', '03-03T03:00:00', '03-04T03:00:00']],
    ['0 3 * * 7', 'UTC', ['03-08T03:00:00', '03-15T03:00:00', '03-22T03:00:00']],
    ['@daily', 'UTC', ['03-02T00:00:00', '03-03T00:00:00', '03-04T00:00:00']],
    ['0 3 * * SAT,SUN', 'Europe/Berlin', ['03-07T02:00:00', '03-08T02:00:00', '03-14T02:00:00']],
    ['0 12 28-30 3 *', 'Europe/Berlin', ['03-28T11:00:00', '03-29T10:00:00', '03-30T10:00:00']],
  ])('%s in %s has these times', async (text, zone, times) => {
    expect(await timesOf(text, zone)).toEqual(times);
  });

  it('has a time in the hour that a change to summer time leaves out, and one in the hour that comes twice', async () => {
    expect(await timesOf('30 2 29 3 *', 'Europe/Berlin')).toContain('03-29T01:00:00');
    const [schedule] = await parseSchedules(['30 2 25 10 *'], 'Europe/Berlin');
    const first = schedule?.next(NOON) ?? 0;
    expect([new Date(first).toISOString(), new Date(schedule?.next(first) ?? 0).getUTCFullYear()]).toEqual([
      '2026-10-25T00:30:00.000Z',
      2027,
    ]);
  });

  it.each([
    ['0 25 * * *', 'field 2 (hour) is "25", expected 0-23'],
    ['61 0 3 * * *', 'field 1 (second) is "61", expected 0-59'],
    ['0 0 1 13 *', 'field 4 (month) is "13", expected 1-12 or JAN-DEC'],
    ['0 0 * * XYZ', 'field 5 (day of the week) is "XYZ"'],
    ['*/0 * * * *', 'field 1 (minute) is "*/0"'],
    ['* * *', 'expected 5 fields, or 6 with seconds first, and not 3'],
    ['', 'and not 0'],
    ['0 0 1 1 * * 2026', 'and not 7'],
    ['2026-04-01T00:00:00', 'and not 1'],
    ['0 0 30 2 *', 'this time never comes'],
    ['@reboot', 'an unknown word'],
    ['TZ=UTC 0 3 * * *', 'a time zone has a flag of its own'],
  ])('%j is refused, with what is wrong', async (text, why) => {
    await expect(parseSchedules([text], 'UTC')).rejects.toMatchObject({
      code: 'argument',
      message: expect.stringContaining(`invalid argument "${text}" for "--schedule": `),
    });
    await expect(parseSchedules([text], 'UTC')).rejects.toThrow(why);
  });

  it('is in a zone that exists; a misspelt one has the nearest name', async () => {
    await expect(parseSchedules(['@daily'], 'Europe/Berln')).rejects.toMatchObject({
      code: 'argument',
      message: 'invalid argument "Europe/Berln" for "--schedule-zone": there is no such time zone',
      hint: 'did you mean Europe/Berlin?',
    });
  });
});
