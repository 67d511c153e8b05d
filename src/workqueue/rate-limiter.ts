import type { Clock } from '../kit/clock.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';

/** Says how long a key has to wait before its next try. Delays in ms. Source: client-go util/workqueue/default_rate_limiters.go. */
export interface RateLimiter {
  /** The delay of the next try; counts as one more failure of the key. */
  when(key: string): number;
  /** Ends the tracking of a key: it did its work, or was given up. */
  forget(key: string): void;
  /** Failures of the key since it was last forgotten. */
  numRequeues(key: string): number;
}

/** Doubles per failure: `baseMs · 2^failures`, at most `maxMs`. */
export class ItemExponentialFailureRateLimiter implements RateLimiter {
  readonly #baseMs: number;
  readonly #maxMs: number;
  readonly #failures = new Failures();

  constructor(baseMs: number, maxMs: number) {
    this.#baseMs = positive('baseMs', baseMs);
    this.#maxMs = positive('maxMs', maxMs);
  }

  when(key: string): number {
    return Math.min(this.#maxMs, this.#baseMs * 2 ** this.#failures.add(key));
  }

  forget(key: string): void {
    this.#failures.forget(key);
  }

  numRequeues(key: string): number {
    return this.#failures.of(key);
  }
}

/** `fastMs` for the first `fastTries` failures of a key, then `slowMs`. */
export class ItemFastSlowRateLimiter implements RateLimiter {
  readonly #options: { fastMs: number; slowMs: number; fastTries: number };
  readonly #failures = new Failures();

  constructor(options: { fastMs: number; slowMs: number; fastTries: number }) {
    checkOptions('ItemFastSlowRateLimiter', options, { fastMs: 'number', slowMs: 'number', fastTries: 'number' });
    this.#options = options;
  }

  when(key: string): number {
    const { fastMs, slowMs, fastTries } = this.#options;
    return this.#failures.add(key) < fastTries ? fastMs : slowMs;
  }

  forget(key: string): void {
    this.#failures.forget(key);
  }

  numRequeues(key: string): number {
    return this.#failures.of(key);
  }
}

/**
 * One token bucket for all keys: `qps` tokens a second, `burst` of them at once. A token not there yet is taken in advance, so the delays
 * of many callers at one moment follow each other at the given rate. Keeps nothing per key.
 */
export class BucketRateLimiter implements RateLimiter {
  readonly #qps: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;

  constructor(options: { qps: number; burst: number; clock?: Clock | undefined }) {
    checkOptions('BucketRateLimiter', options, { qps: 'number', burst: 'number', clock: true });
    const { qps, burst, clock = systemClock } = options;
    this.#qps = positive('qps', qps);
    this.#burst = positive('burst', burst);
    this.#clock = clock;
    this.#tokens = burst;
    this.#at = clock.monotonic();
  }

  when(_key?: string): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#qps) - 1;
    this.#at = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#qps) * 1000;
  }

  forget(): void {}

  numRequeues(): number {
    return 0;
  }
}

/** The longest delay any of several limiters gives. All of them are asked, so all of them advance. */
export class MaxOfRateLimiter implements RateLimiter {
  readonly #limiters: readonly RateLimiter[];

  constructor(limiters: readonly RateLimiter[]) {
    this.#limiters = limiters;
  }

  when(key: string): number {
    return this.#limiters.reduce((longest, limiter) => Math.max(longest, limiter.when(key)), 0);
  }

  forget(key: string): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  numRequeues(key: string): number {
    return this.#limiters.reduce((most, limiter) => Math.max(most, limiter.numRequeues(key)), 0);
  }
}

/** Another limiter's delay, but never more than `maxMs`. */
export class WithMaxWaitRateLimiter implements RateLimiter {
  readonly #limiter: RateLimiter;
  readonly #maxMs: number;

  constructor(limiter: RateLimiter, maxMs: number) {
    this.#limiter = limiter;
    this.#maxMs = maxMs;
  }

  when(key: string): number {
    return Math.min(this.#limiter.when(key), this.#maxMs);
  }

  forget(key: string): void {
    this.#limiter.forget(key);
  }

  numRequeues(key: string): number {
    return this.#limiter.numRequeues(key);
  }
}

export interface ControllerRateLimiterOptions {
  /** First retry of a key, ms. Default 5. */
  baseMs?: number | undefined;
  /** Longest retry of a key, ms. Default 1,000,000. */
  maxMs?: number | undefined;
  /** Retries of all keys a second. Default 10. */
  qps?: number | undefined;
  /** Retries of all keys at once. Default 100. */
  burst?: number | undefined;
  clock?: Clock | undefined;
}

const KNOWN_OPTIONS = {
  baseMs: 'number',
  maxMs: 'number',
  qps: 'number',
  burst: 'number',
  clock: true,
} satisfies KnownOptionsOf<ControllerRateLimiterOptions>;

/** What controllers use unless told otherwise: exponential per key, 5 ms to 1000 s, and a bucket of 10 a second, burst 100, over all. */
export function createControllerRateLimiter(options: ControllerRateLimiterOptions = {}): RateLimiter {
  checkOptions('createControllerRateLimiter', options, KNOWN_OPTIONS);
  const { baseMs = 5, maxMs = 1_000_000, qps = 10, burst = 100, clock } = options;
  return new MaxOfRateLimiter([new ItemExponentialFailureRateLimiter(baseMs, maxMs), new BucketRateLimiter({ qps, burst, clock })]);
}

/** Exponential per key, 1 ms to 1000 s, with no overall limit. */
export function createItemRateLimiter(): RateLimiter {
  return new ItemExponentialFailureRateLimiter(1, 1_000_000);
}

class Failures {
  readonly #counts = new Map<string, number>();

  /** Counts one more; gives how many there were before. */
  add(key: string): number {
    const before = this.of(key);
    this.#counts.set(key, before + 1);
    return before;
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  forget(key: string): void {
    this.#counts.delete(key);
  }
}

function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw new InformerError('argument', `${name} must be above zero, not ${value}`);
}
