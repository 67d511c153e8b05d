import { withoutEnd } from '../kit/without-end.ts';

/** A moment: whole seconds since 1970 UTC, and the digits of the fraction of a second. */
export interface Instant {
  readonly seconds: number;
  readonly fraction: string;
}

const TIME =
  /^(\d{4})-(\d\d)(?:-(\d\d)(?:[Tt](\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(?:[Zz]|([+-])(\d\d):?(\d\d))?)?)?$/;

/**
 * Parses a time as Kubernetes writes it (RFC 3339), or its first parts: a month, a day, an hour. UTC where the text has
 * no zone. Undefined when the text is not a time.
 */
export function parseInstant(text: string): Instant | undefined {
  const [
    ,
    year,
    month,
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    sign,
    zoneHours,
    zoneMinutes,
  ] = TIME.exec(text) ?? [];
  if (year === undefined || month === undefined) return undefined;
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(local) || new Date(local).getUTCDate() !== Number(day)) return undefined;
  const offset = sign === undefined ? 0 : (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60 * (sign === '-' ? -1 : 1);
  return { seconds: local / 1000 - offset, fraction: withoutEnd(fraction, '0') };
}

/** Negative, 0 or positive, as `a` is before, at or after `b`. Compares every digit. */
export function compareInstants(a: Instant, b: Instant): number {
  if (a.seconds !== b.seconds) return a.seconds - b.seconds;
  if (a.fraction === b.fraction) return 0;
  return a.fraction < b.fraction ? -1 : 1;
}

/** A moment as Kubernetes writes it in metadata and conditions: RFC 3339 in UTC, whole seconds. `ms` since 1970. */
export function wireTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A moment as RFC 3339 in UTC, with as many digits of the second as it has. Source: Go's time.RFC3339Nano. */
export function preciseTime(time: Date): string {
  return time.toISOString().replace(/\.?0*Z$/, 'Z');
}
