import { HugeNumber } from '../../kit/exact-json.ts';
import { compareQuantities, Quantity } from '../../model/quantity.ts';
import { IpAddress, IpBlock } from './ip-address.ts';
import {
  BLANK,
  type CelNumber,
  Duration,
  type Fields,
  failure,
  isInt,
  isMap,
  isNumber,
  MISSING,
  Optional,
  parseAge,
  parseTime,
  TypeName,
  typeNameOf,
  whole,
} from './values.ts';

/** How two values are compared. */
export interface Comparison {
  equal(a: unknown, b: unknown): boolean;
  /** Negative, 0 or positive; NaN where there is no order, so that every `<` and `>` is false. May fail. */
  order(a: unknown, b: unknown): number;
  /** What a function gets for an argument. Default: the argument itself. */
  argument?(value: unknown): unknown;
}

/** The answer a value gives to a question: what is missing says no. Fails for anything that is no bool. */
export function isYes(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  return value === MISSING || value === BLANK ? false : failure(`expected true or false, got ${typeNameOf(value)}`);
}

/** CEL's equality: by value, all the way down; values of different types are unequal, numbers are all one type. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return isSameNumber(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (isMap(a)) return isMap(b) && equalMaps(a, b);
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime();
  if (a instanceof Duration) return b instanceof Duration && a.ms === b.ms;
  if (a instanceof Quantity) return b instanceof Quantity && a.nano === b.nano;
  if (a instanceof IpAddress) return b instanceof IpAddress && a.family === b.family && a.bits === b.bits;
  if (a instanceof IpBlock) return b instanceof IpBlock && a.prefix === b.prefix && equal(a.address, b.address);
  if (a instanceof TypeName) return b instanceof TypeName && a.name === b.name;
  if (a instanceof Optional) return b instanceof Optional && equal(a.value, b.value);
  if (a instanceof HugeNumber) return isSameNumber(a, b);
  return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0;
}

/** A bigint and a number are compared exactly. */
function isSameNumber(a: unknown, b: unknown): boolean {
  const [left, right] = [numeric(a), numeric(b)];
  return isNumber(left) && isNumber(right) && left >= right && left <= right;
}

/** A number that no double can hold counts as infinite. */
const numeric = (value: unknown) => (value instanceof HugeNumber ? value.valueOf() : value);

function equalMaps(a: Fields, b: Fields): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
}

/**
 * Negative, 0 or positive; NaN for what has no order because one side says it has no value (null, `<none>`, NaN), so that every
 * comparison with it is false. Text beside a time or a duration is read as one. Fails for other unlike types.
 */
export function order(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Duration || b instanceof Duration) return orderDurations(a, b);
  if (a instanceof Date || b instanceof Date) return orderTimes(a, b);
  if (a instanceof Quantity && b instanceof Quantity) return compareQuantities(a, b);
  return orderNumbers(numeric(a), numeric(b)) ?? noOrder(a, b);
}

function orderNumbers(a: unknown, b: unknown): number | undefined {
  if (!isNumber(a) || !isNumber(b)) return undefined;
  return a < b ? -1 : a > b ? 1 : a >= b ? 0 : Number.NaN;
}

function orderDurations(a: unknown, b: unknown): number {
  const left = durationMs(a);
  const right = durationMs(b);
  return left === undefined || right === undefined ? noOrder(a, b) : left - right;
}

function orderTimes(a: unknown, b: unknown): number {
  const left = timeMs(a);
  const right = timeMs(b);
  return left === undefined || right === undefined ? noOrder(a, b) : left - right;
}

function durationMs(value: unknown): number | undefined {
  if (value instanceof Duration) return value.ms;
  return typeof value === 'string' ? parseAge(value) : undefined;
}

function timeMs(value: unknown): number | undefined {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'string' ? parseTime(value)?.getTime() : undefined;
}

function noOrder(a: unknown, b: unknown): number {
  return isNothing(a) || isNothing(b) ? Number.NaN : failure(`cannot compare ${typeNameOf(a)} with ${typeNameOf(b)}`);
}

/** What printed columns show where there is no value: `<none>`, `<unknown>`, `<unset>`. */
export const isNothing = (value: unknown) => value === null || value === '' || (typeof value === 'string' && /^<[a-z ]+>$/.test(value));

/** `needle in haystack`: an item of a list or a key of a map. */
export function isIn(needle: unknown, haystack: unknown, isEqual: Comparison['equal'] = equal): boolean {
  if (Array.isArray(haystack)) return haystack.some((item) => isEqual(needle, item));
  if (isMap(haystack)) return (typeof needle === 'string' || isNumber(needle)) && Object.hasOwn(haystack, String(needle));
  return haystack === null ? false : failure(`cannot look for something in ${typeNameOf(haystack)}, only in a list or the keys of a map`);
}

/**
 * Arithmetic on numbers, and what CEL defines for text, lists, times and durations. Whole numbers are exact and fail beyond 64 bits, unless
 * the expression itself makes doubles of them. One that was more than 64 bits to begin with is a double.
 */
export function add(a: unknown, b: unknown, asDoubles: boolean): unknown {
  if (isNumber(a) && isNumber(b)) return calculated(a, b, asDoubles, PLUS);
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms + b.ms);
  if (a instanceof Date && b instanceof Duration) return new Date(a.getTime() + b.ms);
  if (a instanceof Duration && b instanceof Date) return new Date(a.ms + b.getTime());
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.concat([a, b]);
  return unlike('add', a, b);
}

export function subtract(a: unknown, b: unknown, asDoubles: boolean): unknown {
  if (isNumber(a) && isNumber(b)) return calculated(a, b, asDoubles, MINUS);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms - b.ms);
  const time = timeMs(a);
  if (time !== undefined && b instanceof Duration) return new Date(time - b.ms);
  const since = timeMs(b);
  return time !== undefined && since !== undefined ? new Duration(time - since) : unlike('subtract', b, a);
}

export function multiply(a: unknown, b: unknown, asDoubles: boolean): unknown {
  return isNumber(a) && isNumber(b) ? calculated(a, b, asDoubles, TIMES) : unlike('multiply', a, b);
}

/** Division of whole numbers drops the rest, as CEL's of ints does, unless one of them is written as a double. */
export function divide(a: unknown, b: unknown, asDoubles: boolean): unknown {
  if (!isNumber(a) || !isNumber(b)) return unlike('divide', a, b);
  if (asDoubles || !isInt(a) || !isInt(b)) return Number(a) / Number(b);
  if (Number(b) === 0) return failure('division by zero');
  return typeof a === 'number' && typeof b === 'number' ? Math.trunc(a / b) + 0 : whole(BigInt(a) / BigInt(b));
}

export function modulo(a: unknown, b: unknown): unknown {
  if (!isNumber(a) || !isNumber(b) || !isInt(a) || !isInt(b)) return unlike('take the rest of', a, b);
  if (Number(b) === 0) return failure('modulus by zero');
  return typeof a === 'number' && typeof b === 'number' ? (a % b) + 0 : whole(BigInt(a) % BigInt(b));
}

export function negate(value: unknown): unknown {
  if (typeof value === 'number') return -value;
  if (typeof value !== 'bigint') return failure(`cannot negate ${typeNameOf(value)}`);
  return isInt(-value) ? whole(-value) : -Number(value);
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
  return failure(`cannot ${verb} ${typeNameOf(a)} and ${typeNameOf(b)}`);
}
