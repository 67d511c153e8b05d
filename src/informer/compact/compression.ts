import type { ZstdOptions } from 'node:zlib';
import { builtin } from '../../kit/builtin.ts';

/** How blocks are compressed. */
export interface Compression {
  compress(bytes: Uint8Array): Uint8Array;
  /** The `length` bytes that were compressed. Throws for bytes that are damaged. */
  decompress(bytes: Uint8Array, length: number): Buffer;
  /** The same with texts that are likely to occur; undefined where Node cannot use them. */
  withDictionary?(texts: Uint8Array): Compression | undefined;
}

/** The level at which objects of one type, which resemble each other, cost least: higher ones gain a few percent. */
const LEVEL = 1;

/** The least and the most that is allocated for compressed bytes at once. */
const LEAST_ROOM = 8 * 1024;
const MOST_ROOM = 64 * 1024;
/** How much more than the last compressed bytes took is allocated for the next ones. */
const MARGIN = 1.25;
/** The bytes that are allocated beyond a text: zlib allocates a second buffer when the first one is full. */
const SPARE_ROOM = 64;

/** The options of Node's functions, with a dictionary, which the type declarations do not have yet. */
interface Options extends ZstdOptions {
  dictionary?: Uint8Array;
}

/** zstd, which Node has from 22.15 on; undefined where it is missing. Texts are then kept as they are. */
export function zstd(dictionary?: Uint8Array): Compression | undefined {
  const { zstdCompressSync, zstdDecompressSync, constants } = builtin.zlib();
  if (typeof zstdCompressSync !== 'function') return undefined;
  const common: Options = dictionary ? { dictionary } : {};
  // zlib allocates its output in pieces of this size: what is too much is garbage that fragments the process's memory
  let room = LEAST_ROOM;
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
  return {
    compress(bytes) {
      const compressed = zstdCompressSync(bytes, { ...common, params, chunkSize: room });
      room = Math.min(MOST_ROOM, Math.max(LEAST_ROOM, compressed.length * MARGIN)) & ~0xfff;
      return compressed;
    },
    decompress(bytes, length) {
      const room = length + SPARE_ROOM;
      const text = zstdDecompressSync(bytes, { ...common, chunkSize: room, maxOutputLength: room });
      if (text.length !== length) throw new Error(`${text.length} bytes in place of ${length}`);
      return text;
    },
    withDictionary: (texts) => (takesDictionaries() ? zstd(texts) : undefined),
  };
}

/** Whether Node uses a dictionary. One that does not know the option ignores it. */
function takesDictionaries(): boolean {
  const text = Buffer.from('{"apiVersion":"v1","kind":"ConfigMap"}'.repeat(4));
  try {
    const { zstdCompressSync, zstdDecompressSync } = builtin.zlib();
    zstdDecompressSync(zstdCompressSync(text, { dictionary: text } as Options));
    return false; // it was not needed
  } catch {
    return true;
  }
}
