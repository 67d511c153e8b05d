import type { Clock } from '../kit/clock.ts';

/** Lets runs begin at a rate: `burst` at once, and one more after each interval. */
export class RunRate {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #burst: number;
  /** When the runs so far would be paid for. */
  #paidAt = Number.NEGATIVE_INFINITY;

  constructor({ intervalMs, burst }: { intervalMs: number; burst: number }, clock: Clock) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#burst = burst;
  }

  /** Resolves when a run may begin. */
  async wait(signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    const from = Math.max(this.#paidAt, now);
    this.#paidAt = from + this.#intervalMs;
    const waitMs = from - now - (this.#burst - 1) * this.#intervalMs;
    if (waitMs > 0) await this.#clock.sleep(waitMs, { signal });
  }
}
