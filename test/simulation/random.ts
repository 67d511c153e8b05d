import type { Random } from '../../src/kit/random.ts';

export type { Random } from '../../src/kit/random.ts';

export const pick = <V>(random: Random, values: readonly V[]): V => values[Math.floor(random() * values.length)] as V;
