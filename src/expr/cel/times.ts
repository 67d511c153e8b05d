import { withoutEnd } from '../../kit/without-end.ts';
import { preciseTime } from '../../model/instant.ts';
import { celFailure, Duration } from './cel-values.ts';

/** A time with digits beyond the milliseconds of a Date: MicroTime of Leases and Events has six. */
class FineTime extends Date {
  /** The nanoseconds behind the last whole millisecond. */
  readonly rest: number;

  constructor(ms: number, rest: number) {
    super(ms);
    this.rest = rest;
  }
}

const restOf = (time: Date) => (time instanceof FineTime ? time.rest : 0);

/** The nanoseconds between 1970 and a time. */
export const nanosOf = (time: Date): bigint => BigInt(time.getTime()) * MILLION + BigInt(restOf(time));

/** The time at a number of nanoseconds since 1970. Fails with an overflow outside of the years 1 to 9999. */
export function timeOfNanos(nanos: bigint): Date {
  const rest = ((nanos % MILLION) + MILLION) % MILLION;
  const time = timeAt(Number((nanos - rest) / MILLION));
  return rest === 0n ? time : new FineTime(time.getTime(), Number(rest));
}

/** Negative, 0 or positive, as `a` is before, at or after `b`. */
export const compareTimes = (a: Date, b: Date): number => a.getTime() - b.getTime() || restOf(a) - restOf(b);

export function timeBetween(from: Date, to: Date): Duration {
  const ms = to.getTime() - from.getTime();
  return restOf(from) === restOf(to) && Math.abs(ms) < LONGEST_MS
    ? new Duration(ms)
    : Duration.ofNanos(nanosOf(to) - nanosOf(from));
}

/** Somewhat less than the longest duration. */
const LONGEST_MS = 9e12;

/** The time as RFC 3339 in UTC, with as many digits of the second as it has. */
export function timeText(time: Date): string {
  const rest = restOf(time);
  if (rest === 0) return preciseTime(time);
  return time.toISOString().replace('Z', `${withoutEnd(String(rest).padStart(6, '0'), '0')}Z`);
}

const MILLION = 1_000_000n;

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.(\d+))?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** The first and the last millisecond of the years 1 to 9999, which are CEL's times. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** The time at a number of milliseconds since 1970. Fails with an overflow outside of the years 1 to 9999. */
export function timeAt(ms: number): Date {
  return ms >= EARLIEST && ms <= LATEST ? new Date(ms) : celFailure('timestamp overflow');
}

/**
 * Parses an RFC 3339 time of the years 1 to 9999. Returns undefined for any other text, also for a day that does not
 * exist.
 */
export function parseTime(text: string): Date | undefined {
  const [, year, month, day, fraction = ''] = RFC3339.exec(text) ?? [];
  if (day === undefined || new Date(`${year}-${month}-${day}`).getUTCDate() !== Number(day)) return undefined;
  const time = new Date(text);
  if (!(time.getTime() >= EARLIEST && time.getTime() <= LATEST)) return undefined;
  const rest = Number(fraction.padEnd(9, '0').slice(3, 9));
  return rest === 0 ? time : new FineTime(time.getTime(), rest);
}
