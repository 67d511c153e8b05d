import type { CronSchedule } from '../hooks/triggers/cron-schedule.ts';
import { parseDuration } from '../kit/duration.ts';
import { InformerError } from '../kit/error.ts';

/** The times of a crontab. */
export interface CrontabTimes {
  /** The first time after a moment, both in ms since the Unix epoch; undefined if there is none. */
  next(afterMs: number): number | undefined;
}

/** Reads cron expressions in a time zone. `parseSchedules` fits. */
type ReadSchedules = (texts: readonly string[], zone: string) => Promise<readonly CronSchedule[]>;

/**
 * Reads a crontab: five fields, six with seconds first, a word such as `@daily`, or `@every 90s`; with `TZ=ZONE` before
 * it in that time zone, else in the one of this machine. Source: robfig/cron v2.
 */
export async function readCrontab(crontab: string, read: ReadSchedules): Promise<CrontabTimes> {
  const [, zone, text = ''] = /^(?:TZ=(\S+)\s+)?(.*)$/s.exec(crontab.trim()) ?? [];
  const every = /^@every\s+(\S+)$/.exec(text)?.[1];
  if (every !== undefined) {
    const ms = Math.max(1000, Math.floor(parseDuration(every) / 1000) * 1000);
    if (parseDuration(every) <= 0) throw new InformerError('argument', `"${every}" is no time to wait`);
    return { next: (afterMs) => Math.floor(afterMs / 1000) * 1000 + ms };
  }
  const [schedule] = await read([text], zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  return schedule as CronSchedule;
}
