import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';

describe('seededRandom', () => {
  it('gives the same numbers for a seed, and others for another seed', () => {
    const draw = (seed: number) => Array.from({ length: 5 }, seededRandom(seed));
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(3).every((n) => n >= 0 && n < 1)).toBe(true);
  });
});
