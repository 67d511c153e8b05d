import { HugeNumber } from '../../kit/exact-json.ts';
import { goText } from '../go-text.ts';
import {
  type CelNumber,
  celFailure,
  Duration,
  isMap,
  isNumber,
  MISSING,
  Optional,
  TypeName,
  typeNameOf,
  whole,
} from './cel-values.ts';
import { countOf } from './characters.ts';
import { ask, asText, type CelFunction, define } from './function.ts';
import { addressFunctions } from './ip-functions.ts';
import { KeyedMap } from './keyed-map.ts';
import { listFunctions } from './list-functions.ts';
import { quantityFunctions } from './quantity-functions.ts';
import { rolloutFunctions } from './rollout-functions.ts';
import { bytesFunctions, stringFunctions } from './string-functions.ts';
import { timeFunctions } from './time-functions.ts';
import { timeText } from './times.ts';

const conversions: readonly CelFunction[] = [
  define('dyn', [], (value) => value),
  define('type', ['type(optional): type'], (value) => new TypeName(typeNameOf(value))),
  define('bool', [], toBool),
  define('int', ['int(google.protobuf.Timestamp): int', 'int(google.protobuf.Duration): int', 'int(uint): int'], toInt),
  define('uint', [], toUint),
  define('double', [], toDouble),
  define(
    'string',
    [
      'string(google.protobuf.Timestamp): string',
      'string(google.protobuf.Duration): string',
      'string(quantity): string',
      'string(net.IP): string',
      'string(net.CIDR): string',
    ],
    toText,
  ),
  define('size', [], sizeOf),
  define('.size', [], sizeOf),
];

const optionals: readonly CelFunction[] = [
  ask('.hasValue', [], (value) => optional(value).value !== MISSING),
  define('.value', [], (value) => optional(value).value),
];

/** Every function that an expression may call, except the macros. */
export const CEL_FUNCTIONS: readonly CelFunction[] = [
  ...conversions,
  ...optionals,
  ...stringFunctions,
  ...bytesFunctions,
  ...listFunctions,
  ...timeFunctions,
  ...quantityFunctions,
  ...addressFunctions,
  ...rolloutFunctions,
];

const BY_NAME = new Map(CEL_FUNCTIONS.map((defined) => [defined.name, defined]));

/** The function with a name; a method is found as `.name`. */
export const functionNamed = (name: string): CelFunction | undefined => BY_NAME.get(name);

/** The value as an optional. Fails for any other type. */
export function optional(value: unknown): Optional {
  return value instanceof Optional ? value : celFailure(`expected an optional (a.?b), got ${typeNameOf(value)}`);
}

const BOOLS: Readonly<Record<string, boolean>> = {
  1: true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  0: false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};

function toBool(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const known = Object.hasOwn(BOOLS, asText(value)) ? BOOLS[asText(value)] : undefined;
  return known ?? celFailure('bool() cannot read this text');
}

function toInt(value: unknown): CelNumber {
  if (value instanceof Date) return Math.floor(value.getTime() / 1000);
  if (value instanceof Duration) return whole(value.nanos);
  return whole(toBigInt(value, 'int'));
}

function toUint(value: unknown): CelNumber {
  if (value instanceof Date || value instanceof Duration) return toUint(toInt(value));
  if (typeof value === 'string' && value.startsWith('+')) return celFailure('uint() cannot read this text');
  const number = toBigInt(value, 'uint');
  if (number < 0n) return celFailure('uint() cannot take a negative number');
  if (number > MOST_UINT) return celFailure('integer overflow');
  return Number.isSafeInteger(Number(number)) ? Number(number) : number;
}

const MOST_UINT = 2n ** 64n - 1n;

function toBigInt(value: unknown, called: string): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? BigInt(Math.trunc(value)) : celFailure(`${called}() takes finite numbers only`);
  }
  return /^[+-]?\d{1,40}$/.test(asText(value))
    ? BigInt(asText(value))
    : celFailure(`${called}() cannot read this text`);
}

function toDouble(value: unknown): number {
  if (isNumber(value)) return Number(value);
  if (value instanceof HugeNumber) return value.valueOf();
  const word = asText(value).toLowerCase();
  if (/^[+-]?inf(inity)?$/.test(word)) return word.startsWith('-') ? -Infinity : Infinity;
  return word === 'nan' || /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/.test(word)
    ? Number(word)
    : celFailure('double() cannot read this text');
}

/** A value as a string. Bytes are decoded as UTF-8. Fails for maps, lists, optionals and null. */
function toText(value: unknown): string {
  if (value instanceof Uint8Array) return utf8(value);
  if (value instanceof Date) return timeText(value);
  if (isNumber(value) || value instanceof HugeNumber) return goText(value);
  const isPlain =
    value !== null && typeNameOf(value) !== 'list' && typeNameOf(value) !== 'map' && !(value instanceof Optional);
  return isPlain
    ? String(value instanceof TypeName ? value.name : value)
    : celFailure(`string() does not take ${typeNameOf(value)}`);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function utf8(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return celFailure('string() cannot read these bytes: they are no UTF-8');
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return countOf(value);
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof KeyedMap) return value.size;
  return isMap(value) ? Object.keys(value).length : celFailure(`size() does not take ${typeNameOf(value)}`);
}
