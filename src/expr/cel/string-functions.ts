import { parseJson } from '../../kit/exact-json.ts';
import { celFailure } from './cel-values.ts';
import { charactersOf, indexOf, lastIndexOf, splitText, substring, trimmed } from './characters.ts';
import { formatText } from './format.ts';
import { ask, asList, asNumber, asText, type CelFunction, define } from './function.ts';
import { listIndexOf, listLastIndexOf } from './list-functions.ts';
import { regexFor } from './regex.ts';
import { workOfMaking } from './work.ts';

/**
 * The string functions of CEL, of its strings extension, and of Kubernetes' regex library.
 * Source: cel-go ext/strings.go, kubernetes cel library regex.go.
 */
export const stringFunctions: readonly CelFunction[] = [
  ask('.startsWith', [], (value, prefix) => asText(value).startsWith(asText(prefix))),
  ask('.endsWith', [], (value, suffix) => asText(value).endsWith(asText(suffix))),
  ask('.contains', [], (value, part) => asText(value).includes(asText(part))),
  define('.lowerAscii', [], (value) => asText(value).replace(/[A-Z]+/g, (upper) => upper.toLowerCase())),
  define('.upperAscii', [], (value) => asText(value).replace(/[a-z]+/g, (lower) => lower.toUpperCase())),
  define('.trim', [], (value) => trimmed(asText(value))),
  define('.charAt', ['string.charAt(int): string'], charAt),
  define('.indexOf', [], (value, part, from) =>
    Array.isArray(value)
      ? listIndexOf(value, part)
      : indexOf(asText(value), asText(part), from === undefined ? undefined : asNumber(from)),
  ),
  define('.lastIndexOf', [], (value, part, from) =>
    Array.isArray(value)
      ? listLastIndexOf(value, part)
      : lastIndexOf(asText(value), asText(part), from === undefined ? undefined : asNumber(from)),
  ),
  define('.substring', [], (value, start, end) =>
    substring(asText(value), asNumber(start), end === undefined ? undefined : asNumber(end)),
  ),
  define(
    '.replace',
    ['string.replace(string, string): string', 'string.replace(string, string, int): string'],
    replace,
  ),
  define('.split', [], split),
  define('.join', [], (value, separator = '') => join(asList(value).map(asText), asText(separator))),
  define('.reverse', ['string.reverse(): string', 'list.reverse(): list<dyn>'], (value) =>
    Array.isArray(value) ? value.toReversed() : charactersOf(asText(value)).reverse().join(''),
  ),
  define('strings.quote', ['Strings.quote(string): string'], (value) => quoted(asText(value))),
  define('.format', ['string.format(list): string'], (value, values) => formatText(asText(value), asList(values))),
  ask('.matches', [], (value, pattern) => regexFor(asText(pattern)).test(asText(value))),
  ask('matches', ['matches(string, string): bool'], (value, pattern) => regexFor(asText(pattern)).test(asText(value))),
  define(
    '.find',
    ['string.find(string): string'],
    (value, pattern) => regexFor(asText(pattern)).find(asText(value)) ?? '',
  ),
  define(
    '.findAll',
    ['string.findAll(string): list<string>', 'string.findAll(string, int): list<string>'],
    (value, pattern, most = -1) => regexFor(asText(pattern)).findAll(asText(value), asNumber(most)),
  ),
];

/** The functions on bytes. */
export const bytesFunctions: readonly CelFunction[] = [
  define('bytes', [], (value) => (value instanceof Uint8Array ? value : Buffer.from(asText(value)))),
  define('.hex', [], (value) => bytes(value).toString('hex')),
  define('.base64', [], (value) => bytes(value).toString('base64')),
  define('.string', [], (value) => bytes(value).toString()),
  define('.json', [], (value) => readJson(bytes(value))),
  define('.at', [], (value, index) => bytes(value)[asNumber(index)] ?? celFailure('the index is out of range')),
];

function readJson(value: Buffer): unknown {
  try {
    return parseJson(value.toString());
  } catch {
    return celFailure('json() cannot read these bytes');
  }
}

function bytes(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : celFailure('expected bytes');
}

const QUOTED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

const quoted = (text: string) =>
  `"${charactersOf(text)
    .map((character) => QUOTED[character] ?? character)
    .join('')}"`;

function charAt(value: unknown, index: unknown): string {
  const characters = charactersOf(asText(value));
  const at = asNumber(index);
  return at === characters.length ? '' : (characters[at] ?? celFailure('the index is out of range'));
}

function join(texts: readonly string[], separator: string): string {
  workOfMaking(
    'text',
    texts.reduce((sum, { length }) => sum + length + separator.length, 0),
  );
  return texts.join(separator);
}

function replace(value: unknown, part: unknown, by: unknown, most?: unknown): string {
  const limit = most === undefined ? -1 : asNumber(most);
  workOfMaking('text', occurrences(asText(value), asText(part)) * asText(by).length);
  let left = limit < 0 ? Number.POSITIVE_INFINITY : limit;
  if (part === '') return betweenCharacters(asText(value), () => (left-- > 0 ? asText(by) : ''));
  return asText(value).replaceAll(asText(part), (found) => (left-- > 0 ? asText(by) : found));
}

/** Puts a text before the first character, between all of them and after the last one. */
function betweenCharacters(text: string, next: () => string): string {
  return charactersOf(text).reduce((made, character) => made + character + next(), next());
}

function occurrences(text: string, part: string): number {
  let found = 0;
  const step = Math.max(1, part.length);
  for (let at = text.indexOf(part); at >= 0 && at < text.length; at = text.indexOf(part, at + step)) found++;
  return found + 1;
}

function split(value: unknown, separator: unknown, most?: unknown): string[] {
  const parts = splitText(asText(value), asText(separator));
  const limit = most === undefined ? -1 : asNumber(most);
  if (limit < 0 || parts.length <= limit) return parts;
  return limit === 0 ? [] : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(asText(separator))];
}
