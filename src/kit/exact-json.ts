/**
 * The text of a number that is too large for a double, such as `1E400`. `JSON.stringify` writes that text. In
 * comparisons it is an infinity. `structuredClone` refuses it, because a clone would lose the class.
 */
export class HugeNumber {
  /** The number as it was written. */
  readonly text: string;
  /** An own property, so that `structuredClone` throws instead of making a map. */
  readonly toJSON: () => unknown = rawText;

  constructor(text: string) {
    this.text = text;
  }

  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }
}

/** Whether a JSON value is a map or a list. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof HugeNumber);
}

/** Whether a JSON value is a map. */
export function isJsonMap(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

/** Whether a map of a JSON value has a member of this name: the `toJSON` of a map with bigints is none. */
export function hasMember(map: object, name: string): boolean {
  return Object.prototype.propertyIsEnumerable.call(map, name);
}

/** `JSON.rawJSON` of Node 22 and later, which the type declarations do not have yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

function rawText(this: HugeNumber): unknown {
  return rawJSON(this.text);
}

/**
 * The value of a JSON text, with no number changed: a whole number beyond 2^53 is a bigint, a number that is too large
 * for a double is a {@link HugeNumber}, and every other one is a number. A map or list with a bigint has a `toJSON`
 * that is not enumerable, so that `JSON.stringify` accepts it; {@link jsonText} does not need it.
 * Throws `SyntaxError` as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  return parseExactly(text);
}

/**
 * As {@link parseJson}, for a text with its bytes, at a quarter of the cost of its search for large numbers. It does
 * not find numbers such as `1e400`, which become an infinity. It finds whole numbers of any size, and `1e+400`. `cut`
 * is a range of the bytes that the text does not have.
 */
export function parseManyJson(
  bytes: Uint8Array,
  text: string,
  cut?: { readonly from: number; readonly to: number },
): unknown {
  return hasLargeIn(bytes, cut ?? { from: bytes.length, to: bytes.length }) ? parseExactly(text) : JSON.parse(text);
}

/** The JSON of a value, as `JSON.stringify` writes it, with bigints in full. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, exactly, indent);
  }
}

const exactly = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? rawJSON(String(value)) : value);

// --- the search for large numbers ---

const ZERO = 0x30;
const NINE = 0x39;
const PLUS = 0x2b;
const MINUS = 0x2d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
/** The most digits of a whole number up to 2^53. */
const DIGITS = 16;

/** A number such as `1e400`: three digits or more after an `e`. What follows must end the number, unlike in a hash. */
const LARGE_EXPONENT = /\d[eE]\+?\d{3,}(?![^,}\]\s])/;
/** The part of a number by which it may be too large, where there are large exponents too: slower. */
const LARGE_PART = /\d{16}|\d[eE]\+?\d{3,}/g;
/** The whole number around such a part. */
const LITERAL = /[\d.eE+-]+/y;
const VALID = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether JSON may contain a number such as `1e400`. Never false for a text that has one. */
export const hasHuge = (text: string): boolean => LARGE_EXPONENT.test(text);

/** Whether JSON has a number that does not fit into a double. Digits in its strings do not count. */
export function hasLargeNumber(text: string): boolean {
  return largeNumbersIn(text).length > 0;
}

type Search = (text: string, from: number) => number;

const placeOfLargePart: Search = (text, from) => {
  LARGE_PART.lastIndex = from;
  return LARGE_PART.exec(text)?.index ?? -1;
};

/** The first sixteen digits in a row from `from` on, or -1. It reads one character of sixteen: no run lies between two. */
const placeOfLongNumber: Search = (text, from) => {
  for (let i = from + DIGITS - 1; i < text.length; i += DIGITS) {
    if (!isDigit(text.charCodeAt(i))) continue;
    let start = i;
    while (start > from && isDigit(text.charCodeAt(start - 1))) start--;
    while (isDigit(text.charCodeAt(++i)));
    if (i - start >= DIGITS) return start;
  }
  return -1;
};

interface LargeNumber {
  readonly from: number;
  readonly to: number;
  readonly value: bigint | HugeNumber;
}

