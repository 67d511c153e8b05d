import { celFailure, Duration, durationIn, isNumber, typeNameOf } from './cel-values.ts';
import { asNumber, asText, type CelFunction, define } from './function.ts';
import { parseTime, timeAt } from './times.ts';

const TIME = 'google.protobuf.Timestamp';
const SPAN = 'google.protobuf.Duration';

/**
 * The functions on times and durations. Every getter of a time takes a zone (`"Europe/Berlin"`, `"+02:00"`). The
 * default zone is UTC. Source: CEL's language definition.
 */
export const timeFunctions: readonly CelFunction[] = [
  define('timestamp', [`timestamp(${TIME}): ${TIME}`], toTime),
  define('duration', [`duration(${SPAN}): ${SPAN}`], toDuration),
  define('.getFullYear', [], (value, zone) => inZone(value, zone).getUTCFullYear()),
  define('.getMonth', [], (value, zone) => inZone(value, zone).getUTCMonth()),
  define('.getDate', [], (value, zone) => inZone(value, zone).getUTCDate()),
  define('.getDayOfMonth', [], (value, zone) => inZone(value, zone).getUTCDate() - 1),
  define('.getDayOfWeek', [], (value, zone) => inZone(value, zone).getUTCDay()),
  define('.getDayOfYear', [], (value, zone) => dayOfYear(inZone(value, zone))),
  define('.getHours', [], (value, zone) =>
    value instanceof Duration ? whole(value, 3_600_000) : inZone(value, zone).getUTCHours(),
  ),
  define('.getMinutes', [], (value, zone) =>
    value instanceof Duration ? whole(value, 60_000) : inZone(value, zone).getUTCMinutes(),
  ),
  define('.getSeconds', [], (value, zone) =>
    value instanceof Duration ? whole(value, 1000) : inZone(value, zone).getUTCSeconds(),
  ),
  define('.getMilliseconds', [], (value, zone) =>
    value instanceof Duration ? whole(value, 1) : inZone(value, zone).getUTCMilliseconds(),
  ),
];

function toTime(value: unknown): Date {
  if (value instanceof Date) return value;
  if (isNumber(value)) return timeAt(Number(value) * 1000);
  return (
    parseTime(asText(value)) ??
    celFailure('timestamp() cannot read this text: it takes RFC 3339, as 2026-01-31T12:00:00Z')
  );
}

function toDuration(value: unknown): Duration {
  if (value instanceof Duration) return value;
  return durationIn(asText(value)) ?? celFailure('duration() cannot read this text: it takes 30s, 5m, 1h30m or 2d');
}

const whole = ({ ms }: Duration, unit: number) => Math.trunc(ms / unit) + 0;

/** A time whose UTC fields are the local fields of the given time in the zone. */
function inZone(value: unknown, zone: unknown): Date {
  const time = value instanceof Date ? value : celFailure(`expected a timestamp, got ${typeNameOf(value)}`);
  if (zone === undefined || zone === '') return time;
  const offset = /^([+-]?)(\d\d?):(\d\d?)$/.exec(asText(zone));
  if (offset)
    return new Date(
      time.getTime() + (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3])) * 60_000,
    );
  return /^[A-Za-z]/.test(asText(zone)) ? zoned(time, asText(zone)) : celFailure(NO_ZONE);
}

const NO_ZONE = 'there is no such time zone';

function zoned(time: Date, timeZone: string): Date {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    const [, sign, hours = 0, minutes = 0, seconds = 0] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(time)) ?? [];
    const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return new Date(time.getTime() + (sign === '-' ? -offset : offset) * 1000);
  } catch {
    return celFailure(NO_ZONE);
  }
}

function dayOfYear(time: Date): number {
  return Math.floor((time.getTime() - Date.UTC(asNumber(time.getUTCFullYear()), 0, 1)) / 86_400_000);
}
