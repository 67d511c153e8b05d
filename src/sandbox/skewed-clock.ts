import type { Clock, Timer } from '../kit/clock.ts';

/** A clock that shows another time of day than the one it runs on, and waits as that one does. */
export class SkewedClock implements Clock {
  readonly #clock: Clock;
  /** How far it is ahead, ms. */
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
