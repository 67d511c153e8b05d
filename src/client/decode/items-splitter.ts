import { joinKey } from '../../model/key.ts';
import { LARGEST_OBJECT, type OversizedError, tooLarge } from '../http/limits.ts';
import { ItemBoundary } from './item-boundary.ts';
import { OF_OBJECT, OF_ROW, stringAt } from './managed-fields.ts';
import { brokenJson, type Decode, decodeJson } from './object-decoder.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Bytes of an oversized item in which its name is looked for. */
const LONGEST_HEAD = 64 * 1024;

/** A network chunk and an object that began in the one before. */
const LEAST_ROOM = 96 * 1024;

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
  /** Largest item, key or other value, in bytes. */
  limit?: number;
}

/**
 * Splits the body of a LIST into its items while it arrives, whatever the chunks, whitespace and order of keys.
 * Only one item at a time is ever a string. Every other field of the list is kept in {@link fields}.
 * Throws `decode` with the byte offset as soon as the body cannot be a JSON object any more or a part of it is larger than the limit, or in
 * {@link finish} when it was cut.
 */
export class ItemsSplitter<T> {
  readonly #keys: readonly string[];
  readonly #decode: Decode<T>;
  readonly #limit: number;
  readonly #fields: Record<string, unknown> = {};
  #place: Place = 'start';
  #key = '';
  #arrayKey: string | undefined;

  readonly #boundary = new ItemBoundary();

  /** The key, value or item that has begun, so far as it has come: the first bytes of a buffer that is used again and again. */
  #room = Buffer.alloc(0);
  #held = 0;
  /** Where in the body what is held, or else the next chunk, begins. */
  #offset = 0;
  #startedAt = 0;
  /** Nothing more will come. */
  #isWhole = false;