/** The numbers of a JSON text that do not fit into a double, in their order. Takes linear time. */
function largeNumbersIn(text: string): LargeNumber[] {
  const placeOf = hasHuge(text) ? placeOfLargePart : placeOfLongNumber;
  const numbers: LargeNumber[] = [];
  const codeAt = (at: number) => text.charCodeAt(at);
  let behind = 0; // in no string, and all numbers before it are found
  for (let at = placeOf(text, 0), to = 0; at !== -1; at = placeOf(text, Math.max(behind, to))) {
    let from = at;
    while (isOfNumber(text.charCodeAt(from - 1))) from--;
    LITERAL.lastIndex = from;
    const literal = LITERAL.exec(text)?.[0] ?? '';
    to = from + literal.length;
    if (!isPlaceOfNumber(codeAt, from, to)) continue;
    behind = isBehindKey(codeAt, from) ? from : behindStrings(text, behind, from);
    if (behind > from) continue; // it was in a string
    const value = VALID.test(literal) ? numberOf(literal) : 0;
    if (typeof value !== 'number') numbers.push({ from, to, value });
  }
  return numbers;
}

/** The first place from `at` on that is in no string, and not before `target`. */
function behindStrings(text: string, at: number, target: number): number {
  let place = at;
  for (;;) {
    const quote = text.slice(place, target).indexOf('"'); // the rest of the text may be long and have none
    if (quote === -1) return target;
    place = behindString(text, place + quote);
    if (place > target) return place;
  }
}

/**
 * Whether bytes have such a number; exponents without a sign (`1e400`) are not found. `cut` are whole members, which
 * the text of the bytes does not have.
 */
function hasLargeIn(bytes: Uint8Array, cut: { readonly from: number; readonly to: number }): boolean {
  const strings = new StringScan(bytes);
  return (
    hasLongNumber(bytes, strings, 0, cut.from) ||
    hasLongNumber(bytes, strings, cut.to, bytes.length) ||
    hasSignedExponent(bytes)
  );
}

/** Whether bytes have a whole number of sixteen digits. It reads one byte of sixteen: no such run lies between two. */
function hasLongNumber(bytes: Uint8Array, strings: StringScan, from: number, to: number): boolean {
  for (let i = from + DIGITS - 1; i < to; i += DIGITS) {
    const byte = bytes[i] as number;
    if (byte > NINE || byte < ZERO) continue;
    // a run of sixteen digits extends at least eight bytes to one side
    const left = isDigit(bytes[i - 8] as number) && isDigit(bytes[i - 4] as number);
    if (!left && !(i + 8 < to && isDigit(bytes[i + 8] as number) && isDigit(bytes[i + 4] as number))) continue;
    let start = i;
    while (isOfNumber(bytes[start - 1] as number)) start--;
    let end = i;
    while (isOfNumber(bytes[end] as number)) end++;
    if (end - start >= DIGITS && isPlaceOfNumber(strings.codeAt, start, end) && strings.excludes(start)) return true;
    i = end; // each run is looked at once
  }
  return false;
}

/** Whether bytes have a sign of an exponent, such as that of `1e+400`. */
function hasSignedExponent(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(PLUS); at !== -1; at = bytes.indexOf(PLUS, at + 1)) {
    const isExponent = ((bytes[at - 1] as number) | 0x20) === 0x65 && isDigit(bytes[at - 2] as number);
    if (isExponent && isDigit(bytes[at + 1] as number) && isDigit(bytes[at + 3] as number)) return true;
  }
  return false;
}

/** Whether JSON may have a number from `from` to `to`, by its neighbours: a key or a list before it, an end behind it. */
function isPlaceOfNumber(codeAt: (at: number) => number, from: number, to: number): boolean {
  let after = to;
  while (isBlank(codeAt(after))) after++;
  const end = codeAt(after);
  if (end !== COMMA && end !== 0x7d && end !== 0x5d && !Number.isNaN(end)) return false;
  let before = codeAt(from - 1) === MINUS ? from - 2 : from - 1;
  while (isBlank(codeAt(before))) before--;
  const start = codeAt(before);
  if (start !== COLON) return start === COMMA || start === OPEN_LIST || Number.isNaN(start);
  do before--;
  while (isBlank(codeAt(before)));
  if (codeAt(before) !== QUOTE) return false;
  let isKey = true; // an escaped quote ends no key
  while (codeAt(--before) === BACKSLASH) isKey = !isKey;
  return isKey;
}

/**
 * Whether what begins at `from` certainly follows a key, so that it is in no string. A quote that is not escaped ends the
 * key, unless what is before it may come before a string.
 */
function isBehindKey(codeAt: (at: number) => number, from: number): boolean {
  let at = codeAt(from - 1) === MINUS ? from - 2 : from - 1;
  if (codeAt(at) === 0x20) at--;
  return codeAt(at) === COLON && codeAt(at - 1) === QUOTE && isWordCode(codeAt(at - 2));
}

