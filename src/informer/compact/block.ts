import { crc32 } from 'node:zlib';
import { InformerError } from '../../kit/error.ts';
import type { Compression } from './compression.ts';

/** What has a text in a block. */
export interface Placed {
  block: Block;
  /** The place of the text in the block. */
  at: number;
}

/** The most objects of a block. */
const MOST_OBJECTS = 64;

/** The bytes at which a block is full. A larger text has a block of its own. */
export const BLOCK_BYTES = 256 * 1024;

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
  /** The bytes of their texts. */
  liveBytes = 0;
  /** Set when a text was found damaged. */
  isDamaged = false;
  /** Whether the block waits to be repacked. */
  isQueued = false;
  #bytes: Buffer;
  readonly #ends: number[] = [];
  readonly #sums: number[] = [];
  #compression: Compression | undefined;

  constructor(room: number) {
    this.#bytes = Buffer.allocUnsafeSlow(room);
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
    return this.#bytes.length;
  }

  get isCompressed(): boolean {
    return this.#compression !== undefined;
  }

  /** Whether a text of at most this many bytes fits. */
  hasRoom(bytes: number): boolean {
    return this.objects.length < MOST_OBJECTS && this.textBytes + bytes <= this.#bytes.length;
  }

  /** Adds a text, for which there is room, and returns its place. */
  add(text: string | Uint8Array): number {
    const from = this.textBytes;
    const length = typeof text === 'string' ? this.#bytes.write(text, from) : text.length;
    if (typeof text !== 'string') this.#bytes.set(text, from);
    this.#ends.push(from + length);
    this.#sums.push(crc32(this.#bytes.subarray(from, from + length)));
    return this.#ends.length - 1;
  }

  /** Makes the object the one whose text is at its place. */
  claim(object: Placed): void {
    this.objects[object.at] = object;
    this.live++;
    this.liveBytes += this.lengthAt(object.at);
  }

  drop(object: Placed): void {
    this.objects[object.at] = undefined;
    this.live--;
    this.liveBytes -= this.lengthAt(object.at);
  }

  lengthAt(at: number): number {
    return this.#endAt(at) - this.#startAt(at);
  }

  /** Whether the text at a place is this one, as far as length and checksum show. */
  hasText(at: number, text: Uint8Array): boolean {
    return this.lengthAt(at) === text.length && this.#sums[at] === crc32(text);
  }

  /** No text is added any more: gives back what is left of the room, by compressing all texts if that saves enough. */
  seal(compression: Compression | undefined): void {
    const texts = this.#bytes.subarray(0, this.textBytes);
    const compressed = compressedOrNone(texts, compression);
    if (compressed && compressed.length < texts.length * (1 - LEAST_SAVED)) {
      this.#compression = compression;
      this.#bytes = copyOf(compressed);
    } else if (texts.length < this.#bytes.length) this.#bytes = copyOf(texts);
  }

  /** All texts, one behind the other. Throws `store` for a block that is damaged. */
  texts(): Buffer {
    if (!this.#compression) return this.#bytes;
    try {
      return this.#compression.decompress(this.#bytes, this.textBytes);
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
  } catch {
    return undefined;
  }
}

/** A copy with a memory of its own: what zlib returns is part of a larger one. */
function copyOf(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
