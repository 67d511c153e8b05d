import * as zlib from 'node:zlib';

/** How blocks are compressed. */
export interface Compression {
  compress(bytes: Uint8Array): Uint8Array;
  /** The `length` bytes that were compressed. Throws for bytes that are damaged. */
  decompress(bytes: Uint8Array, length: number): Buffer;
}

/** The level at which objects of one type, which resemble each other, cost least: higher ones gain a few percent. */
const LEVEL = 1;

/**
 * zstd, which Node has from 22.15 on; undefined where it is missing. Texts are then kept as they are.
 */
export function zstd(): Compression | undefined {
  const { zstdCompressSync, zstdDecompressSync, constants } = zlib;
  if (typeof zstdCompressSync !== 'function' || typeof zstdDecompressSync !== 'function') return undefined;
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
  return {
    compress: (bytes) => zstdCompressSync(bytes, { params, chunkSize: 64 * 1024 }),
    decompress(bytes, length) {
      const room = { chunkSize: Math.max(64, length), maxOutputLength: Math.max(1, length) };
      const text = zstdDecompressSync(bytes, room);
      if (text.length !== length) throw new Error(`${text.length} bytes in place of ${length}`);
      return text;
    },
  };
}
