import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../kit/exact-json.ts';
import type { FieldTree } from '../../model/field-tree.ts';
import { type Cut, endOfList, splicedText } from './managed-fields.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const SLASH = 0x2f;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const SMALL_E = 0x65;
const SMALL_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The most levels of a value that is passed over. */
const MOST_LEVELS = 200;
/** From this number of digits on, a double may not have a whole number. */
const LONG = 16;
/** The most digits of a key that V8 takes for an index: such keys come before all others. */
const INDEX_DIGITS = 10;
/** The length of an object with a member: only before one can a head be put. */
const SHORTEST = '{"":0}'.length;
/** Shorter ranges are copied byte by byte. */
const SHORT = 48;

const MANAGED_FIELDS = Buffer.from('managedFields');
const LITERALS = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')];
/** The bytes that may follow a backslash, but `u`. */
const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

const HEX_DIGITS: ReadonlySet<number> = new Set(Buffer.from('0123456789abcdefABCDEF'));

/** The bytes in a string. */
const PLAIN = 0;
const END = 1;
const ESCAPE = 2;
const WIDE = 3;
const BROKEN = 4;
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === QUOTE) return END;
  if (byte === BACKSLASH) return ESCAPE;
  return byte < 0x20 ? BROKEN : byte < 0x80 ? PLAIN : WIDE;
});

/** A field that is parsed. */
interface Step {
  readonly key: Buffer;
  /** The fields that are parsed of it; undefined: all. */
  readonly below: readonly Step[] | undefined;
  /**
   * Its member `managedFields` is passed over, and is not in the text. Where all of it is parsed, an object with that
   * member is not read.
   */
  readonly dropsManagedFields: boolean;
}

/**
 * Reads the bytes of one JSON object without making values of them: it checks every byte, and copies the fields that are
 * asked for, to be parsed alone. It reads what servers write: no blanks, and no field twice that is asked for. What is in
 * another form has to be decoded.
 */
export class ItemScan {
  readonly #fields: readonly Step[];
  #bytes: Buffer = Buffer.alloc(0);
  /** The open maps and lists of the value that is passed over: 1 for a map. */
  readonly #open = new Uint8Array(MOST_LEVELS);
  /** The text of the fields that are asked for. It is as long as that of the whole object at most. */
  #room = Buffer.alloc(0);
  #length = 0;
  /** There are bytes above those of ASCII. */
  #isWide: boolean | undefined;
  /** A number may not fit into a double. */
  #isLong: boolean | undefined;
  #hasEscapes: boolean | undefined;
  #isCanonical: boolean | undefined;
  #cut: Cut | undefined;

  /** `metadata` is the path to the metadata of which `managedFields` are left out, if they are. */
  constructor(fields: FieldTree, metadata: readonly string[] | undefined) {
    this.#fields = stepsOf(fields, metadata);
  }

