import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shardHash } from '../../src/model/shard-hash.ts';

/** FNV-1a with 64 bits as its definition says it. */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffff_ffff_ffff_ffffn;
  return hash.toString(16).padStart(16, '0');
}

describe('the hash of a shard', () => {
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
  ])('of %j is the published one', (text, hash) => expect(shardHash(text)).toBe(hash));

  it('is that of the definition, for any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => shardHash(text) === fnv1a(text)));
    fc.assert(fc.property(fc.uuid(), (uid) => shardHash(uid) === fnv1a(uid)));
  });
});
