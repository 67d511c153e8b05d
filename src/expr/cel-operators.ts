import { compareQuantities, Quantity } from '../model/quantity.ts';
import {
  BLANK,
  Duration,
  type Fields,
  failure,
  isMap,
  MISSING,
  Optional,
  parseAge,
  parseTime,
  TypeName,
  typeNameOf,
} from './cel-values.ts';
import { IpAddress, IpBlock } from './ip-address.ts';

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
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (isMap(a)) return isMap(b) && equalMaps(a, b);
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime();
  if (a instanceof Duration) return b instanceof Duration && a.ms === b.ms;
  if (a instanceof Quantity) return b instanceof Quantity && a.nano === b.nano;
  if (a instanceof IpAddress) return b instanceof IpAddress && a.family === b.family && a.bits === b.bits;
  if (a instanceof IpBlock) return b instanceof IpBlock && a.prefix === b.prefix && equal(a.address, b.address);
  if (a instanceof TypeName) return b instanceof TypeName && a.name === b.name;
  if (a instanceof Optional) return b instanceof Optional && equal(a.value, b.value);
  return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0;
}

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
  return noOrder(a, b);
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
  if (isMap(haystack)) return (typeof needle === 'string' || typeof needle === 'number') && Object.hasOwn(haystack, needle);
  return haystack === null ? false : failure(`cannot look for something in ${typeNameOf(haystack)}, only in a list or the keys of a map`);
}

/**
 * Arithmetic on numbers, and what CEL defines for text, lists, times and durations. Whole numbers that grow beyond 2^53 fail, unless
 * the expression itself makes doubles of them.
 */
export function add(a: unknown, b: unknown, asDoubles: boolean): unknown {
  if (typeof a === 'number' && typeof b === 'number') return asDoubles ? a + b : checked(a, b, a + b);
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms + b.ms);
  if (a instanceof Date && b instanceof Duration) return new Date(a.getTime() + b.ms);
  if (a instanceof Duration && b instanceof Date) return new Date(a.ms + b.getTime());
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.concat([a, b]);
  return unlike('add', a, b);
}

export function subtract(a: unknown, b: unknown, asDoubles: boolean): unknown {
  if (typeof a === 'number' && typeof b === 'number') return asDoubles ? a - b : checked(a, b, a - b);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms - b.ms);
  const time = timeMs(a);
  if (time !== undefined && b instanceof Duration) return new Date(time - b.ms);
  const since = timeMs(b);
  return time !== undefined && since !== undefined ? new Duration(time - since) : unlike('subtract', b, a);
}

export function multiply(a: unknown, b: unknown, asDoubles: boolean): unknown {
  if (typeof a !== 'number' || typeof b !== 'number') return unlike('multiply', a, b);
  return asDoubles ? a * b : checked(a, b, a * b);
}

/** Division of whole numbers drops the rest, as CEL's of ints does, unless one of them is written as a double. */
export function divide(a: unknown, b: unknown, asDoubles: boolean): unknown {
  if (typeof a !== 'number' || typeof b !== 'number') return unlike('divide', a, b);
  if (asDoubles || !Number.isInteger(a) || !Number.isInteger(b)) return a / b;
  return b === 0 ? failure('division by zero') : Math.trunc(a / b) + 0;
}

export function modulo(a: unknown, b: unknown): unknown {
  if (!Number.isInteger(a) || !Number.isInteger(b)) return unlike('take the rest of', a, b);
  return b === 0 ? failure('modulus by zero') : ((a as number) % (b as number)) + 0;
}

export function negate(value: unknown): unknown {
  return typeof value === 'number' ? -value : failure(`cannot negate ${typeNameOf(value)}`);
}

/** Beyond 2^53 a number would be silently another one. */
function checked(a: number, b: number, result: number): number {
  if (Number.isSafeInteger(result) || !Number.isInteger(a) || !Number.isInteger(b)) return result;
  return failure('integer overflow');
}

function unlike(verb: string, a: unknown, b: unknown): never {
  return failure(`cannot ${verb} ${typeNameOf(a)} and ${typeNameOf(b)}`);
}
