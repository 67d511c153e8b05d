import type { RandomSource } from '../../src/kit/random.ts';

export type { RandomSource } from '../../src/kit/random.ts';

export const pick = <V>(random: RandomSource, values: readonly V[]): V =>
  values[Math.floor(random() * values.length)] as V;