  /** Reads one object. False: it is none, or not in the form that is read here. */
  read(bytes: Buffer): boolean {
    this.#bytes = bytes;
    if (this.#room.length < bytes.length) this.#room = Buffer.allocUnsafeSlow(2 * bytes.length);
    this.#length = 0;
    this.#isWide = this.#isLong = this.#hasEscapes = false;
    this.#isCanonical = true;
    this.#cut = undefined;
    if (bytes[0] !== OPEN_BRACE || this.#keep(0, this.#fields, false) !== bytes.length) return false;
    return !this.#isWide || isUtf8(bytes);
  }

  /** The object that was read last, with the fields alone that were asked for. */
  parsed(): unknown {
    const text = this.#room.toString(this.#isWide ? 'utf8' : 'latin1', 0, this.#length);
    return this.#isLong ? parseJson(text) : JSON.parse(text);
  }

  /**
   * The text of the object that was read last, as `jsonText` would write it, without managedFields; its first byte is
   * replaced by `head`. Undefined if it has no member, or its numbers or the order of its keys would have to be changed.
   */
  text(head: string): string | undefined {
    if (!this.#isCanonical || this.#bytes.length < SHORTEST) return undefined;
    const text = splicedText(this.#bytes, { head, from: 1, cut: this.#cut });
    return this.#hasEscapes ? text.replace(ESCAPES, unescaped) : text;
  }

  /** Copies the fields that are asked for of the map at `from`. The index after it; undefined if it is not read. */
  #keep(from: number, steps: readonly Step[], dropsManagedFields: boolean): number | undefined {
    const bytes = this.#bytes;
    this.#putByte(OPEN_BRACE);
    let seen = 0;
    let at = from + 1;
    if (bytes[at] === CLOSE_BRACE) {
      this.#putByte(CLOSE_BRACE);
      return at + 1;
    }
    for (;;) {
      const colon = this.#keyAt(at);
      if (colon === undefined) return undefined;
      const place = placeOf(steps, bytes, at + 1, colon - 1);
      const step = steps[place];
      let end: number | undefined;
      if (step) {
        if (seen & (1 << place)) return undefined;
        if (seen !== 0) this.#putByte(COMMA);
        seen |= 1 << place;
        this.#put(at, colon + 1);
        if (step.below && bytes[colon + 1] === OPEN_BRACE)
          end = this.#keep(colon + 1, step.below, step.dropsManagedFields);
        else {
          end = this.#pass(colon + 1);
          if (end === undefined) return undefined;
          if (step.dropsManagedFields && bytes.subarray(colon + 1, end).includes(MANAGED_FIELDS)) return undefined;
          this.#put(colon + 1, end);
        }
      } else if (dropsManagedFields && isKey(MANAGED_FIELDS, bytes, at + 1, colon - 1)) {
        end = bytes[colon + 1] === OPEN_BRACKET && !this.#cut ? endOfList(bytes, colon + 1) : undefined;
        if (end === undefined) return undefined;
        const isFirst = at === from + 1;
        this.#cut = { from: isFirst ? at : at - 1, to: isFirst && bytes[end] === COMMA ? end + 1 : end };
      } else end = this.#pass(colon + 1);
      if (end === undefined) return undefined;
      at = end + 1;
      if (bytes[end] === COMMA) continue;
      if (bytes[end] !== CLOSE_BRACE) return undefined;
      this.#putByte(CLOSE_BRACE);
      return at;
    }
  }

  /** The index of the colon after the key of a field that may be asked for. A key with escapes is not read. */
  #keyAt(quote: number): number | undefined {
    const bytes = this.#bytes;
    let at = quote + 1;
    for (let byte = bytes[at] as number; byte !== QUOTE; byte = bytes[at] as number) {
      if (byte === BACKSLASH || !(byte >= 0x20)) return undefined; // behind the last byte there is none
      if (byte >= 0x80) this.#isWide = true;
      at++;
    }
    if (bytes[quote] !== QUOTE || bytes[at + 1] !== COLON) return undefined;
    this.#lookAtKey(quote + 1, at);
    return at + 1;
  }

  /** V8 sorts keys that are whole numbers. */
  #lookAtKey(from: number, to: number): void {
    if (to - from > INDEX_DIGITS || to === from) return;
    if (digitsEnd(this.#bytes, from) === to) this.#isCanonical = false;
  }

  /** The index after the value that begins at `from`; undefined if it is broken, or not in the form that is read here. */
  #pass(from: number): number | undefined {
    const bytes = this.#bytes;
    const open = this.#open;
    let depth = 0;
    let at: number | undefined = from;
    for (;;) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) at = this.#string(at);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        const isMap = byte === OPEN_BRACE;
        if (bytes[at + 1] === byte + 2) at += 2;
        else {
          if (depth === MOST_LEVELS) return undefined;
          open[depth++] = isMap ? 1 : 0;
          at = isMap ? this.#key(at + 1) : at + 1;
          if (at === undefined) return undefined;
          continue;
        }
      } else at = isDigit(byte) || byte === MINUS ? this.#number(at) : literalEnd(bytes, at);
      if (at === undefined) return undefined;
      for (;;) {
        if (depth === 0) return at;
        const isMap = open[depth - 1] === 1;
        const next = bytes[at] as number;
        at++;
        if (next === COMMA) {
          if (isMap) at = this.#key(at);
          if (at === undefined) return undefined;
          break;
        }
        if (next !== (isMap ? CLOSE_BRACE : CLOSE_BRACKET)) return undefined;
        depth--;
      }
    }
  }

  /** The index after the key that begins at `quote` and its colon. */
  #key(quote: number): number | undefined {
    const bytes = this.#bytes;
    if (bytes[quote] !== QUOTE) return undefined;
    const end = this.#string(quote);
    if (end === undefined || bytes[end] !== COLON) return undefined;
    if (isDigit(bytes[quote + 1] as number)) this.#lookAtKey(quote + 1, end - 1);
    return end + 1;
  }

  /** The index after the string that begins at `quote`. */
  #string(quote: number): number | undefined {
    const end = plainEnd(this.#bytes, quote + 1);
    return this.#bytes[end] === QUOTE ? end + 1 : this.#unusual(end);
  }

  /** The index after a string with escapes or wide characters, of which the bytes before `from` were read. */
  #unusual(from: number): number | undefined {
    const bytes = this.#bytes;
    for (let at = from; ; at++) {
      const kind = KINDS[bytes[at] as number]; // none behind the last byte
      if (kind === PLAIN) continue;
      if (kind === END) return at + 1;
      if (kind === WIDE) this.#isWide = true;
      else {
        const end = kind === ESCAPE ? this.#escape(at + 1) : undefined;
        if (end === undefined) return undefined;
        at = end;
      }
    }
  }

  /** The index of the last byte of an escape. */
  #escape(at: number): number | undefined {
    const bytes = this.#bytes;
    const byte = bytes[at] as number;
    if (byte !== SMALL_U) {
      if (byte === SLASH) this.#isCanonical = false;
      return ESCAPED.has(byte) ? at : undefined;
    }
    this.#hasEscapes = true;
    const end = at + 4;
    for (let i = at + 1; i <= end; i++) if (!HEX_DIGITS.has(bytes[i] as number)) return undefined;
    return end;
  }

  /** The index after a number. */
  #number(from: number): number | undefined {
    const bytes = this.#bytes;
    const isNegative = bytes[from] === MINUS;
    const start = isNegative ? from + 1 : from;
    const isZero = bytes[start] === ZERO;
    let at = digitsEnd(bytes, start);
    if (at === start || (isZero && at > start + 1)) return undefined;
    if (at - start >= LONG) this.#isLong = true;
    const isFraction = bytes[at] === DOT;
    if (isFraction) {
      const fraction = at + 1;
      at = digitsEnd(bytes, fraction);
      if (at === fraction) return undefined;
    }
    const isExponent = ((bytes[at] as number) | 0x20) === SMALL_E;
    if (isExponent) {
      const sign = bytes[at + 1];
      const exponent = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
      at = digitsEnd(bytes, exponent);
      if (at === exponent) return undefined;
      this.#isLong = true;
    }
    if (isFraction || isExponent || (isNegative && isZero)) {
      const text = bytes.toString('latin1', from, at);
      if (String(Number(text)) !== text) this.#isCanonical = false;
    }
    return at;
  }

  #put(from: number, to: number): void {
    const [bytes, room] = [this.#bytes, this.#room];
    let length = this.#length;
    if (to - from > SHORT) length += bytes.copy(room, length, from, to);
    else for (let at = from; at < to; at++) room[length++] = bytes[at] as number;
    this.#length = length;
  }

  #putByte(byte: number): void {
    this.#room[this.#length++] = byte;
  }
}

