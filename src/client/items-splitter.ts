import { brokenJson, type Decode, decodeJson } from './object-decoder.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Where in the list's outermost object we are. */
type Place =
  | 'start'
  | 'first-key' // after {
  | 'key' // after a comma
  | 'in-key'
  | 'colon'
  | 'value'
  | 'in-value'
  | 'after-value'
  | 'first-item' // after [
  | 'item' // after a comma
  | 'in-item'
  | 'after-item'
  | 'end';

/** Settings of an {@link ItemsSplitter}. */
export interface ItemsSplitterOptions<T> {
  /** The keys of the arrays to split: `items` of a list, `rows` of a table. */
  keys?: readonly string[];
  decode?: Decode<T>;
}

/**
 * Splits the body of a LIST into its items while it arrives, whatever the chunks, whitespace and order of keys.
 * Only one item at a time is ever a string. Every other field of the list is kept in {@link fields}.
 * Throws `decode` with the byte offset as soon as the body cannot be a JSON object any more, or in {@link finish} when it was cut.
 */
export class ItemsSplitter<T> {
  readonly #keys: readonly string[];
  readonly #decode: Decode<T>;
  readonly #fields: Record<string, unknown> = {};
  #place: Place = 'start';
  #key = '';
  #arrayKey: string | undefined;

  /** Bytes in the chunks before the current one. */
  #before = 0;
  /** What a key, value or item has had in earlier chunks, and where it began. */
  #parts: Buffer[] = [];
  #startedAt = 0;

  /** How far into the present value the scan is: brackets open, inside a string, after a backslash. */
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor({ keys = ['items'], decode = decodeJson }: ItemsSplitterOptions<T> = {}) {
    this.#keys = keys;
    this.#decode = decode;
  }

  /** The list's fields other than its items that have arrived: kind, apiVersion, metadata, columnDefinitions, … */
  get fields(): Readonly<Record<string, unknown>> {
    return this.#fields;
  }

  /** The key whose array was split, once it has begun. */
  get arrayKey(): string | undefined {
    return this.#arrayKey;
  }

  /** Takes the next bytes; gives the items that they complete. */
  push(bytes: Uint8Array): T[] {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const items: T[] = [];
    let i = 0;
    while (i < chunk.length) i = this.#isInside() ? this.#continue(chunk, i, items) : this.#between(chunk, i);
    this.#before += chunk.length;
    return items;
  }

  /** Tells that the body has ended. Throws `decode` when the list had not. */
  finish(): void {
    if (this.#place !== 'end')
      throw brokenJson(this.#before, this.#before === 0 ? 'the response is empty' : 'the response ends in the middle of it');
  }

  #isInside(): boolean {
    return this.#place === 'in-key' || this.#place === 'in-value' || this.#place === 'in-item';
  }

  /** One byte of structure. A byte that begins something is left for {@link #continue}. */
  #between(chunk: Buffer, i: number): number {
    const byte = chunk[i] as number;
    if (isSpace(byte)) return i + 1;
    const next = this.#step(byte);
    if (next === undefined) throw brokenJson(this.#before + i, `unexpected ${describe(byte)} (${this.#place})`);
    this.#place = next;
    if (!this.#isInside()) return i + 1;
    this.#startedAt = this.#before + i;
    return i;
  }

  #step(byte: number): Place | undefined {
    switch (this.#place) {
      case 'start':
        return byte === OPEN_BRACE ? 'first-key' : undefined;
      case 'first-key':
        return byte === QUOTE ? 'in-key' : byte === CLOSE_BRACE ? 'end' : undefined;
      case 'key':
        return byte === QUOTE ? 'in-key' : undefined;
      case 'colon':
        return byte === COLON ? 'value' : undefined;
      case 'value':
        if (byte !== OPEN_BRACKET || !this.#keys.includes(this.#key)) return 'in-value';
        this.#arrayKey = this.#key;
        return 'first-item';
      case 'after-value':
        return byte === COMMA ? 'key' : byte === CLOSE_BRACE ? 'end' : undefined;
      case 'first-item':
        return byte === CLOSE_BRACKET ? 'after-value' : 'in-item';
      case 'item':
        return 'in-item';
      case 'after-item':
        return byte === COMMA ? 'item' : byte === CLOSE_BRACKET ? 'after-value' : undefined;
      default:
        return undefined;
    }
  }

  /** Goes to the end of a key, value or item, or of the chunk, whichever is first. */
  #continue(chunk: Buffer, from: number, items: T[]): number {
    const end = this.#scan(chunk, from);
    if (end === -1) {
      this.#parts.push(chunk.subarray(from));
      return chunk.length;
    }
    const last = chunk.subarray(from, end);
    const whole = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    this.#take(whole, items);
    return end;
  }

  #take(bytes: Buffer, items: T[]): void {
    if (this.#place === 'in-item') {
      items.push(this.#decode(bytes, this.#startedAt));
      this.#place = 'after-item';
    } else if (this.#place === 'in-key') {
      this.#key = decodeJson<string>(bytes, this.#startedAt);
      this.#place = 'colon';
    } else {
      this.#fields[this.#key] = decodeJson(bytes, this.#startedAt);
      this.#place = 'after-value';
    }
  }

  /**
   * The index behind the value that goes on at `from`, or -1 when the chunk ends first. Looks at strings and brackets only;
   * whether what is between makes sense is for the decoder. Bytes of multi-byte characters are all above 0x7f, so they never match.
   */
  #scan(chunk: Buffer, from: number): number {
    const length = chunk.length;
    let depth = this.#depth;
    let inString = this.#inString;
    let i = this.#escaped ? from + 1 : from;
    while (i < length) {
      const byte = chunk[i] as number;
      if (inString) {
        if (byte === BACKSLASH) i++;
        else if (byte === QUOTE) {
          inString = false;
          if (depth === 0) return this.#ended(i + 1);
        }
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 0) return this.#ended(i); // behind a number or word: it closes what is around it
        if (--depth === 0) return this.#ended(i + 1);
      } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return this.#ended(i);
      i++;
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = i > length;
    return -1;
  }

  #ended(index: number): number {
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    return index;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function describe(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? JSON.stringify(String.fromCharCode(byte)) : `byte 0x${byte.toString(16).padStart(2, '0')}`;
}
