import * as zlib from 'node:zlib';

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

/** The options of Node's functions, with a dictionary, which the type declarations do not have yet. */
interface Options extends zlib.ZstdOptions {
  dictionary?: Uint8Array;
}

/** zstd, which Node has from 22.15 on; undefined where it is missing. Texts are then kept as they are. */
export function zstd(dictionary?: Uint8Array): Compression | undefined {
  const { zstdCompressSync, zstdDecompressSync, constants } = zlib;
  if (typeof zstdCompressSync !== 'function' || typeof zstdDecompressSync !== 'function') return undefined;
  const common: Options = dictionary ? { dictionary } : {};
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
  return {
    compress: (bytes) => zstdCompressSync(bytes, { ...common, params, chunkSize: 64 * 1024 }),
    decompress(bytes, length) {
      // one byte more than is needed: zlib allocates a second buffer of this size when the first one is full
      const room = { ...common, chunkSize: length + 64, maxOutputLength: length + 64 };
      const text = zstdDecompressSync(bytes, room);
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
    const withIt = zlib.zstdCompressSync(text, { dictionary: text } as Options);
    zlib.zstdDecompressSync(withIt);
    return false; // it was not needed
  } catch {
    return true;
  }
}
