import type { Clock } from '../kit/clock.ts';

/** The form of an event's time: the local time of day, RFC 3339, or the time since the start of printing. */
export type Timestamps = 'received' | 'rfc3339' | 'relative';

/** All forms, the default first. */
export const TIMESTAMPS: readonly Timestamps[] = ['received', 'rfc3339', 'relative'];

/**
 * Creates the function that formats the `time` of an event: `14:03:07.120`, `2026-01-01T13:03:07.120Z` or `+3m7.1s`.
 * Relative times start at this call.
 */
export function timeTexts(how: Timestamps, clock: Pick<Clock, 'now'>): (time: string) => string {
  if (how === 'rfc3339') return (time) => time;
  if (how === 'received') return (time) => localTime(time);
  const startedAt = clock.now();
  return (time) => relativeTime(Date.parse(time) - startedAt);
}

/** The local time of day of an RFC 3339 time, with or without milliseconds. */
export function localTime(time: string, precision: 'milliseconds' | 'seconds' = 'milliseconds'): string {
  const date = new Date(time);
  const two = (n: number) => String(n).padStart(2, '0');
  const seconds = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return precision === 'seconds' ? seconds : `${seconds}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

function relativeTime(ms: number): string {
  const tenths = Math.round(Math.abs(ms) / 100);
  const seconds = `${((tenths % 600) / 10).toFixed(1)}s`;
  const minutes = Math.trunc(tenths / 600);
  const text =
    minutes === 0
      ? seconds
      : minutes < 60
        ? `${minutes}m${seconds}`
        : `${Math.trunc(minutes / 60)}h${minutes % 60}m${seconds}`;
  return ms < 0 && tenths > 0 ? `-${text}` : `+${text}`;
}
