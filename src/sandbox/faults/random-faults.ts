import { InformerError } from '../../kit/error.ts';
import { type RandomSource, seededRandom } from '../../kit/random.ts';
import type { Fault, Incident, RandomFaults, RandomKind } from './fault.ts';

/** The faults that a client must recover from by itself. RandomSource faults are drawn from them by default. */
export const RANDOM_KINDS: readonly RandomKind[] = [
  'cut',
  'stall',
  'truncate',
  'empty',
  'gone',
  'status',
  'delay',
  'slow',
  'duplicate',
  'reorder',
  'refuse',
  'restart',
];

/**
 * A function that draws the fault of the next matching request, or none. Throws `argument` for a rate or kinds that are
 * not valid.
 */
export function randomFaults({ seed, rate, kinds = RANDOM_KINDS }: RandomFaults): () => Fault | Incident | undefined {
  if (!(rate >= 0 && rate <= 1))
    throw new InformerError('argument', `rate is ${rate}`, { hint: 'give a share from 0 to 1' });
  const unknown = kinds.length === 0 ? 'none' : kinds.find((k) => !Object.hasOwn(DRAWS, k));
  if (unknown !== undefined) {
    throw new InformerError('argument', `kinds: ${unknown}`, { hint: `name some of ${Object.keys(DRAWS).join(', ')}` });
  }
  const random = seededRandom(seed);
  return () => (random() < rate ? DRAWS[pick(random, kinds)](random) : undefined);
}

function pick<T>(random: RandomSource, items: readonly T[]): T {
  return items[upTo(random, items.length)] as T;
}

/** A whole number below `end`. */
function upTo(random: RandomSource, end: number): number {
  return Math.floor(random() * end);
}

const CODES = [429, 500, 503, 504] as const;

const after = (random: RandomSource) => ({ after: upTo(random, 20) });

const DRAWS: Readonly<Record<RandomKind, (random: RandomSource) => Fault | Incident>> = {
  cut: (random) => ({ kind: 'cut', ...(random() < 0.5 ? after(random) : { bytes: upTo(random, 4_000) }) }),
  stall: (random) => ({ kind: 'stall', ...after(random) }),
  truncate: (random) => ({ kind: 'truncate', ...after(random) }),
  empty: (random) => ({ kind: 'empty', ...after(random) }),
  gone: (random) => ({ kind: 'gone', ...after(random) }),
  duplicate: (random) => ({ kind: 'duplicate', ...after(random) }),
  reorder: (random) => ({ kind: 'reorder', ...after(random) }),
  status: (random) => ({ kind: 'status', code: pick(random, CODES), retryAfterSeconds: 1 + upTo(random, 3) }),
  delay: (random) => ({ kind: 'delay', ms: upTo(random, 10_000) }),
  slow: (random) => ({
    kind: 'slow',
    ms: upTo(random, 100),
    ...(random() < 0.5 ? { bytes: 16 + upTo(random, 512) } : {}),
  }),
  lag: (random) => ({ kind: 'lag', ms: upTo(random, 2_000) }),
  refuse: () => ({ kind: 'refuse' }),
  restart: (random) => ({ kind: 'restart', keepHistory: random() < 0.5, downMs: upTo(random, 5_000) }),
  skew: (random) => ({ kind: 'skew', ms: upTo(random, 1_200_000) - 600_000 }),
  expire: () => ({ kind: 'expire' }),
};
