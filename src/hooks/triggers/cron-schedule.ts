import type { Cron as CronJob } from 'croner';
import { InformerError, messageOf } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';

/** The times of a cron expression in a time zone. */
export interface CronSchedule {
  /** The expression as it was given. */
  readonly text: string;
  readonly zone: string;
  /** The first time after a moment, both in ms since the Unix epoch; undefined if there is none. */
  next(afterMs: number): number | undefined;
}

/** The fields of a cron expression, for messages. An expression of five begins with the minute. */
const FIELDS = [
  ['second', '0-59'],
  ['minute', '0-59'],
  ['hour', '0-23'],
  ['day of the month', '1-31, or L for the last'],
  ['month', '1-12 or JAN-DEC'],
  ['day of the week', '0-7 or SUN-SAT'],
] as const;

/**
 * Reads cron expressions of five fields, of six with seconds first, or of a word such as `@daily`. Throws `argument`
 * with the field that cannot be read, for an expression whose time never comes, and for an unknown zone.
 */
export async function parseSchedules(texts: readonly string[], zone: string): Promise<CronSchedule[]> {
  if (texts.length === 0) return [];
  checkZone(zone);
  const { Cron } = await import('croner');
  // paused, and without a function: it computes times, and sets no timer
  const compile = (pattern: string) => new Cron(pattern, { paused: true, mode: '5-or-6-parts', timezone: zone });
  return texts.map((text) => scheduleOf(text, zone, compile));
}

function scheduleOf(text: string, zone: string, compile: (pattern: string) => CronJob): CronSchedule {
  const refuse = (why: string, hint?: string): never => {
    throw new InformerError('argument', `invalid argument "${text}" for "--schedule": ${why}`, { hint });
  };
  const words = text.trim().split(/\s+/);
  if (/^(CRON_)?TZ=/.test(words[0] ?? ''))
    refuse('a time zone has a flag of its own', 'leave TZ= out, and give --schedule-zone Europe/Berlin');
  const isWord = words.length === 1 && /^@\w+$/.test(words[0] ?? '');
  if (!isWord && words.length !== 5 && words.length !== 6)
    refuse(
      `expected 5 fields, or 6 with seconds first, and not ${words[0] === '' ? 0 : words.length}`,
      'for example "0 3 * * *" for 3:00 every day, or @daily',
    );
  try {
    const job = compile(words.join(' '));
    const next = (afterMs: number) => job.nextRun(new Date(afterMs))?.getTime();
    if (next(0) === undefined) refuse('this time never comes');
    return { text, zone, next };
  } catch (cause) {
    if (cause instanceof InformerError) throw cause;
    if (isWord) return refuse('an unknown word', 'known are @yearly, @monthly, @weekly, @daily and @hourly');
    return refuse(faultText(words, compile) ?? messageOf(cause));
  }
}

/** The first field that cannot be read, with what it may be. */
function faultText(words: readonly string[], compile: (pattern: string) => unknown): string | undefined {
  const fields = FIELDS.slice(-words.length);
  for (const [i, [name, range]] of fields.entries()) {
    try {
      compile(words.map((word, at) => (at === i ? word : '*')).join(' '));
    } catch {
      return `field ${i + 1} (${name}) is "${words[i]}", expected ${range}, *, lists (1,2), ranges (1-5) and steps (*/5)`;
    }
  }
  return undefined;
}

function checkZone(zone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch (cause) {
    const [near] = nearest(zone, Intl.supportedValuesOf('timeZone'), 1);
    throw new InformerError(
      'argument',
      `invalid argument "${zone}" for "--schedule-zone": there is no such time zone`,
      {
        cause,
        hint: near ? `did you mean ${near}?` : 'give a name such as Europe/Berlin, or UTC',
      },
    );
  }
}
