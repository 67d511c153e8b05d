import type { Clock } from '../../kit/clock.ts';

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
