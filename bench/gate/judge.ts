import { median } from '../results.ts';

/** One build and the other, one right after the other: the CPU time of each, ms. */
export interface Pair {
  readonly base: number;
  readonly now: number;
}

/** `unclear`: the pairs that there are could be of a build within the limit as well as of one beyond it. */
export type Verdict = 'within' | 'slower' | 'unclear';

export interface Judgement {
  /** Median CPU time, ms. */
  readonly base: number;
  readonly now: number;
  /** `now` to `base`. */
  readonly ratio: number;
  /** The ratio lies between these with about nine chances in ten. */
  readonly low: number;
  readonly high: number;
  readonly verdict: Verdict;
}

/** How many standard deviations of a binomial distribution nine chances in ten are on both sides. */
const NINE_IN_TEN = 1.645;
/** Fewer pairs say nothing of how much they vary. */
const FEWEST = 4;

/**
 * Whether a build takes more than `limit` times the CPU time of the base. The ratio is that of the medians; how sure it
 * is comes from the ratios of the pairs, because load of the machine hits both builds of a pair.
 */
export function judge(pairs: readonly Pair[], limit: number): Judgement {
  const base = median(pairs.map((pair) => pair.base)) ?? Number.NaN;
  const now = median(pairs.map((pair) => pair.now)) ?? Number.NaN;
  const ratio = now / base;
  const { low, high } = likelyRange(pairs.map((pair) => pair.now / pair.base));
  const isSure = pairs.length >= FEWEST && (high <= limit || low > limit);
  return { base, now, ratio, low, high, verdict: isSure ? verdictOf(low, limit) : 'unclear' };
}

/** The last word on a row: what no more pairs shall be measured for is decided by its ratio. */
export function isSlower({ ratio, verdict }: Judgement, limit: number): boolean {
  return verdict === 'unclear' ? ratio > limit : verdict === 'slower';
}

function verdictOf(value: number, limit: number): Verdict {
  return value > limit ? 'slower' : 'within';
}

/** The values between which the true median lies, by the ranks of a sample: no shape of the noise is assumed. */
function likelyRange(values: readonly number[]): { low: number; high: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const { length } = sorted;
  const rank = Math.max(0, Math.floor((length - NINE_IN_TEN * Math.sqrt(length)) / 2));
  return { low: sorted[rank] ?? Number.NaN, high: sorted[length - 1 - rank] ?? Number.NaN };
}
