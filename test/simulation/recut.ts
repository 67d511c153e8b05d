import type { RandomSource } from '../../src/kit/random.ts';

/** Most pieces keep their size. Some are cut into small pieces, down to single bytes. */
const LONGEST = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 2000, 200, 30, 3];

/** Yields the bytes of a body in pieces of other sizes, each without delay, because a network keeps no boundaries. */
export async function* recut(
  body: AsyncIterable<Uint8Array>,
  random: RandomSource,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of body) {
    const longest = LONGEST[Math.floor(random() * LONGEST.length)] as number;
    for (let at = 0; at < chunk.length; ) {
      const length = longest === Number.POSITIVE_INFINITY ? chunk.length : 1 + Math.floor(random() * longest);
      yield chunk.subarray(at, at + length);
      at += length;
    }
  }
}
