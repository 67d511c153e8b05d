/**
 * A number that no double can hold, as `1E400` is: its text. `JSON.stringify` writes that text; compared, it is an infinity.
 * `structuredClone` refuses it, for a clone would lose what it is.
 */
export class HugeNumber {
  /** As it was written. */
  readonly text: string;
  /** An own property, so that `structuredClone` throws and does not make a map of it. */
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

/** `JSON.rawJSON` of Node 22 on, which the types do not know yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

function rawText(this: HugeNumber): unknown {
  return rawJSON(this.text);
}

/**
 * The value of a JSON text, with no number changed: a whole number beyond 2^53 is a bigint, one that no double can hold a
 * {@link HugeNumber}, every other a number. What directly holds a bigint can be given to `JSON.stringify`, and so can all around it:
 * it has a `toJSON` that is not enumerable. {@link jsonText} needs none. Throws `SyntaxError` as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  return mayHoldLarge(text) ? parseExactly(text) : JSON.parse(text);
}

/**
 * As {@link parseJson}, of text whose bytes are at hand, for many objects at a time: at a fourth of the cost, it does not look for numbers
 * such as `1e400`, which are read as an infinity. Whole numbers of any size and `1e+400` are found. `cut` is what of the bytes is not in the text.
 */
export function parseManyJson(bytes: Uint8Array, text: string, cut?: { readonly from: number; readonly to: number }): unknown {
  const { from, to } = cut ?? { from: bytes.length, to: bytes.length };
  const isExact = hasLongNumber(bytes, 0, from) || hasLongNumber(bytes, to, bytes.length) || bytes.includes(PLUS);
  return isExact ? parseJson(text) : JSON.parse(text);
}

/** The JSON of a value, bigints in full. Otherwise as `JSON.stringify`. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, exactly, indent);
  }
}

const exactly = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? rawJSON(String(value)) : value);

// --- finding them ------------------------------------------------------------------------------------------------------------------

const ZERO = 0x30;
const NINE = 0x39;
const PLUS = 0x2b;
/** Whole numbers up to 2^53 have at most as many digits. */
const DIGITS = 16;

/** `1e400`: three digits or more behind an `e`, with nothing of a hash around them. */
const LARGE_EXPONENT = /\d[eE]\+?\d{3,}(?![^,}\]\s])/;

/** Sixteen digits in a row where a number can stand. */
const LONG_NUMBER = /(?<![^\s:,[\-.])\d{16}/;

/** Whether JSON may hold a number that a double cannot. Says no of nearly every text that holds none, and never of one that does. */
export function mayHoldLarge(text: string): boolean {
  return hasHuge(text) || LONG_NUMBER.test(text);
}

/** The same of numbers such as `1e400` alone. */
export const hasHuge = (text: string): boolean => LARGE_EXPONENT.test(text);

/** The same of long numbers alone. Looks at one byte of sixteen: no run of as many digits can lie between two of them. */
function hasLongNumber(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from + DIGITS - 1; i < to; i += DIGITS) {
    const byte = bytes[i] as number;
    if (byte > NINE || byte < ZERO) continue;
    // a run of sixteen reaches eight bytes to one side at least
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

// --- reading them ------------------------------------------------------------------------------------------------------------------

/** No key: that is none in JSON, and must stay wrong. */
const NUMBER = /-?\d[\d.eE+-]{4,}(?![\d.eE+-]|\s*:)/g;
const VALID = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The number of a JSON literal: a number where that holds it, else a bigint or a {@link HugeNumber}. */
export function numberOf(literal: string): number | bigint | HugeNumber {
  const number = Number(literal);
  if (!Number.isFinite(number)) return /[.eE]/.test(literal) ? new HugeNumber(literal) : BigInt(literal);
  return Number.isSafeInteger(number) || /[.eE]/.test(literal) ? number : BigInt(literal);
}

/**
 * Puts a text in the place of each large number, parses, and puts the numbers in the place of these texts. No step of it is recursive,
 * as those of a reviver are: an object may be nested as deep as it likes.
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
      if (typeof value === 'number') continue;
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
    return JSON.parse(text); // tells the fault by the text as it came
  }
  return filled(value, mark, found);
}

/** Private use characters, as many as make them differ from what the text holds. */
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
  Object.defineProperty(container, 'toJSON', { value: shownExactly, writable: true, enumerable: false, configurable: true });
}

/** What `JSON.stringify` writes in place of a map or list that holds bigints. */
function shownExactly(this: object): unknown {
  const copy = (Array.isArray(this) ? [...this] : { ...this }) as Container;
  for (const key of Object.keys(copy)) {
    const value = copy[key];
    if (typeof value !== 'bigint') continue;
    Object.defineProperty(copy, key, { value: rawJSON(String(value)), writable: true, enumerable: true, configurable: true });
  }
  return copy;
}
