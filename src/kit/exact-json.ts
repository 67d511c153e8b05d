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
  return mayHoldLarge(text) ? parseExactly(text) : JSON.parse(text);
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
  const { from, to } = cut ?? { from: bytes.length, to: bytes.length };
  const isExact = hasLongNumber(bytes, 0, from) || hasLongNumber(bytes, to, bytes.length) || bytes.includes(PLUS);
  return isExact ? parseJson(text) : JSON.parse(text);
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
/** The most digits of a whole number up to 2^53. */
const DIGITS = 16;

/** A number such as `1e400`: three digits or more after an `e`. What follows must end the number, unlike in a hash. */
const LARGE_EXPONENT = /\d[eE]\+?\d{3,}(?![^,}\]\s])/;

/** Sixteen digits in a row, in a place where JSON has a number. */
const LONG_NUMBER = /(?<![^\s:,[\-.])\d{16}/;

/** Whether JSON may contain a number that does not fit into a double. Never false for a text that has one. */
export function mayHoldLarge(text: string): boolean {
  return hasHuge(text) || LONG_NUMBER.test(text);
}

/** Whether JSON may contain a number such as `1e400`. Never false for a text that has one. */
export const hasHuge = (text: string): boolean => LARGE_EXPONENT.test(text);

/** Whether bytes have a run of sixteen digits. It reads one byte of sixteen: no such run lies between two of them. */
function hasLongNumber(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from + DIGITS - 1; i < to; i += DIGITS) {
    const byte = bytes[i] as number;
    if (byte > NINE || byte < ZERO) continue;
    // a run of sixteen digits extends at least eight bytes to one side
    const left = isDigit(bytes[i - 8] as number) && isDigit(bytes[i - 4] as number);
    if (!left && !(i + 8 < to && isDigit(bytes[i + 8] as number) && isDigit(bytes[i + 4] as number))) continue;
    if (lengthOfRun(bytes, i) >= DIGITS) return true;
  }
  return false;
}

const isDigit = (byte: number) => byte <= NINE && byte >= ZERO;

function lengthOfRun(bytes: Uint8Array, at: number): number {
  let from = at;
  while (from > 0 && isDigit(bytes[from - 1] as number)) from--;
  let to = at + 1;
  while (to < bytes.length && isDigit(bytes[to] as number)) to++;
  return to - from;
}

// --- exact parsing ---

/** A number with five characters or more. */
const NUMBER = /-?\d[\d.eE+-]{4,}/g;
/** A number before a colon is a wrong key, and must stay wrong. */
const COLON = /\s*:/y;
const VALID = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

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
  const mark = markNotIn(text);
  const found: (bigint | HugeNumber)[] = [];
  let marked = '';
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    for (const { 0: literal, index } of text.slice(at, end).matchAll(NUMBER)) {
      const value = VALID.test(literal) ? numberOf(literal) : 0;
      COLON.lastIndex = at + index + literal.length;
      if (typeof value === 'number' || COLON.test(text)) continue;
      marked += `${text.slice(copied, at + index)}"${mark}${found.push(value) - 1}"`;
      copied = at + index + literal.length;
    }
    if (quote === -1) break;
    at = behindString(text, quote);
  }
  if (found.length === 0) return JSON.parse(text);
  let value: unknown;
  try {
    value = JSON.parse(marked + text.slice(copied));
  } catch {
    return JSON.parse(text); // the error refers to the original text
  }
  return filled(value, mark, found);
}

/** A mark of private use characters that the text does not contain. */
function markNotIn(text: string): string {
  let mark = '\ue000';
  while (text.includes(mark)) mark += '\ue001\ue000';
  return mark;
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

function filled(root: unknown, mark: string, found: readonly (bigint | HugeNumber)[]): unknown {
  const numberIn = (text: string) => (text.startsWith(mark) ? found[Number(text.slice(mark.length))] : undefined);
  if (typeof root === 'string') return numberIn(root) ?? root;
  const open = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const container = next as Container;
    for (const key of Object.keys(container)) {
      const value = container[key];
      if (typeof value === 'object') open.push(value);
      else if (typeof value === 'string') {
        const number = numberIn(value);
        if (number !== undefined) fill(container, key, number);
      }
    }
  }
  return root;
}

function fill(container: Container, key: string, number: bigint | HugeNumber): void {
  Object.defineProperty(container, key, { value: number, writable: true, enumerable: true, configurable: true });
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
