import type { Clock, Timer } from '../kit/clock.ts';

/**
 * A clock whose time of day differs from that of another clock by `skewMs`. Its timers are those of the other clock.
 */
export class SkewedClock implements Clock {
  readonly #clock: Clock;
  /** How far this clock is ahead, ms; negative when it is behind. */
  skewMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now() + this.skewMs;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(ms: number, options?: { signal?: AbortSignal | undefined }): Promise<void> {
    return this.#clock.sleep(ms, options);
  }

  after(ms: number, run: () => void): Timer {
    return this.#clock.after(ms, run);
  }

  yield(): Promise<void> {
    return this.#clock.yield();
  }
}
