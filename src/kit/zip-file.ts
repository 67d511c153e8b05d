import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { builtin } from './builtin.ts';

interface ZipEntry {
  readonly isDeflated: boolean;
  readonly size: number;
  readonly at: number;
}

const END = 0x06054b50;
const END_64_LOCATOR = 0x07064b50;
/** The longest end of the directory, with its comment. */
const LONGEST_END = 22 + 0xffff;
const LARGE = 0xffffffff;

/** Reads entries of a ZIP file, also of one of more than 4 GB. Source: PKWARE APPNOTE.TXT 6.3.10. Throws for any other file. */
export class ZipFile implements Disposable {
  readonly #file: number;
  readonly #entries = new Map<string, ZipEntry>();

  constructor(file: string) {
    this.#file = openSync(file, 'r');
    try {
      this.#readDirectory();
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The bytes of an entry. Throws for one that is not there, and for one that would have more than `most` bytes. */
  read(name: string, most: number): Buffer {
    const entry = this.#entries.get(name);
    if (!entry || entry.size > most) throw new Error(`${name} is ${entry ? 'too large' : 'not there'}`);
    const head = this.#bytes(entry.at, 30);
    const bytes = this.#bytes(entry.at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28), entry.size);
    return entry.isDeflated ? builtin.zlib().inflateRawSync(bytes, { maxOutputLength: most }) : bytes;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #readDirectory(): void {
    const { size } = fstatSync(this.#file);
    const from = Math.max(0, size - LONGEST_END);
    const tail = this.#bytes(from, size - from);
    let end = tail.length - 22;
    while (end >= 0 && tail.readUInt32LE(end) !== END) end--;
    if (end < 0) throw new Error('it is no whole ZIP file');
    let [count, length, at] = [tail.readUInt16LE(end + 10), tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
    if (end >= 20 && tail.readUInt32LE(end - 20) === END_64_LOCATOR) {
      const large = this.#bytes(Number(tail.readBigUInt64LE(end - 12)), 56);
      [count, length, at] = [32, 40, 48].map((place) => Number(large.readBigUInt64LE(place))) as [
        number,
        number,
        number,
      ];
    }
    const directory = this.#bytes(at, length);
    for (let i = 0, place = 0; i < count; i++) {
      const [name, extra, comment] = [28, 30, 32].map((of) => directory.readUInt16LE(place + of)) as [number, number, number]; // biome-ignore format: one line
      const text = directory.toString('utf8', place + 46, place + 46 + name);
      this.#entries.set(text, entryOf(directory.subarray(place, place + 46 + name + extra), 46 + name));
      place += 46 + name + extra + comment;
    }
  }

  #bytes(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    let read = 0;
    while (read < length) {
      const more = readSync(this.#file, bytes, read, length - read, at + read);
      if (more === 0) throw new Error('it ends before its end');
      read += more;
    }
    return bytes;
  }
}

/** An entry of the directory; sizes beyond 4 GB are in its extra field 1, in the order of those that are missing. */
function entryOf(head: Buffer, extras: number): ZipEntry {
  const fields = [24, 20, 42].map((place) => head.readUInt32LE(place)) as [number, number, number];
  for (let place = extras; place + 4 <= head.length; place += 4 + head.readUInt16LE(place + 2)) {
    if (head.readUInt16LE(place) !== 1) continue;
    let at = place + 4;
    for (const [i, field] of fields.entries()) {
      if (field !== LARGE) continue;
      fields[i] = Number(head.readBigUInt64LE(at));
      at += 8;
    }
  }
  const [, size, at] = fields;
  return { isDeflated: head.readUInt16LE(10) === 8, size, at };
}