  /** How much of what is held has been searched for its boundary, and scanned. */
  #searched = 0;
  #scanned = 0;
  /** How far into the present value the scan is: brackets open, inside a string, after a backslash. */
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor({ keys = ['items'], decode = decodeJson, limit = LARGEST_OBJECT }: ItemsSplitterOptions<T> = {}) {
    this.#keys = keys;
    this.#limit = limit;
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

  /** Takes the next bytes; gives the items that they show to be complete. They are not needed any more afterwards. */
  push(bytes: Uint8Array): T[] {
    const data = this.#behindHeld(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const items: T[] = [];
    let i = 0;
    while (i < data.length) {
      const next = this.#isInside() ? this.#continue(data, i, items) : this.#between(data, i);
      if (next === -1) break;
      i = next;
    }
    if (data.length - i > this.#limit) throw this.#tooLong(data.subarray(i));
    this.#hold(data, i);
    return items;
  }

  /** Tells that the body has ended; gives the items that were waiting to be told from what might follow. Throws `decode` when the list had not. */
  finish(): T[] {
    this.#isWhole = true;
    const items = this.push(new Uint8Array(0));
    if (this.#place === 'end') return items;
    const length = this.#offset + this.#held;
    throw brokenJson(length, length === 0 ? 'the response is empty' : 'the response ends in the middle of it');
  }

  #behindHeld(chunk: Buffer): Buffer {
    if (this.#held === 0) return chunk;
    const length = this.#held + chunk.length;
    this.#makeRoom(length);
    this.#room.set(chunk, this.#held);
    return this.#room.subarray(0, length);
  }

  #hold(data: Buffer, from: number): void {
    const length = data.length - from;
    const isInPlace = this.#held > 0 && from === 0;
    if (length > 0 && !isInPlace) {
      const rest = data.subarray(from);
      this.#makeRoom(length);
      this.#room.set(rest);
    }
    this.#held = length;
    this.#offset += from;
  }

  #makeRoom(length: number): void {
    if (this.#room.length >= length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#room.length, LEAST_ROOM));
    grown.set(this.#room.subarray(0, this.#held));
    this.#room = grown;
  }

  #isInside(): boolean {
    return this.#place === 'in-key' || this.#place === 'in-value' || this.#place === 'in-item';
  }

  /** One byte of structure. A byte that begins something is left for {@link #continue}. */
  #between(data: Buffer, i: number): number {
    const byte = data[i] as number;
    if (isSpace(byte)) return i + 1;
    const next = this.#step(byte);
    if (next === undefined) throw brokenJson(this.#offset + i, `unexpected ${describe(byte)} (${this.#place})`);
    this.#place = next;
    if (!this.#isInside()) return i + 1;
    this.#startedAt = this.#offset + i;
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

  /** Goes to the end of the key, value or item that begins at `from`; -1 when there is none in sight. */
  #continue(data: Buffer, from: number, items: T[]): number {
    const isGuessing = this.#place === 'in-item' && this.#boundary.isKnown;
    const guess = isGuessing ? this.#boundary.find(data, from, from + this.#searched) : -1;
    if (guess !== -1 && this.#holds(data.subarray(from, guess), items)) return guess;
    if (isGuessing && guess === -1 && !this.#isWhole && this.#boundary.mayEndLater(data.length - from)) {
      this.#searched = data.length - from;
      return -1;
    }
    const end = this.#scan(data, from);
    if (end === -1) return -1;
    if (isGuessing) this.#boundary.missed();
    this.#take(data.subarray(from, end), items);
    return end;
  }

  /** Whether what a guess delimits is the item; then it is taken. */
  #holds(bytes: Buffer, items: T[]): boolean {
    if (bytes.length > this.#limit) return false;
    try {
      items.push(this.#decode(bytes, this.#startedAt));
    } catch {
      return false; // the scan finds the true end, or what is wrong
    }
    this.#boundary.held();
    this.#place = 'after-item';
    this.#ended(0);
    return true;
  }

  #take(bytes: Buffer, items: T[]): void {
    if (bytes.length > this.#limit) throw this.#tooLong(bytes);
    if (this.#place === 'in-item') {
      items.push(this.#decode(bytes, this.#startedAt));
      this.#boundary.learn(bytes);
      this.#place = 'after-item';
    } else if (this.#place === 'in-key') {
      this.#key = decodeJson<string>(bytes, this.#startedAt);
      this.#place = 'colon';
    } else {
      this.#fields[this.#key] = decodeJson(bytes, this.#startedAt);
      this.#place = 'after-value';
    }
  }

  #tooLong(bytes: Buffer): OversizedError {
    const what = this.#place === 'in-item' ? `an item of the list${nameIn(bytes.subarray(0, LONGEST_HEAD))}` : 'a field of the list';
    return tooLarge(what, { offset: this.#startedAt, limit: this.#limit });
  }

  /**
   * The index behind the value that began at `from`, or -1 when the data ends first. Looks at strings and brackets only; whether what
   * is between makes sense is for the decoder. Bytes of multi-byte characters are all above 0x7f, so they never match.
   */
  #scan(data: Buffer, from: number): number {
    const length = data.length;
    let depth = this.#depth;
    let inString = this.#inString;
    let i = from + this.#scanned + (this.#escaped ? 1 : 0);
    while (i < length) {
      const byte = data[i] as number;
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
    this.#scanned = length - from;
    return -1;
  }

  #ended(index: number): number {
    this.#searched = 0;
    this.#scanned = 0;
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    return index;
  }
}

/** The name of an item, as far as its first bytes tell. */
function nameIn(head: Buffer): string {
  for (const path of [OF_OBJECT, OF_ROW]) {
    const name = stringAt(head, path, 'name');
    if (name !== undefined) return ` (${JSON.stringify(joinKey(stringAt(head, path, 'namespace'), name))})`;
  }
  return '';
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function describe(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? JSON.stringify(String.fromCharCode(byte)) : `byte 0x${byte.toString(16).padStart(2, '0')}`;
}
