import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { gunzipped } from '../../../src/client/http/gzip-body.ts';
import { RawBody } from '../../../src/client/http/http-dispatch.ts';
import { fuzzTarget } from '../target.ts';

/** What happens to the bytes on their way. `at` and `size` are shares of the length. */
const damage = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ kind: 'none' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('cut' as const), at: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('bit' as const),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      bit: fc.integer({ min: 0, max: 7 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('hole' as const),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      size: fc.double({ min: 0, max: 0.3, noNaN: true }),
    }),
  },
);

const inputs = fc.record({
  text: fc.tuple(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 0, max: 400 })),
  level: fc.constantFrom(0, 1, 6, 9),
  damage,
  pieces: fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 8 }),
});

function damaged(bytes: Buffer, how: typeof damage extends fc.Arbitrary<infer T> ? T : never): Buffer {
  if (how.kind === 'none') return bytes;
  const at = Math.min(bytes.length - 1, Math.floor(how.at * bytes.length));
  if (how.kind === 'cut') return bytes.subarray(0, at);
  if (how.kind === 'hole') {
    const size = Math.max(1, Math.floor(how.size * bytes.length));
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)]);
  }
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ (1 << how.bit);
  return changed;
}

/** A gzip body is the text that was packed, or an error: never a part of it that looks whole, never other bytes. */
export const gzipBodies = fuzzTarget({
  name: 'gzip-bodies',
  share: 0.3,
  inputs,
  async check({ text: [piece, times], level, damage: how, pieces }) {
    const text = Buffer.from(piece.repeat(times));
    const sent = damaged(gzipSync(text, { level }), how);
    const body = new RawBody();
    const answer = gunzipped(body);
    for (let at = 0, i = 0; at < sent.length; i++) {
      const size = pieces[i % pieces.length] ?? 1;
      body.push(sent.subarray(at, at + size));
      at += size;
    }
    body.end();
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of answer) chunks.push(chunk);
    } catch (error) {
      assert(error instanceof Error);
      assert.notEqual(how.kind, 'none', error);
      return;
    }
    assert(Buffer.concat(chunks).equals(text), `${how.kind}: another text, and no error`);
  },
});
