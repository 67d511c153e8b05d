import { describe, expect, it } from 'vitest';
import { parseSchedules } from '../../src/hooks/triggers/cron-schedule.ts';
import { readCrontab } from '../../src/shell-operator/crontab.ts';

const FROM = '2026-03-01T10:00:30.500Z';
async function times(crontab: string, count = 2): Promise<string[]> {
  const { next } = await readCrontab(crontab, parseSchedules);
  const found: string[] = [];
  for (let at: number | undefined = Date.parse(FROM); at !== undefined && found.length < count; ) {
    at = next(at);
    if (at !== undefined) found.push(new Date(at).toISOString().slice(0, 19));
  }
  return found;
}

describe('the times of a crontab', () => {
  it.each([
    ['TZ=UTC */5 * * * *', ['2026-03-01T10:05:00', '2026-03-01T10:10:00']],
    ['TZ=UTC */10 * * * * *', ['2026-03-01T10:00:40', '2026-03-01T10:00:50']],
    ['TZ=UTC @daily', ['2026-03-02T00:00:00', '2026-03-03T00:00:00']],
    ['TZ=Europe/Berlin 0 3 * * *', ['2026-03-02T02:00:00', '2026-03-03T02:00:00']],
    ['@every 90s', ['2026-03-01T10:02:00', '2026-03-01T10:03:30']],
    ['@every 1s', ['2026-03-01T10:00:31', '2026-03-01T10:00:32']],
  ])('come at %s', async (crontab, expected) => {
    expect(await times(crontab)).toEqual(expected);
  });

  it.each(['', 'often', '61 * * * *', '* * * *', '@every 0s', '@every soon', 'TZ=Nowhere/None * * * * *'])(
    'are none for %j',
    async (crontab) => {
      await expect(readCrontab(crontab, parseSchedules)).rejects.toThrow();
    },
  );
});
