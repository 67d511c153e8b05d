import { InformerError } from './error.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 36e5,
};

/** The longest duration, 2^63 nanoseconds: about 292 years. */
const LONGEST_MS = 2 ** 63 / 1e6;

/**
 * Reads a Go duration (`300ms`, `1.5h`, `2h45m`, `-1s`, `0`) as milliseconds. Throws `argument` for any other text, and
 * for a duration of more than 292 years. Source: Go's time.ParseDuration.
 */
export function parseDuration(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  const body = text.replace(/^[+-]/, '');
  if (body === '0') return 0;
  const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
  let total = 0;
  while (part.lastIndex < body.length) {
    const found = part.exec(body);
    if (!found) throw invalid(text);
    total += Number(found[1]) * (UNIT_MS[found[2] as string] as number);
  }
  if (body === '') throw invalid(text);
  return sign * notTooLong(total, text);
}

const invalid = (text: string) =>
  new InformerError('argument', `invalid duration "${text}"`, { hint: 'write it as 30s, 5m or 1h30m' });

function notTooLong(ms: number, text: string): number {
  if (ms <= LONGEST_MS) return ms;
  throw new InformerError('argument', `invalid duration "${text}": it is longer than 292 years`);
}

const HUMAN = /^(?:(\d+)y)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;
const HUMAN_MS = [31_536_000_000, 86_400_000, 3_600_000, 60_000, 1_000];

/** Reads ages of kubectl (`1d`, `3d4h`, `2y10d`) and Go durations, as milliseconds. Throws `argument` for others. */
export function parseLongDuration(text: string): number {
  const found = text === '' ? null : HUMAN.exec(text);
  return found
    ? notTooLong(
        found.slice(1).reduce((sum, part, i) => sum + Number(part ?? 0) * (HUMAN_MS[i] as number), 0),
        text,
      )
    : parseDuration(text);
}

/** Prints an age as kubectl does: `45s`, `3m10s`, `5h2m`, `2y10d`. Source: apimachinery util/duration.HumanDuration. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 60 * 2) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 60 * 3) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) return two(days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(hours / 24 / 365);
  if (hours < 24 * 365 * 8) return two(years, 'y', days % 365, 'd');
  return `${years}y`;
}

function two(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;
}

/** As {@link humanDuration}, with milliseconds for less than a second: `250ms`. */
export const shortDuration = (ms: number) => (ms < 1000 ? `${Math.max(0, Math.round(ms))}ms` : humanDuration(ms));

/** As {@link humanDuration}, with tenths for less than ten seconds: `0.4s`. */
export const ageDuration = (ms: number) => (ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : humanDuration(ms));
