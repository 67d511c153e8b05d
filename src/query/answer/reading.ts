import { parseLongDuration } from '../../kit/duration.ts';
import { HugeNumber } from '../../kit/exact-json.ts';
import { type Decimal, parseDecimal } from '../../model/decimal.ts';
import { parseInstant } from '../../model/instant.ts';
import { parseQuantity } from '../../model/quantity.ts';

/**
 * The kinds of value as which a text can be counted. A text may be several: `5m` is five thousandths, and five minutes.
 */
export type ReadingKind = 'size' | 'duration' | 'time';

/** A value of an object as amounts; empty when it is none. */
export interface Reading {
  /** As it is written. */
  readonly text: string;
  /** It is a number of JSON, not a text. */
  readonly isNumber: boolean;
  /** A number or a quantity. */
  readonly size?: Decimal;
  /** In seconds. */
  readonly duration?: Decimal;
  /** In seconds since 1970. */
  readonly time?: Decimal;
}

/** Reads a value of an object, exactly. Undefined for null and for what is missing: there is no value. */
export function readingOf(value: unknown): Reading | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof HugeNumber) {
    const size = parseDecimal(String(value));
    return { text: String(value), isNumber: true, ...(size && { size }) };
  }
  if (typeof value !== 'string') return { text: '', isNumber: false };
  const [size, duration, time] = [sizeIn(value), durationIn(value), timeIn(value)];
  return { text: value, isNumber: false, ...(size && { size }), ...(duration && { duration }), ...(time && { time }) };
}

/** A number of any length, or a quantity as the API server reads it. */
function sizeIn(text: string): Decimal | undefined {
  if (!/^[-+.\d]/.test(text)) return undefined;
  const quantity = parseDecimal(text) ? undefined : parseQuantity(text);
  return quantity ? { digits: quantity.nano, scale: 9 } : parseDecimal(text);
}

function durationIn(text: string): Decimal | undefined {
  if (!/^[-+.\d].*[smhdy]$/.test(text)) return undefined;
  try {
    return { digits: BigInt(Math.round(parseLongDuration(text) * 1e6)), scale: 9 };
  } catch {
    return undefined;
  }
}

function timeIn(text: string): Decimal | undefined {
  const instant = /^\d{4}-/.test(text) ? parseInstant(text) : undefined;
  if (!instant) return undefined;
  const { seconds, fraction } = instant;
  return { digits: BigInt(seconds) * 10n ** BigInt(fraction.length) + BigInt(fraction || 0), scale: fraction.length };
}
