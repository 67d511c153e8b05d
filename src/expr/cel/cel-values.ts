import { parseLongDuration } from '../../kit/duration.ts';
import { HugeNumber } from '../../kit/exact-json.ts';
import { withoutEnd } from '../../kit/without-end.ts';
import { Quantity } from '../../model/quantity.ts';
import { IpAddress, IpBlock } from './ip-address.ts';

/**
 * The value of a key that an object does not have. A yes-or-no operation on it is false; every other operation on it
 * gives MISSING again.
 */
export const MISSING: unique symbol = Symbol('missing');

/** An empty cell of a boolean column: false as a condition, the empty string for everything else. */
export const BLANK: unique symbol = Symbol('blank');

/** A duration, exact to a nanosecond. */
export class Duration {
  readonly ms: number;
  /** Only of a duration that is not a whole number of milliseconds, because bigints are slow. */
  readonly #nanos: bigint | undefined;

  constructor(ms: number, nanos?: bigint) {
    this.ms = ms;
    this.#nanos = nanos;
  }

  /** Fails with an overflow beyond 292 years, as Go does. */
  static ofNanos(nanos: bigint): Duration {
    if (!isInt(nanos)) return celFailure('duration overflow');
    return new Duration(Number(nanos) / 1e6, nanos % MILLION === 0n ? undefined : nanos);
  }

  /** Negative, 0 or positive, as `a` is shorter than, equal to or longer than `b`. */
  static compare(a: Duration, b: Duration): number {
    return a.#nanos === undefined && b.#nanos === undefined ? a.ms - b.ms : Number(a.nanos - b.nanos);
  }

  get nanos(): bigint {
    return this.#nanos ?? BigInt(Math.trunc(this.ms)) * MILLION + BigInt(Math.round((this.ms % 1) * 1e6));
  }

  /** The duration in seconds, as CEL prints it: `90s`. */
  toString(): string {
    const seconds = Number(this.nanos / BILLION) + Number(this.nanos % BILLION) / 1e9;
    return `${Math.abs(seconds) < 1e-6 && seconds !== 0 ? withoutEnd(seconds.toFixed(9), '0') : seconds}s`;
  }
}

const MILLION = 1_000_000n;
const BILLION = 1_000_000_000n;

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

/** The duration that a text writes, exactly; undefined for any other text. It takes what {@link parseAge} takes. */
export function durationIn(text: string): Duration | undefined {
  if (text !== latest.text) latest = { text, duration: parseDuration(text) };
  return latest.duration;
}

/** The text read last. A filter compares every object with the same one. */
let latest: { readonly text: string; readonly duration: Duration | undefined } = { text: '', duration: undefined };

function parseDuration(text: string): Duration | undefined {
  if (parseAge(text) === undefined) return undefined;
  const nanos = Array.from(
    text.matchAll(/(\d*)(?:\.(\d*))?([a-zµμ]+)/g),
    ([, whole = '', fraction = '', unit = '']) => {
      const scale = UNIT_NANOS[unit] ?? 0n;
      return BigInt(whole || 0) * scale + (BigInt(fraction || 0) * scale) / 10n ** BigInt(fraction.length);
    },
  );
  const total = nanos.reduce((sum, part) => sum + part, 0n);
  return Duration.ofNanos(text.startsWith('-') ? -total : total);
}

const UNIT_NANOS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: MILLION,
  s: BILLION,
  m: 60n * BILLION,
  h: 3600n * BILLION,
  d: 86_400n * BILLION,
  y: 31_536_000n * BILLION,
};
