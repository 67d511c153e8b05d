import { parseJson } from '../../kit/exact-json.ts';
import { formatText } from './format.ts';
import { ask, type CelFunction, define, list, number, text } from './function.ts';
import { listIndexOf, listLastIndexOf } from './list-functions.ts';
import { regexFor } from './regex.ts';
import { failure } from './values.ts';

/**
 * The string functions of CEL, of its strings extension, and of Kubernetes' regex library.
 * Source: cel-go ext/strings.go, kubernetes cel library regex.go.
 */
export const stringFunctions: readonly CelFunction[] = [
  ask('.startsWith', [], (value, prefix) => text(value).startsWith(text(prefix))),
  ask('.endsWith', [], (value, suffix) => text(value).endsWith(text(suffix))),
  ask('.contains', [], (value, part) => text(value).includes(text(part))),
  define('.lowerAscii', [], (value) => text(value).replace(/[A-Z]+/g, (upper) => upper.toLowerCase())),
  define('.upperAscii', [], (value) => text(value).replace(/[a-z]+/g, (lower) => lower.toUpperCase())),
  define('.trim', [], (value) => text(value).trim()),
  define('.charAt', ['string.charAt(int): string'], charAt),
  define('.indexOf', [], (value, part, from) => (Array.isArray(value) ? listIndexOf(value, part) : indexOf(text(value), text(part), from))),
  define('.lastIndexOf', [], (value, part, from) =>
    Array.isArray(value) ? listLastIndexOf(value, part) : lastIndexOf(text(value), text(part), from),
  ),
  define('.substring', [], substring),
  define('.replace', ['string.replace(string, string): string', 'string.replace(string, string, int): string'], replace),
  define('.split', [], split),
  define('.join', [], (value, separator = '') => list(value).map(text).join(text(separator))),
  define('.reverse', ['string.reverse(): string'], (value) => [...text(value)].reverse().join('')),
  define('.format', ['string.format(list): string'], (value, values) => formatText(text(value), list(values))),
  ask('.matches', [], (value, pattern) => regexFor(text(pattern)).test(text(value))),
  ask('matches', ['matches(string, string): bool'], (value, pattern) => regexFor(text(pattern)).test(text(value))),
  define('.find', ['string.find(string): string'], (value, pattern) => regexFor(text(pattern)).find(text(value)) ?? ''),
  define('.findAll', ['string.findAll(string): list<string>', 'string.findAll(string, int): list<string>'], (value, pattern, most = -1) =>
    regexFor(text(pattern)).findAll(text(value), number(most)),
  ),
];

/** The functions on bytes. */
export const bytesFunctions: readonly CelFunction[] = [
  define('bytes', [], (value) => (value instanceof Uint8Array ? value : Buffer.from(text(value)))),
  define('.hex', [], (value) => bytes(value).toString('hex')),
  define('.base64', [], (value) => bytes(value).toString('base64')),
  define('.string', [], (value) => bytes(value).toString()),
  define('.json', [], (value) => readJson(bytes(value))),
  define('.at', [], (value, index) => bytes(value)[number(index)] ?? failure('the index is out of range')),
];

function readJson(value: Buffer): unknown {
  try {
    return parseJson(value.toString());
  } catch {
    return failure('json() cannot read these bytes');
  }
}

function bytes(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : failure('expected bytes');
}

function charAt(value: unknown, index: unknown): string {
  const characters = [...text(value)];
  const at = number(index);
  return at === characters.length ? '' : (characters[at] ?? failure('the index is out of range'));
}

function indexOf(value: string, part: string, from: unknown): number {
  return value.indexOf(part, from === undefined ? 0 : within(value, from));
}

function lastIndexOf(value: string, part: string, from: unknown): number {
  return value.lastIndexOf(part, from === undefined ? undefined : within(value, from));
}

function within(value: string, index: unknown): number {
  const at = number(index);
  return at >= 0 && at <= value.length ? at : failure('the index is out of range');
}

function substring(value: unknown, start: unknown, end?: unknown): string {
  const whole = text(value);
  const to = end === undefined ? whole.length : within(whole, end);
  const from = within(whole, start);
  return from <= to ? whole.slice(from, to) : failure('substring() ends before it starts');
}

function replace(value: unknown, part: unknown, by: unknown, most?: unknown): string {
  const limit = most === undefined ? -1 : number(most);
  if (limit < 0) return text(value).replaceAll(text(part), () => text(by));
  let left = limit;
  return text(value).replaceAll(text(part), (found) => (left-- > 0 ? text(by) : found));
}

function split(value: unknown, separator: unknown, most?: unknown): string[] {
  const parts = text(value).split(text(separator));
  const limit = most === undefined ? -1 : number(most);
  if (limit < 0 || parts.length <= limit) return parts;
  return limit === 0 ? [] : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(text(separator))];
}
