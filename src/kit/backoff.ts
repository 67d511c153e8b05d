import { InformerError } from './error.ts';
import type { KnownOptionsOf } from './known-options.ts';

/** Settings of a {@link Backoff}. */
export interface BackoffOptions {
  /** First delay, ms. */
  initialMs: number;
  /** The factor by which each delay grows. */
  factor: number;
  /** Each delay d is drawn from [d, d + jitter·d). 0 = none. */
  jitter: number;
  /** Largest delay before jitter, ms. */
  capMs: number;
  /** After this time without a call the next delay is the first one again, ms. Infinity = only after `reset()`. */
  resetAfterMs?: number;
  /** The source of random numbers, uniform in [0, 1). Default Math.random. */
  random?: () => number;
}

/** The names and types of {@link BackoffOptions}, for their check. */
export const KNOWN_BACKOFF_OPTIONS = {
  initialMs: 'number',
  factor: 'number',
  jitter: 'number',
  capMs: 'number',
  resetAfterMs: 'number',
  random: 'function',
} satisfies KnownOptionsOf<BackoffOptions>;

/**
 * Exponential back-off. It computes delays and has no timer. Throws `argument` for options that give no delay.
 *
 * The time without a call is counted from the last call. (client-go counts from the first call, so it starts again
 * every two minutes even during constant failures: tools/cache/reflector.go, apimachinery wait/backoff.go.)
 */
export class Backoff {
  readonly #options: Required<BackoffOptions>;
  #next: number;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(options: BackoffOptions) {
    const { initialMs, factor, jitter, capMs, resetAfterMs = Number.POSITIVE_INFINITY, random = Math.random } = options;
    for (const [name, value] of Object.entries({ initialMs, jitter, capMs })) requireNumber(name, value, 0);
    requireNumber('factor', factor, 1);
    if (resetAfterMs !== Number.POSITIVE_INFINITY) requireNumber('resetAfterMs', resetAfterMs, 0);
    this.#options = { initialMs: Math.min(initialMs, capMs), factor, jitter, capMs, resetAfterMs, random };
    this.#next = this.#options.initialMs;
  }

  /** The next delay, ms. `nowMs` is the present time of a monotonic clock. */
  next(nowMs: number): number {
    const { initialMs, factor, jitter, capMs, resetAfterMs, random } = this.#options;
    if (nowMs - this.#lastAt > resetAfterMs) this.#next = initialMs;
    this.#lastAt = nowMs;
    const delay = this.#next;
    this.#next = Math.min(capMs, delay * factor);
    return delay + delay * jitter * random();
  }

  /** Makes the next delay the first one again, after a success. */
  reset(): void {
    this.#next = this.#options.initialMs;
  }
}

function requireNumber(name: string, value: unknown, least: number): void {
  if (Number.isFinite(value) && (value as number) >= least) return;
  throw new InformerError('argument', `${name} of a backoff must be a finite number not below ${least}, not ${value}`);
}
