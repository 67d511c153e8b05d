import { HugeNumber, hasMember } from '../../kit/exact-json.ts';
import { compareText } from '../../kit/text-order.ts';
import { compareQuantities, Quantity } from '../../model/quantity.ts';
import {
  BLANK,
  type CelMap,
  type CelNumber,
  celFailure,
  Duration,
  durationIn,
  isInt,
  isMap,
  isNumber,
  MISSING,
  Optional,
  TypeName,
  typeNameOf,
  whole,
} from './cel-values.ts';
import { IpAddress, IpBlock } from './ip-address.ts';
import { KeyedMap } from './keyed-map.ts';
import { compareTimes, nanosOf, parseTime, timeBetween, timeOfNanos } from './times.ts';
import { workOfComparing, workOfMaking } from './work.ts';

/** The rules by which two values are compared. */
export interface Comparison {
  equal(a: unknown, b: unknown): boolean;
  /** Negative, 0 or positive. NaN if the values have no order, so that every `<` and `>` is false. May fail. */
  order(a: unknown, b: unknown): number;
  /** Converts an argument before a function gets it. Default: no conversion. */
  argument?(value: unknown): unknown;
}

/** A value as a condition: a missing value and a blank cell are false. Fails for any other value that is no bool. */
export function isYes(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  return value === MISSING || value === BLANK ? false : celFailure(`expected true or false, got ${typeNameOf(value)}`);
}

