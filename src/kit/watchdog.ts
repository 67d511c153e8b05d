import type { Clock, Timer } from './clock.ts';

export interface WatchdogOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Silence after which `onSilent` is called, ms. Infinity = never. */
  readonly limitMs: number;
  /** Called once each time the limit is reached; the watchdog then rests until the next {@link Watchdog.watch}. */
  readonly onSilent: () => void;
}

/**
 * Notices when nothing came for a while. Its owner calls `watch` when it begins to wait and each time that something came, and `rest` while
 * silence is not the other side's: before the first request, or while what came is worked on.
 *
 * Promises: one timer however often it is called, and none after it was disposed. Does not promise to notice early: `onSilent` comes at the
 * limit or, when the event loop is busy, after it.
 */
export class Watchdog implements Disposable {
  readonly #options: WatchdogOptions;
  #since: number | undefined;
  #timer: Timer | undefined;
  #isDisposed = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** The silence counts from now, or from `aheadMs` after now: before that nothing can come. */
  watch(aheadMs = 0): void {
    if (this.#isDisposed) return;
    const { clock, limitMs } = this.#options;
    this.#since = clock.monotonic() + aheadMs;
    if (!this.#timer && Number.isFinite(limitMs)) this.#arm(limitMs + aheadMs);
  }

  /** No silence counts until the next `watch`. */
  rest(): void {
    this.#since = undefined;
  }

  /** How long the present silence has lasted, ms; 0 while resting. */
  get silentMs(): number {
    return this.#since === undefined ? 0 : Math.max(0, this.#options.clock.monotonic() - this.#since);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.rest();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** A timer that comes too early looks what is missing and is set again for that, so that a call costs no timer. */
  #arm(ms: number): void {
    const { clock, limitMs, onSilent } = this.#options;
    this.#timer = clock.after(ms, () => {
      this.#timer = undefined;
      if (this.#since === undefined) return;
      const left = this.#since + limitMs - clock.monotonic();
      if (left > 0) return this.#arm(left);
      this.rest();
      onSilent();
    });
  }
}
