import type { Clock } from '../../kit/clock.ts';

/** From here on a wait for the own rate limit is a warning. Source: client-go rest/request.go extraLongThrottleLatency. */
export const LONG_DELAY_MS = 1_000;
/** The least time between two such warnings. */
export const DELAY_REPORTS_MS = 10_000;

/**
 * A rate limiter: after a burst, requests proceed at `qps` per second on average, in the order of their calls.
 * A negative or infinite `qps` means no limit. Source: client-go util/flowcontrol, golang.org/x/time/rate.
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #qps: number;
  readonly #burst: number;
  /** The tokens that are left. Below zero while callers wait: these have taken their tokens in advance. */
  #tokens: number;
  #countedAt: number;

  constructor({ qps, burst, clock }: { qps: number; burst: number; clock: Clock }) {
    this.#clock = clock;
    this.#qps = qps;
    this.#burst = burst;
    this.#tokens = burst;
    this.#countedAt = clock.monotonic();
  }

  /** Waits for a token. Resolves with the wait, ms. Rejects with the signal's reason, and returns the token then. */
  async take(signal?: AbortSignal): Promise<number> {
    if (this.#qps < 0 || this.#qps === Number.POSITIVE_INFINITY) return 0;
    this.#refill();
    this.#tokens -= 1;
    if (this.#tokens >= 0) return 0;
    const waitMs = (-this.#tokens / this.#qps) * 1000;
    try {
      await this.#clock.sleep(waitMs, { signal });
    } catch (error) {
      this.#tokens += 1;
      throw error;
    }
    return waitMs;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#countedAt) / 1000) * this.#qps);
    this.#countedAt = now;
  }
}
