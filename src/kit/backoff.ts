import { InformerError } from './error.ts';
import type { KnownOptionsOf } from './known-options.ts';

export interface BackoffOptions {
  /** First delay, ms. */
  initialMs: number;
  /** Growth per step. */
  factor: number;
  /** Each delay d is drawn from [d, d + jitter·d). 0 = none. */
  jitter: number;
  /** Ceiling of the delay before jitter, ms. */
  capMs: number;
  /** After this long without a call the ladder starts anew, ms. Infinity = only by `reset()`. */
  resetAfterMs?: number;
  /** Uniform in [0, 1). */
  random?: () => number;
}

/** What {@link BackoffOptions} may hold. */
export const KNOWN_BACKOFF_OPTIONS = {
  initialMs: 'number',
  factor: 'number',
  jitter: 'number',
  capMs: 'number',
  resetAfterMs: 'number',
  random: 'function',
} satisfies KnownOptionsOf<BackoffOptions>;

/**
 * Exponential back-off as a plain value: it says how long to wait and keeps no timer. Throws `argument` for options that give no delay.
 *
 * The reset is a true "after a quiet spell" one, counted from the last call. (client-go counts from the first and so starts over every
 * two minutes even while failing without a break: tools/cache/reflector.go, apimachinery wait/backoff.go.)
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

  /** The next delay in ms, given the present moment (any steady ms count). */
  next(nowMs: number): number {
    const { initialMs, factor, jitter, capMs, resetAfterMs, random } = this.#options;
    if (nowMs - this.#lastAt > resetAfterMs) this.#next = initialMs;
    this.#lastAt = nowMs;
    const delay = this.#next;
    this.#next = Math.min(capMs, delay * factor);
    return delay + delay * jitter * random();
  }

  /** Starts the ladder anew, after a success. */
  reset(): void {
    this.#next = this.#options.initialMs;
  }
}

function requireNumber(name: string, value: unknown, least: number): void {
  if (Number.isFinite(value) && (value as number) >= least) return;
  throw new InformerError('argument', `${name} of a backoff must be a finite number not below ${least}, not ${value}`);
}