/** The most fields of a level that are looked for: with more, all of the value is taken. */
const MOST_FIELDS = 30;

function stepsOf(fields: FieldTree, metadata: readonly string[] | undefined): Step[] {
  return [...fields].map(([name, below]) => {
    const isAbove = metadata?.[0] === name;
    const dropsManagedFields = isAbove && metadata.length === 1;
    const isAll = below === true || below.size > MOST_FIELDS;
    const steps = isAll ? undefined : stepsOf(below, isAbove ? metadata.slice(1) : []);
    return {
      key: Buffer.from(name),
      below: dropsManagedFields ? steps?.filter(({ key }) => !key.equals(MANAGED_FIELDS)) : steps,
      dropsManagedFields,
    };
  });
}

/** The place of the step with the key between two indexes; their number for none. */
function placeOf(steps: readonly Step[], bytes: Buffer, from: number, to: number): number {
  let i = 0;
  while (i < steps.length && !isKey((steps[i] as Step).key, bytes, from, to)) i++;
  return i;
}

function isKey(key: Buffer, bytes: Buffer, from: number, to: number): boolean {
  const { length } = key;
  if (to - from !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[from + i] !== key[i]) return false;
  return true;
}

/** A loop that has nothing else in it takes V8 half the time. */
function plainEnd(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let at = from;
  while (at < length && KINDS[bytes[at] as number] === PLAIN) at++;
  return at;
}

function digitsEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (isDigit(bytes[at] as number)) at++;
  return at;
}

function literalEnd(bytes: Buffer, from: number): number | undefined {
  for (const word of LITERALS) if (isKey(word, bytes, from, from + word.length)) return from + word.length;
  return undefined;
}

const isDigit = (byte: number) => byte <= NINE && byte >= ZERO;

/** Escapes by number, together with those that follow; and all other escapes. */
const ESCAPES = /(?:\\u[0-9a-fA-F]{4})+|\\[^u]/g;

/** As `JSON.stringify` writes these characters. */
const unescaped = (escapes: string) =>
  escapes[1] === 'u' ? JSON.stringify(JSON.parse(`"${escapes}"`)).slice(1, -1) : escapes;
