import type { Clock } from '../kit/clock.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { checkArgument, checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';

/**
 * Decides how long a key waits before its next try, in ms. Source: client-go util/workqueue/default_rate_limiters.go.
 */
export interface RateLimiter {
  /** Returns the delay before the next try, ms. Counts one more failure of the key. */
  when(key: string): number;
  /** Forgets the failures of a key: its work succeeded, or was given up. */
  forget(key: string): void;
  /** The failures of the key since it was last forgotten. */
  numRequeues(key: string): number;
  /** The reason for the delay that `when` returned last: the failures of the key, or the rate of all keys. */
  decidedBy?(): DelayDecider | undefined;
  /** Called with the clock of the queue that asks it. A limiter that was given no clock uses that one. */
  useClock?(clock: Clock): void;
}

/** The reason for a delay: `back-off` for the failures of a key, `rate limit` for the rate of all keys. */
export type DelayDecider = 'back-off' | 'rate limit';

/** A delay that doubles with each failure of a key: `baseMs · 2^failures`, at most `maxMs`. */
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

  decidedBy(): DelayDecider {
    return 'back-off';
  }
}

/** A delay of `fastMs` for the first `fastTries` failures of a key, then of `slowMs`. */
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

  decidedBy(): DelayDecider {
    return 'back-off';
  }
}

/**
 * One token bucket for all keys: `qps` tokens a second, at most `burst` at once. A caller may take a future token, so
 * the delays of many callers at one moment follow each other at the given rate. Keeps no state for each key.
 */
export class BucketRateLimiter implements RateLimiter {
  readonly #qps: number;
  readonly #burst: number;
  #clock: Clock;
  readonly #isOwnClock: boolean;
  #tokens: number;
  #at: number;

  constructor(options: { qps: number; burst: number; clock?: Clock | undefined }) {
    checkOptions('BucketRateLimiter', options, { qps: 'number', burst: 'number', clock: 'clock' });
    const { qps, burst, clock = systemClock } = options;
    this.#isOwnClock = options.clock !== undefined;
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

  decidedBy(): DelayDecider {
    return 'rate limit';
  }

  useClock(clock: Clock): void {
    if (this.#isOwnClock || clock === this.#clock) return;
    this.#clock = clock;
    this.#at = clock.monotonic();
  }
}

/** The longest delay of several limiters. Each call asks all of them, so each of them counts the failure. */
export class MaxOfRateLimiter implements RateLimiter {
  readonly #limiters: readonly RateLimiter[];
  #decider: RateLimiter | undefined;

  constructor(limiters: readonly RateLimiter[]) {
    checkArgument('MaxOfRateLimiter', 'limiters', limiters, 'list');
    for (const limiter of limiters) checkArgument('MaxOfRateLimiter', 'a limiter', limiter, 'rateLimiter');
    this.#limiters = limiters;
  }

  when(key: string): number {
    let longest = 0;
    this.#decider = undefined;
    for (const limiter of this.#limiters) {
      const delay = limiter.when(key);
      if (!(delay <= longest) && !Number.isNaN(longest)) {
        longest = delay;
        this.#decider = limiter;
      }
    }
    return longest;
  }

  forget(key: string): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  numRequeues(key: string): number {
    return this.#limiters.reduce((most, limiter) => Math.max(most, limiter.numRequeues(key)), 0);
  }

  decidedBy(): DelayDecider | undefined {
    return this.#decider?.decidedBy?.();
  }

  useClock(clock: Clock): void {
    for (const limiter of this.#limiters) limiter.useClock?.(clock);
  }
}

/** The delay of another limiter, but at most `maxMs`. */
export class WithMaxWaitRateLimiter implements RateLimiter {
  readonly #limiter: RateLimiter;
  readonly #maxMs: number;

  constructor(limiter: RateLimiter, maxMs: number) {
    checkArgument('WithMaxWaitRateLimiter', 'limiter', limiter, 'rateLimiter');
    checkArgument('WithMaxWaitRateLimiter', 'maxMs', maxMs, 'number');
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

  decidedBy(): DelayDecider | undefined {
    return this.#limiter.decidedBy?.();
  }

  useClock(clock: Clock): void {
    this.#limiter.useClock?.(clock);
  }
}

/** Options of {@link createControllerRateLimiter}. */
export interface ControllerRateLimiterOptions {
  /** The delay of the first retry of a key, ms. Default 5. */
  baseMs?: number | undefined;
  /** The longest delay for a key, ms. Default 1,000,000. */
  maxMs?: number | undefined;
  /** The retries of all keys together, a second. Default 10. */
  qps?: number | undefined;
  /** The retries of all keys together that may happen at once. Default 100. */
  burst?: number | undefined;
  clock?: Clock | undefined;
}

const KNOWN_OPTIONS = {
  baseMs: 'number',
  maxMs: 'number',
  qps: 'number',
  burst: 'number',
  clock: 'clock',
} satisfies KnownOptionsOf<ControllerRateLimiterOptions>;

/**
 * The default limiter of controllers: an exponential delay for each key, from 5 ms to 1000 s, and one bucket for all
 * keys with 10 retries a second and a burst of 100. The longer delay counts.
 */
export function createControllerRateLimiter(options: ControllerRateLimiterOptions = {}): RateLimiter {
  checkOptions('createControllerRateLimiter', options, KNOWN_OPTIONS);
  const { baseMs = 5, maxMs = 1_000_000, qps = 10, burst = 100, clock } = options;
  return new MaxOfRateLimiter([
    new ItemExponentialFailureRateLimiter(baseMs, maxMs),
    new BucketRateLimiter({ qps, burst, clock }),
  ]);
}

/** An exponential delay for each key, from 1 ms to 1000 s, without a limit for all keys. */
export function createItemRateLimiter(): RateLimiter {
  return new ItemExponentialFailureRateLimiter(1, 1_000_000);
}

class Failures {
  readonly #counts = new Map<string, number>();

  /** Counts one more failure. Returns the number before it. */
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
  checkArgument('a rate limiter', name, value, 'number');
  if (value > 0) return value;
  throw new InformerError('argument', `${name} must be above zero, not ${value}`);
}
