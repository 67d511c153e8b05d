import { crc32 } from 'node:zlib';
import { InformerError } from '../../kit/error.ts';
import type { Compression } from './compression.ts';
import type { Extent, Slabs } from './slabs.ts';

/** The place of a text in a block. */
export interface Placed {
  block: Block;
  /** The place of the text in the block. */
  at: number;
}

/** The most objects of a block. */
const MOST_OBJECTS = 16;

/** The bytes at which a block is full. A larger text has a block of its own. */
export const BLOCK_BYTES = 64 * 1024;

/** The most columns that have numbers in a block. */
export const MOST_COLUMNS = 16;

/** How JSON escapes a character of ASCII. */
const ESCAPE = '\\u00';

/** A block is not compressed when less than this part of its bytes would be saved. */
const LEAST_SAVED = 0.1;

/**
 * The texts of some objects, one behind the other, with a checksum for each: as they are, or compressed together. A
 * text never changes its place, so that a handle of an old state can be read as long as there is a handle.
 */
export class Block {
  /** The objects of the store whose texts are here; undefined where the store has dropped one. */
  readonly objects: (Placed | undefined)[] = [];
  /** The number of objects that are not dropped. */
  live = 0;
  liveBytes = 0;
  /** Whether a text may have a usual character as an escape, which a search for texts does not find. */
  isEscaped = false;
  /** Set when a text was found damaged. */
  isDamaged = false;
  /** The texts as they are, until the block is sealed. */
  #room: Buffer | undefined;
  /** The texts of a sealed block. */
  #extent: Extent | undefined;
  #ends: number[] | Uint32Array = [];
  #sums: number[] | Uint32Array = [];
  #compression: Compression | undefined;
  /** For each column the numbers of the values that the objects have in it. */
  readonly #numbers: (Uint32Array | undefined)[] = [];

  constructor(room: Buffer) {
    this.#room = room;
  }

  get count(): number {
    return this.objects.length;
  }

  /** The bytes of all texts. */
  get textBytes(): number {
    return this.#ends.at(-1) ?? 0;
  }

  /** The bytes in memory. */
  get storedBytes(): number {
    return (this.#room ?? (this.#extent as Extent)).length;
  }

  get isCompressed(): boolean {
    return this.#compression !== undefined;
  }

  /** Whether a text of at most this many bytes fits. */
  hasRoom(bytes: number): boolean {
    const room = this.#room;
    return room !== undefined && this.#ends.length < MOST_OBJECTS && this.textBytes + bytes <= room.length;
  }

  /** Adds a text, for which there is room, and returns its place. */
  add(text: string | Uint8Array): number {
    const room = this.#room as Buffer;
    const from = this.textBytes;
    const length = typeof text === 'string' ? room.write(text, from) : text.length;
    if (typeof text !== 'string') room.set(text, from);
    const added = room.subarray(from, from + length);
    this.isEscaped ||= added.includes(ESCAPE);
    (this.#ends as number[]).push(from + length);
    (this.#sums as number[]).push(crc32(added));
    return this.#ends.length - 1;
  }

  /** Makes the object the one whose text is at its place. */
  claim(object: Placed): void {
    this.objects[object.at] = object;
    this.live++;
    this.liveBytes += this.lengthAt(object.at);
  }

  drop(object: Placed): void {
    for (const numbers of this.#numbers) if (numbers) numbers[object.at] = 0; // an old state is not numbered again
    this.objects[object.at] = undefined;
    this.live--;
    this.liveBytes -= this.lengthAt(object.at);
  }

  /** The number of the value that an object has in a column; 0 if it is not known. */
  numberAt(slot: number, at: number): number {
    return this.#numbers[slot]?.[at] ?? 0;
  }

  setNumber(slot: number, at: number, number: number): void {
    let numbers = this.#numbers[slot];
    if (!numbers) this.#numbers[slot] = numbers = new Uint32Array(MOST_OBJECTS);
    numbers[at] = number;
  }

  /** The object at a place has the same values as one of another block. */
  copyNumbers(at: number, from: Block, fromAt: number): void {
    for (const [slot, numbers] of from.#numbers.entries())
      if (numbers) this.setNumber(slot, at, numbers[fromAt] as number);
  }

  /** Replaces the numbers of a column. */
  renumber(slot: number, of: (number: number) => number): void {
    const numbers = this.#numbers[slot];
    for (let at = 0; numbers && at < numbers.length; at++)
      if (numbers[at] !== 0) numbers[at] = of(numbers[at] as number);
  }

  /** Another column has the slot now. */
  clearNumbers(slot: number): void {
    this.#numbers[slot] = undefined;
  }

  lengthAt(at: number): number {
    return this.#endAt(at) - this.#startAt(at);
  }

  /** Whether the text at a place is this one, as far as length and checksum show. */
  hasText(at: number, text: Uint8Array): boolean {
    return this.lengthAt(at) === text.length && this.#sums[at] === crc32(text);
  }

  /**
   * No text is added any more: the texts go to slabs, compressed if that saves enough. Returns the room, which is free
   * now.
   */
  seal(slabs: Slabs, compression: Compression | undefined): Buffer {
    const room = this.#room as Buffer;
    const texts = room.subarray(0, this.textBytes);
    const compressed = compressedOrNone(texts, compression);
    const isSmaller = compressed !== undefined && compressed.length <= texts.length * (1 - LEAST_SAVED);
    this.#extent = slabs.store(isSmaller ? compressed : texts);
    if (isSmaller) this.#compression = compression;
    this.#room = undefined;
    this.#ends = Uint32Array.from(this.#ends);
    this.#sums = Uint32Array.from(this.#sums);
    return room;
  }

  /** The store has no object here any more. Handles of old states can still be read. */
  giveBack(slabs: Slabs): void {
    if (this.#extent) slabs.giveBack(this.#extent);
  }

  /** All texts, one behind the other. Throws `store` for a block that is damaged. */
  texts(): Buffer {
    if (this.#room) return this.#room;
    const { bytes } = this.#extent as Extent;
    if (!this.#compression) return bytes;
    try {
      return this.#compression.decompress(bytes, this.textBytes);
    } catch (error) {
      throw this.#damage(error);
    }
  }

  /** The text at a place among all texts. Throws `store` if it is not what was added. */
  textAt(at: number, texts: Buffer): Buffer {
    const text = texts.subarray(this.#startAt(at), this.#endAt(at));
    if (crc32(text) === this.#sums[at]) return text;
    throw this.#damage(new Error('the checksum is wrong'));
  }

  #damage(cause: unknown): InformerError {
    this.isDamaged = true;
    return new InformerError('store', 'the memory of a cached object is damaged', {
      hint: 'the informer lists it again; a machine on which this happens twice has faulty memory',
      cause,
    });
  }

  #startAt(at: number): number {
    return at === 0 ? 0 : this.#endAt(at - 1);
  }

  #endAt(at: number): number {
    return this.#ends[at] as number;
  }
}

/** The compressed texts; undefined if they could not be compressed, for lack of memory. */
function compressedOrNone(texts: Uint8Array, compression: Compression | undefined): Uint8Array | undefined {
  try {
    return compression?.compress(texts);
  } catch {} // the texts stay as they are
  return undefined;
}
