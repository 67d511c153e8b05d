/** The hash of the empty text, in two halves of 32 bits: the offset basis of FNV-1a. */
const BASIS_HIGH = 0xcbf29ce4;
const BASIS_LOW = 0x84222325;
/** The prime of FNV-1a is 2^40 + this. */
const PRIME = 0x1b3;

const encoder = new TextEncoder();

/**
 * The hash by which an API server divides a collection into shards: FNV-1a with 64 bits over the UTF-8 of a uid or a
 * namespace, as 16 lower-case hexadecimal digits. Such texts are in the order of their numbers. Source: KEP-5866,
 * apiserver pkg/sharding.
 */
export function shardHash(text: string): string {
  let high = BASIS_HIGH;
  let low = BASIS_LOW;
  for (const byte of encoder.encode(text)) {
    low = (low ^ byte) >>> 0;
    const product = low * PRIME; // below 2^41
    high = (Math.imul(high, PRIME) + Math.floor(product / 0x1_0000_0000) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return hex(high) + hex(low);
}

const hex = (half: number) => half.toString(16).padStart(8, '0');
