import type { DatabaseSync } from 'node:sqlite';
import { builtin } from '../kit/builtin.ts';

/** The bytes of text from which a block gets no more. */
const FULL = 512 * 1024;
/** The blocks that a reader keeps decompressed. */
const KEPT = 32;

/** The place of a text: its block, and where it is in it, in bytes. */
export interface TextPlace {
  readonly block: number;
  readonly place: number;
  readonly length: number;
}

/**
 * The texts of revisions, many in one compressed block, because they resemble each other. The last block is written
 * again with each step until it is full, so that a slow recording is as small as a fast one.
 */
export class BlockWriter {
  readonly #database: DatabaseSync;
  #block: number;
  #parts: Buffer[] = [];
  #length = 0;
  #isWritten = true;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#block = nextId(database, 'block');
  }

  /** Takes a text. It is in the file after the next {@link write}. */
  add(text: string): TextPlace {
    if (this.#length >= FULL) this.write();
    if (this.#length >= FULL) this.#begin();
    const bytes = Buffer.from(text, 'utf8');
    const place = { block: this.#block, place: this.#length, length: bytes.length };
    this.#parts.push(bytes);
    this.#length += bytes.length;
    this.#isWritten = false;
    return place;
  }

  /** Writes what was taken. Call it within the transaction that writes the revisions. */
  write(): void {
    if (this.#isWritten) return;
    const whole = Buffer.concat(this.#parts);
    this.#parts = [whole];
    const bytes = builtin.zlib().zstdCompressSync(whole);
    this.#database.prepare('INSERT OR REPLACE INTO block VALUES (?, ?, ?)').run(this.#block, whole.length, bytes);
    this.#isWritten = true;
  }

  /** Forgets what is not in the file: the transaction was rolled back. */
  reset(): void {
    this.#block = Math.max(this.#block, nextId(this.#database, 'block') - 1);
    this.#begin();
  }

  #begin(): void {
    this.#block++;
    this.#parts = [];
    this.#length = 0;
    this.#isWritten = true;
  }
}

/** Reads texts. Blocks that were read last are kept. */
export class BlockReader {
  readonly #database: DatabaseSync;
  readonly #kept = new Map<number, Buffer>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  textAt(place: TextPlace): string {
    return this.bytesAt(place).toString('utf8');
  }

  /** The bytes of a text, in memory that others share. */
  bytesAt({ block, place, length }: TextPlace): Buffer {
    return this.#block(block, place + length).subarray(place, place + length);
  }

  #block(id: number, least: number): Buffer {
    const known = this.#kept.get(id);
    if (known && known.length >= least) return known; // the last block may have grown
    const row = this.#database.prepare('SELECT length, bytes FROM block WHERE id = ?').get(id);
    if (!row) throw new Error(`the block ${id} is missing`);
    const limit = { maxOutputLength: Number(row.length) + 64, chunkSize: Number(row.length) + 64 };
    const bytes = builtin.zlib().zstdDecompressSync(row.bytes as Uint8Array, limit);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(id, bytes);
    return bytes;
  }
}

/** The id after the largest one of a table. */
export const nextId = (database: DatabaseSync, table: string): number =>
  Number(database.prepare(`SELECT coalesce(max(id), 0) + 1 AS id FROM ${table}`).get()?.id);
