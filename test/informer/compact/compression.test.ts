import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { zstd } from '../../../src/informer/compact/compression.ts';

const compression = zstd();

describe.runIf(compression)('zstd', () => {
  const { compress, decompress } = compression as NonNullable<typeof compression>;

  it.each([
    ['no byte', new Uint8Array()],
    ['one byte', new Uint8Array([7])],
    ['a text that repeats itself', Buffer.from('{"metadata":{"name":"a"}}'.repeat(10_000))],
    ['what cannot be compressed', randomBytes(300_000)],
  ])('gives back what it got: %s', (_, bytes) => {
    expect(decompress(compress(bytes), bytes.length).equals(bytes)).toBe(true);
  });

  it('makes texts that resemble a dictionary smaller with it, where Node uses dictionaries', () => {
    const text = (i: number) =>
      Buffer.from(JSON.stringify({ kind: 'Pod', metadata: { name: `web-${i}`, uid: `${i}` } }));
    const withIt = compression?.withDictionary?.(text(1));
    if (!withIt) return;
    const small = withIt.compress(text(2));
    expect(small.length).toBeLessThan(compress(text(2)).length / 1.5);
    expect(withIt.decompress(small, text(2).length).equals(text(2))).toBe(true);
  });

  it('throws for bytes that were cut, and for another number of bytes than they were', () => {
    const bytes = Buffer.from('{"metadata":{"name":"a"}}'.repeat(1000));
    const small = compress(bytes);
    for (const cut of [0, 1, 5, small.length - 1])
      expect(() => decompress(small.subarray(0, cut), bytes.length)).toThrow();
    expect(() => decompress(small, bytes.length - 1)).toThrow();
    expect(() => decompress(small, bytes.length + 1)).toThrow();
  });
});
