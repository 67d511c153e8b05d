import { parseLongDuration } from '../../kit/duration.ts';
import { HugeNumber } from '../../kit/exact-json.ts';
import { Quantity } from '../../model/quantity.ts';
import { IpAddress, IpBlock } from './ip-address.ts';

/**
 * The value of a key that an object does not have. A yes-or-no operation on it is false; every other operation on it
 * gives MISSING again.
 */
export const MISSING: unique symbol = Symbol('missing');

/** An empty cell of a boolean column: false as a condition, the empty string for everything else. */
export const BLANK: unique symbol = Symbol('blank');

/** A duration. */
export class Duration {
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  /** The duration in seconds, as CEL prints it: `90s`. */
  toString(): string {
    return `${this.ms / 1000}s`;
  }
}

/** The result of `a.?b` and `optional.of()`. */
export class Optional {
  /** The value, or MISSING. */
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** A type as a value: the result of `type()`, and the value of the names `int`, `string` and so on. */
export class TypeName {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A failure of one evaluation. Its message names types and functions, never a value, because the object may be a
 * Secret.
 */
export class CelFailure extends Error {
  /** The offset in the source, once it is known. */
  at: number | undefined;
}

/** Throws a {@link CelFailure}. */
export function celFailure(message: string): never {
  throw new CelFailure(message);
}

export type CelMap = Readonly<Record<string, unknown>>;

/** A number of CEL. A whole number beyond 2^53 is a bigint. */
export type CelNumber = number | bigint;

export function isNumber(value: unknown): value is CelNumber {
  return typeof value === 'number' || typeof value === 'bigint';
}

const LEAST_INT = -(2n ** 63n);
const MOST_INT = 2n ** 63n - 1n;

/**
 * Whether a number is an int. JSON has one kind of numbers, so every whole number of 64 bits is an int. A number beyond
 * 2^53 that is no bigint was written as a double.
 */
export function isInt(value: CelNumber): boolean {
  return typeof value === 'bigint' ? value >= LEAST_INT && value <= MOST_INT : Number.isSafeInteger(value);
}

/** An int as evaluations represent it. Fails with an overflow beyond 64 bits. */
export function whole(value: bigint): CelNumber {
  if (!isInt(value)) return celFailure('integer overflow');
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Whether a value is a map of CEL: a plain object, no instance of a class. */
export function isMap(value: unknown): value is CelMap {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The name of a value's type, for messages and for `type()`. Every whole number of 64 bits is an int. */
export function typeNameOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return isInt(value) ? 'int' : 'double';
    case 'object':
      return objectTypeName(value);
    default:
      return 'missing';
  }
}

function objectTypeName(value: object | null): string {
  if (value === null) return 'null_type';
  if (value instanceof HugeNumber) return 'double';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Date) return 'google.protobuf.Timestamp';
  if (value instanceof Quantity) return 'quantity';
  if (value instanceof Optional) return 'optional';
  if (value instanceof TypeName) return 'type';
  if (value instanceof IpAddress) return 'net.IP';
  if (value instanceof IpBlock) return 'net.CIDR';
  return value instanceof Uint8Array ? 'bytes' : 'map';
}

/**
 * Parses an age as kubectl prints it (`5m`, `3d4h`, `2y10d`) or a Go duration. Returns milliseconds; undefined for any
 * other text.
 */
export function parseAge(text: string): number | undefined {
  try {
    return parseLongDuration(text);
  } catch {
    return undefined;
  }
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

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
  const [, year, month, day] = RFC3339.exec(text) ?? [];
  if (day === undefined || new Date(`${year}-${month}-${day}`).getUTCDate() !== Number(day)) return undefined;
  const time = new Date(text);
  return time.getTime() >= EARLIEST && time.getTime() <= LATEST ? time : undefined;
}