/** CEL's equality: deep, by value. Values of different types are unequal; all numbers have one type. */
export function equal(a: unknown, b: unknown): boolean {
  workOfComparing(a);
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return isSameNumber(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (isMap(a)) return isMap(b) && equalMaps(a, b);
  if (a instanceof KeyedMap) return b instanceof KeyedMap && equalKeyed(a, b);
  if (a instanceof Date) return b instanceof Date && compareTimes(a, b) === 0;
  if (a instanceof Duration) return b instanceof Duration && Duration.compare(a, b) === 0;
  if (a instanceof Quantity) return b instanceof Quantity && a.nano === b.nano;
  if (a instanceof IpAddress) return b instanceof IpAddress && a.family === b.family && a.bits === b.bits;
  if (a instanceof IpBlock) return b instanceof IpBlock && a.prefix === b.prefix && equal(a.address, b.address);
  if (a instanceof TypeName) return b instanceof TypeName && a.name === b.name;
  if (a instanceof Optional) return b instanceof Optional && equal(a.value, b.value);
  if (a instanceof HugeNumber) return isSameNumber(a, b);
  return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0;
}

function equalKeyed(a: KeyedMap, b: KeyedMap): boolean {
  workOfMaking('list', a.size);
  return a.size === b.size && a.entries().every(([key, value]) => equal(value, b.get(key)));
}

/** Compares a bigint with a number exactly. */
function isSameNumber(a: unknown, b: unknown): boolean {
  const [left, right] = [numeric(a), numeric(b)];
  return isNumber(left) && isNumber(right) && left >= right && left <= right;
}

/** A number beyond the range of doubles counts as infinite. */
const numeric = (value: unknown) => (value instanceof HugeNumber ? value.valueOf() : value);

function equalMaps(a: CelMap, b: CelMap): boolean {
  const keys = Object.keys(a);
  workOfMaking('list', keys.length);
  return keys.length === Object.keys(b).length && keys.every((key) => hasMember(b, key) && equal(a[key], b[key]));
}

/**
 * The order of two values: negative, 0 or positive. NaN if a side has no value (null, `<none>`, NaN), so that every
 * comparison with it is false. A string that is compared with a time or a duration is parsed as one. Fails for other
 * values of different types.
 */
export function order(a: unknown, b: unknown): number {
  workOfComparing(a);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Duration || b instanceof Duration) return orderDurations(a, b);
  if (a instanceof Date || b instanceof Date) return orderTimes(a, b);
  if (a instanceof Quantity && b instanceof Quantity) return compareQuantities(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  return orderNumbers(numeric(a), numeric(b)) ?? noOrder(a, b);
}

function orderNumbers(a: unknown, b: unknown): number | undefined {
  if (!isNumber(a) || !isNumber(b)) return undefined;
  return a < b ? -1 : a > b ? 1 : a >= b ? 0 : Number.NaN;
}

function orderDurations(a: unknown, b: unknown): number {
  const left = durationOf(a);
  const right = durationOf(b);
  return left === undefined || right === undefined ? noOrder(a, b) : Duration.compare(left, right);
}

function orderTimes(a: unknown, b: unknown): number {
  const left = timeOf(a);
  const right = timeOf(b);
  return left === undefined || right === undefined ? noOrder(a, b) : compareTimes(left, right);
}

function durationOf(value: unknown): Duration | undefined {
  if (value instanceof Duration) return value;
  return typeof value === 'string' ? durationIn(value) : undefined;
}

function timeOf(value: unknown): Date | undefined {
  if (value instanceof Date) return value;
  return typeof value === 'string' ? parseTime(value) : undefined;
}

function noOrder(a: unknown, b: unknown): number {
  return isNothing(a) || isNothing(b)
    ? Number.NaN
    : celFailure(`cannot compare ${typeNameOf(a)} with ${typeNameOf(b)}`);
}

/** Whether a value means "no value": null, an empty string, or what printed columns show: `<none>`, `<unknown>`. */
export const isNothing = (value: unknown) =>
  value === null || value === '' || (typeof value === 'string' && /^<[a-z ]+>$/.test(value));

/** `needle in haystack`: whether the needle is an item of the list or a key of the map. */
export function isIn(needle: unknown, haystack: unknown, isEqual: Comparison['equal'] = equal): boolean {
  if (Array.isArray(haystack)) return haystack.some((item) => isEqual(needle, item));
  if (haystack instanceof KeyedMap) return haystack.get(needle) !== MISSING;
  if (isMap(haystack)) return (typeof needle === 'string' || isNumber(needle)) && hasMember(haystack, String(needle));
  return haystack === null
    ? false
    : celFailure(`in takes a list or a map on its right side, got ${typeNameOf(haystack)}`);
}

/**
 * Addition of numbers, strings, lists, bytes, times and durations. Whole numbers are exact, and fail with an overflow
 * beyond 64 bits, unless `asDoubles` is set. An operand of more than 64 bits is a double.
 */
export function add(a: unknown, b: unknown, asDoubles: boolean): unknown {
  if (isNumber(a) && isNumber(b)) return calculated(a, b, asDoubles, PLUS);
  if (typeof a === 'string' && typeof b === 'string') return joined(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return concatenated(a, b);
  if (a instanceof Duration && b instanceof Duration) return Duration.ofNanos(a.nanos + b.nanos);
  if (a instanceof Date && b instanceof Duration) return timeOfNanos(nanosOf(a) + b.nanos);
  if (a instanceof Duration && b instanceof Date) return timeOfNanos(a.nanos + nanosOf(b));
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.concat([a, b]);
  return unlike('add', a, b);
}

function joined(a: string, b: string): string {
  workOfMaking('text', a.length + b.length);
  return a + b;
}

function concatenated(a: readonly unknown[], b: readonly unknown[]): unknown[] {
  workOfMaking('list', a.length + b.length);
  return [...a, ...b];
}

/**
 * Subtraction of numbers, times and durations; see {@link add} for numbers. A string beside a time is parsed as one.
 */
export function subtract(a: unknown, b: unknown, asDoubles: boolean): unknown {
  if (isNumber(a) && isNumber(b)) return calculated(a, b, asDoubles, MINUS);
  if (a instanceof Duration && b instanceof Duration) return Duration.ofNanos(a.nanos - b.nanos);
  const time = timeOf(a);
  if (time && b instanceof Duration) return timeOfNanos(nanosOf(time) - b.nanos);
  const since = timeOf(b);
  return time && since ? timeBetween(since, time) : unlike('subtract', b, a);
}

/** Multiplication of numbers; see {@link add}. */
export function multiply(a: unknown, b: unknown, asDoubles: boolean): unknown {
  return isNumber(a) && isNumber(b) ? calculated(a, b, asDoubles, TIMES) : unlike('multiply', a, b);
}

/** Division of numbers. That of whole numbers drops the remainder, as in CEL, unless one is written as a double. */
export function divide(a: unknown, b: unknown, asDoubles: boolean): unknown {
  if (!isNumber(a) || !isNumber(b)) return unlike('divide', a, b);
  if (asDoubles || !isInt(a) || !isInt(b)) return Number(a) / Number(b);
  if (Number(b) === 0) return celFailure('division by zero');
  return typeof a === 'number' && typeof b === 'number' ? Math.trunc(a / b) + 0 : whole(BigInt(a) / BigInt(b));
}

export function modulo(a: unknown, b: unknown): unknown {
  if (!isNumber(a) || !isNumber(b) || !isInt(a) || !isInt(b)) return unlike('take the remainder of', a, b);
  if (Number(b) === 0) return celFailure('modulus by zero');
  return typeof a === 'number' && typeof b === 'number' ? (a % b) + 0 : whole(BigInt(a) % BigInt(b));
}

/** The number or duration with the opposite sign. */
export function negate(value: unknown): unknown {
  if (typeof value === 'number') return -value;
  if (value instanceof Duration) return Duration.ofNanos(-value.nanos);
  if (typeof value !== 'bigint') return celFailure(`cannot negate ${typeNameOf(value)}`);
  return isInt(value) ? whole(-value) : -Number(value);
}

interface Operation {
  readonly ofDoubles: (a: number, b: number) => number;
  readonly ofInts: (a: bigint, b: bigint) => bigint;
}

const PLUS: Operation = { ofDoubles: (a, b) => a + b, ofInts: (a, b) => a + b };
const MINUS: Operation = { ofDoubles: (a, b) => a - b, ofInts: (a, b) => a - b };
const TIMES: Operation = { ofDoubles: (a, b) => a * b, ofInts: (a, b) => a * b };

function calculated(a: CelNumber, b: CelNumber, asDoubles: boolean, { ofDoubles, ofInts }: Operation): CelNumber {
  if (asDoubles || !isInt(a) || !isInt(b)) return ofDoubles(Number(a), Number(b));
  const result = typeof a === 'number' && typeof b === 'number' ? ofDoubles(a, b) : undefined;
  return Number.isSafeInteger(result) ? (result as number) : whole(ofInts(BigInt(a), BigInt(b)));
}

function unlike(verb: string, a: unknown, b: unknown): never {
  return celFailure(`cannot ${verb} ${typeNameOf(a)} and ${typeNameOf(b)}`);
}
