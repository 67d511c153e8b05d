import { humanDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import type { HookConfig } from '../manifest.ts';

/** How failed keys are retried: the numbers of client-go's default controller rate limiter. */
export interface RetryLimits {
  /** The delay of the first retry of a key; it doubles with each failure. */
  readonly baseMs: number;
  /** The longest delay. */
  readonly maxMs: number;
  /** The retries of all keys together, a second. */
  readonly qps: number;
  /** The retries that may happen at once. */
  readonly burst: number;
}

/** Source: client-go util/workqueue DefaultTypedControllerRateLimiter. */
const DEFAULTS: RetryLimits = { baseMs: 5, maxMs: 1_000_000, qps: 10, burst: 100 };

/** The limits of a config. Throws `argument` for limits that leave no delay, or contradict each other. */
export function retryLimitsOf({ retryBaseMs, retryMaxMs, retryQps, retryBurst }: HookConfig): RetryLimits {
  const { baseMs, maxMs, qps, burst } = {
    baseMs: retryBaseMs ?? Math.min(DEFAULTS.baseMs, retryMaxMs ?? DEFAULTS.baseMs),
    maxMs: retryMaxMs ?? DEFAULTS.maxMs,
    qps: retryQps ?? DEFAULTS.qps,
    burst: retryBurst ?? DEFAULTS.burst,
  };
  for (const [flag, ms] of [
    ['retry-max', maxMs],
    ['retry-base', baseMs],
  ] as const)
    if (!(ms > 0)) throw new InformerError('argument', `--${flag} must be more than no time`);
  if (baseMs > maxMs)
    throw new InformerError(
      'argument',
      `--retry-base (${durationText(baseMs)}) is longer than --retry-max (${durationText(maxMs)})`,
      { hint: 'the delay of a key grows from the first to the second' },
    );
  return { baseMs, maxMs, qps, burst };
}

const durationText = (ms: number) => (ms < 1000 ? `${ms}ms` : humanDuration(ms));
