import { parseLongDuration } from '../../kit/duration.ts';
import { HugeNumber, isContainer } from '../../kit/exact-json.ts';
import { Quantity } from '../../model/quantity.ts';
import { IpAddress, IpBlock } from './ip-address.ts';

/** What reading a key that is not there gives. It passes through everything but questions, which it answers with no. */
export const MISSING: unique symbol = Symbol('missing');

/** An empty cell of a boolean column: it answers a question with no, and is the empty text to everything else. */
export const BLANK: unique symbol = Symbol('blank');

/** A length of time. */
export class Duration {
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  /** As CEL prints it: seconds. */
  toString(): string {
    return `${this.ms / 1000}s`;
  }
}

/** What `a.?b` and `optional.of()` give. */
export class Optional {
  /** MISSING when there is none. */
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** What `type()` gives, and what `int`, `string` and the others name. */
export class TypeName {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A failure of one evaluation, and where in the source it happened once that is known. Its message names types and places, never a
 * value: an object may be a Secret.
 */
export class CelFailure extends Error {
  at: number | undefined;
}

export function failure(message: string): never {
  throw new CelFailure(message);
}

export type Fields = Readonly<Record<string, unknown>>;

/** A number of CEL: whole ones beyond 2^53 are bigints. */
export type CelNumber = number | bigint;

export function isNumber(value: unknown): value is CelNumber {
  return typeof value === 'number' || typeof value === 'bigint';
}

const LEAST_INT = -(2n ** 63n);
const MOST_INT = 2n ** 63n - 1n;

/** Whether a number is an int: JSON does not tell, so every whole number of 64 bits is one. Numbers beyond 2^53 that are no bigint were written as doubles. */
export function isInt(value: CelNumber): boolean {
  return typeof value === 'bigint' ? value >= LEAST_INT && value <= MOST_INT : Number.isSafeInteger(value);
}

/** An int as expressions have it. Fails beyond 64 bits. */
export function whole(value: bigint): CelNumber {
  if (!isInt(value)) return failure('integer overflow');
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Whether a value is a map of CEL: a plain object, none of the classes above. */
export function isMap(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The name of a value's type, for messages and for `type()`. A whole number is an int, for JSON does not tell. */
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

const TEXTUAL = [Duration, Quantity, IpAddress, IpBlock];

/** What leaves an evaluation: JSON values. A time is RFC 3339 text, a duration its seconds (`300s`), what is missing undefined. */
export function toPlain(value: unknown): unknown {
  if (value === MISSING) return undefined;
  if (value === BLANK) return '';
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(toPlain);
  if (value instanceof Date) return value.toISOString();
  if (TEXTUAL.some((type) => value instanceof type)) return String(value);
  if (value instanceof Optional) return toPlain(value.value);
  if (value instanceof TypeName) return value.name;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
}

/** Reads `5m`, `3d4h` and `2y10d` as kubectl prints an age, and Go durations, in milliseconds; undefined for anything else. */
export function parseAge(text: string): number | undefined {
  try {
    return parseLongDuration(text);
  } catch {
    return undefined;
  }
}

const RFC3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Reads an RFC 3339 time; undefined for anything else. */
export function parseTime(text: string): Date | undefined {
  if (!RFC3339.test(text)) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
