import { joinKey } from '../../model/key.ts';
import { LARGEST_OBJECT, type OversizedError, tooLarge } from '../http/limits.ts';
import { ItemBoundary } from './item-boundary.ts';
import { OF_OBJECT, OF_ROW, stringAt } from './managed-fields.ts';
import { brokenJson, type Decode, decodeJson } from './object-decoder.ts';
import type { LeavesOut } from './unwanted.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The number of bytes of an oversized item in which its name is searched. */
const LONGEST_HEAD = 64 * 1024;

/** The smallest buffer: room for a network chunk and an object that began in the chunk before. */
const LEAST_ROOM = 96 * 1024;

/** The position in the outermost object of the list. */
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
  /** Whether an item is left out, by its bytes or by the first of them. */
  leavesOut?: LeavesOut | undefined;
  /** Largest item, key or other value, in bytes. */
  limit?: number;
}

/**
 * Splits the body of a LIST into its items while it arrives, for any chunks, whitespace and order of keys.
 * Only one item at a time is ever a string. All other fields of the list are in {@link fields}.
 * Throws `decode` with the byte offset as soon as the body cannot be a JSON object or a part of it is larger than the
 * limit, or in {@link finish} if the body was cut.
 */
export class ItemsSplitter<T> {
  readonly #keys: readonly string[];
  readonly #decode: Decode<T>;
  readonly #leavesOut: LeavesOut;
  readonly #limit: number;
  readonly #fields: Record<string, unknown> = {};
  #place: Place = 'start';
  #key = '';
  #arrayKey: string | undefined;

  readonly #boundary = new ItemBoundary();

  /** A buffer that is reused. It begins with the part of a key, value or item that is not complete yet. */
  #room = Buffer.alloc(0);
  #held = 0;
  /** The offset in the body of the first buffered byte, or else of the next chunk. */
  #offset = 0;
  #startedAt = 0;
  /** Whether the body has ended. */
  #isWhole = false;

  /** The number of buffered bytes in which the end was searched, and that were scanned. */
  #searched = 0;
  #scanned = 0;
  /** Whether the present item is left out; undefined until its first bytes were looked at. */
  #isLeftOut: boolean | undefined;
  /** The state of the scan in the present value: open brackets, inside a string. */
  #depth = 0;
  #inString = false;

  constructor({
    keys = ['items'],
    decode = decodeJson,
    leavesOut = leavesNothingOut,
    limit = LARGEST_OBJECT,
  }: ItemsSplitterOptions<T> = {}) {
    this.#leavesOut = leavesOut;
    this.#keys = keys;
    this.#limit = limit;
    this.#decode = decode;
  }

  /** The fields of the list that have arrived, except the items: kind, apiVersion, metadata, columnDefinitions, … */
  get fields(): Readonly<Record<string, unknown>> {
    return this.#fields;
  }

  /** The key of the array that is split, once it has begun. */
  get arrayKey(): string | undefined {
    return this.#arrayKey;
  }

  /** Takes the next bytes, and returns the items that are now known to be complete. The bytes are not kept. */
  push(bytes: Uint8Array): T[] {
    const data = this.#behindKept(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
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

  /** Ends the body, and returns the last items, which waited for a further byte. Throws `decode` if the list is cut. */
  finish(): T[] {
    this.#isWhole = true;
    const items = this.push(new Uint8Array(0));
    if (this.#place === 'end') return items;
    const length = this.#offset + this.#held;
    throw brokenJson(length, length === 0 ? 'the response is empty' : 'the response ends in the middle of it');
  }

  #behindKept(chunk: Buffer): Buffer {
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

  /** Reads one byte of structure. A byte that begins a key, value or item is left for {@link #continue}. */
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

  /** Finds the end of the key, value or item that begins at `from` and takes it. -1 if the end has not arrived. */
  #continue(data: Buffer, from: number, items: T[]): number {
    const isGuessing = this.#place === 'in-item' && this.#boundary.isKnown;
    const guess = isGuessing ? this.#boundary.find(data, from, from + this.#searched) : -1;
    // a guess is confirmed by decoding it: what is not decoded is read to its end
    if (guess !== -1 && this.#leaves(data.subarray(from, guess))) return this.#skip(data, from);
    if (guess !== -1 && this.#holds(data.subarray(from, guess), items)) return this.#ended(guess);
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

  /** Whether the item with these first bytes is left out. Its reader is asked once. */
  #leaves(head: Buffer): boolean {
    this.#isLeftOut ??= this.#leavesOut(head);
    return this.#isLeftOut;
  }

  /** The index after an item that is left out; -1 if the end has not arrived. */
  #skip(data: Buffer, from: number): number {
    const end = this.#scan(data, from);
    if (end === -1) return -1;
    if (end - from > this.#limit) throw this.#tooLong(data.subarray(from, end));
    this.#isLeftOut = undefined;
    this.#place = 'after-item';
    return end;
  }

  /** Whether the bytes of a guess are the item. If they are, takes it. */
  #holds(bytes: Buffer, items: T[]): boolean {
    if (bytes.length > this.#limit) return false;
    try {
      items.push(this.#decode(bytes, this.#startedAt));
    } catch {
      return false; // the scan finds the true end, or the fault
    }
    this.#boundary.hit();
    this.#isLeftOut = undefined;
    this.#place = 'after-item';
    return true;
  }

  #take(bytes: Buffer, items: T[]): void {
    if (bytes.length > this.#limit) throw this.#tooLong(bytes);
    if (this.#place === 'in-item') {
      if (!this.#leaves(bytes)) items.push(this.#decode(bytes, this.#startedAt));
      this.#isLeftOut = undefined;
      this.#boundary.learn(bytes);
      this.#place = 'after-item';
    } else if (this.#place === 'in-key') {
      this.#key = decodeJson<string>(bytes, this.#startedAt);
      this.#place = 'colon';
    } else {
      this.#setField(this.#key, decodeJson(bytes, this.#startedAt));
      this.#place = 'after-value';
    }
  }

  /** Sets a field of the list. An assignment would make the field `__proto__` the prototype of the others. */
  #setField(key: string, value: unknown): void {
    Object.defineProperty(this.#fields, key, { value, enumerable: true, configurable: true });
  }

  #tooLong(bytes: Buffer): OversizedError {
    const what =
      this.#place === 'in-item'
        ? `an item of the list${nameIn(bytes.subarray(0, LONGEST_HEAD))}`
        : 'a field of the list';
    return tooLarge(what, { offset: this.#startedAt, limit: this.#limit });
  }

  /**
   * The index after the value that began at `from`, or -1 if the data ends first. It looks at strings and brackets
   * only; the decoder checks the rest. All bytes of multi-byte characters are above 0x7f, so they never match.
   */
  #scan(data: Buffer, from: number): number {
    const length = data.length;
    let depth = this.#depth;
    let inString = this.#inString;
    let i = from + this.#scanned;
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
        if (depth === 0) return this.#ended(i); // after a number or word: this closes the outer value
        if (--depth === 0) return this.#ended(i + 1);
      } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return this.#ended(i);
      i++;
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#scanned = i - from; // after a backslash at the end, the next byte is read too
    return -1;
  }

  #ended(index: number): number {
    this.#searched = 0;
    this.#scanned = 0;
    this.#depth = 0;
    this.#inString = false;
    return index;
  }
}

const leavesNothingOut = () => false;

/** The name of an item, if its first bytes show it. */
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
  return byte >= 0x21 && byte <= 0x7e
    ? JSON.stringify(String.fromCharCode(byte))
    : `byte 0x${byte.toString(16).padStart(2, '0')}`;
}