/** Says which places of bytes are in a string of their JSON. It reads each byte once. Places must not go back. */
class StringScan {
  readonly codeAt: (at: number) => number;
  readonly #bytes: Uint8Array;
  #at = 0;
  #isInString = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.codeAt = (at) => bytes[at] ?? Number.NaN;
  }

  /** Whether a place is in no string. */
  excludes(place: number): boolean {
    if (isBehindKey(this.codeAt, place)) return true;
    const bytes = this.#bytes;
    let at = this.#at;
    let isInString = this.#isInString;
    for (; at < place; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) isInString = !isInString;
      else if (byte === BACKSLASH && isInString) at++;
    }
    this.#at = at;
    this.#isInString = isInString;
    return !isInString;
  }
}

const isDigit = (byte: number) => byte <= NINE && byte >= ZERO;
/** A letter, a digit or `_`. */
const isWordCode = (code: number) => isDigit(code) || code === 0x5f || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a);
const isBlank = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
/** Digits, and `.`, `e`, `E`, `+` and `-`. */
const isOfNumber = (code: number) =>
  isDigit(code) || code === 0x2e || code === MINUS || code === PLUS || (code | 0x20) === 0x65;

// --- exact parsing ---

/** DEL: rare in strings, and one byte wide, so that a marked text is parsed as fast as the original. */
const MARK = '\x7f';

/** The value of a JSON number: a number if it is exact, else a bigint or a {@link HugeNumber}. */
export function numberOf(literal: string): number | bigint | HugeNumber {
  const number = Number(literal);
  if (!Number.isFinite(number)) return /[.eE]/.test(literal) ? new HugeNumber(literal) : BigInt(literal);
  return Number.isSafeInteger(number) || /[.eE]/.test(literal) ? number : BigInt(literal);
}

/**
 * Replaces each large number by a marked text, parses, and replaces these texts by the numbers. Unlike a reviver, no
 * step is recursive, so objects may be nested to any depth.
 */
function parseExactly(text: string): unknown {
  const numbers = largeNumbersIn(text);
  if (numbers.length === 0) return JSON.parse(text);
  const mark = markNotIn(text);
  let marked = '';
  let copied = 0;
  for (const [i, { from, to }] of numbers.entries()) {
    marked += `${text.slice(copied, from)}"${mark}${i}"`;
    copied = to;
  }
  let value: unknown;
  try {
    value = JSON.parse(marked + text.slice(copied));
  } catch {
    return JSON.parse(text); // the error refers to the original text
  }
  return filled(value, mark, numbers);
}

/** More marks in a row than a string of the text has, written out or as escapes. Takes linear time. */
function markNotIn(text: string): string {
  const unescaped = text.includes('\\u007') ? text.replace(/\\u007f/gi, MARK) : text;
  let longest = 0;
  for (let at = unescaped.indexOf(MARK), to = at; at !== -1; at = unescaped.indexOf(MARK, to)) {
    for (to = at; unescaped[to] === MARK; ) to++;
    longest = Math.max(longest, to - at);
  }
  return MARK.repeat(longest + 1);
}

function behindString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}

type Container = Record<string, unknown>;

function filled(root: unknown, mark: string, found: readonly LargeNumber[]): unknown {
  const numberIn = (text: string) =>
    text.startsWith(mark) ? found[Number(text.slice(mark.length))]?.value : undefined;
  if (typeof root === 'string') return numberIn(root) ?? root;
  let left = found.length;
  const open = [root];
  for (let next = open.pop(); next !== undefined && left > 0; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const container = next as Container;
    for (const key of Object.keys(container)) {
      const value = container[key];
      if (typeof value === 'object') open.push(value);
      else if (typeof value === 'string') {
        const number = numberIn(value);
        if (number === undefined) continue;
        fill(container, key, number);
        left--;
      }
    }
  }
  return root;
}

function fill(container: Container, key: string, number: bigint | HugeNumber): void {
  if (key === '__proto__')
    Object.defineProperty(container, key, { value: number, writable: true, enumerable: true, configurable: true });
  else container[key] = number;
  if (typeof number !== 'bigint' || Object.hasOwn(container, 'toJSON')) return;
  Object.defineProperty(container, 'toJSON', {
    value: shownExactly,
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

/** The value that `JSON.stringify` writes for a map or list with bigints. */
function shownExactly(this: object): unknown {
  const copy = (Array.isArray(this) ? [...this] : { ...this }) as Container;
  for (const key of Object.keys(copy)) {
    const value = copy[key];
    if (typeof value !== 'bigint') continue;
    Object.defineProperty(copy, key, {
      value: rawJSON(String(value)),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return copy;
}
