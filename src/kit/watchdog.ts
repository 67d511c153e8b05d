import type { Clock, Timer } from './clock.ts';

/** Settings of a {@link Watchdog}. */
export interface WatchdogOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** The silence after which `onSilent` is called, ms. Infinity = never. */
  readonly limitMs: number;
  /** Called once each time the limit is reached; the watchdog then rests until the next {@link Watchdog.watch}. */
  readonly onSilent: () => void;
}

/**
 * Detects silence. Its owner calls `watch` when it begins to wait and each time that something arrives, and `rest`
 * while the other side owes nothing: before the first request, or while the owner handles what arrived.
 *
 * Promises: one timer for any number of calls, and none after disposal. `onSilent` is called at the limit or, if the
 * event loop is busy, after it.
 */
export class Watchdog implements Disposable {
  readonly #options: WatchdogOptions;
  #since: number | undefined;
  #timer: Timer | undefined;
  #isDisposed = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** Counts silence from now, or from `aheadMs` after now if nothing can arrive before. */
  watch(aheadMs = 0): void {
    if (this.#isDisposed) return;
    const { clock, limitMs } = this.#options;
    this.#since = clock.monotonic() + aheadMs;
    if (!this.#timer && Number.isFinite(limitMs)) this.#arm(limitMs + aheadMs);
  }

  /** Counts no silence until the next `watch`. */
  rest(): void {
    this.#since = undefined;
  }

  /** Whether silence counts: since the last `watch`, unless it rests. */
  get isWatching(): boolean {
    return this.#since !== undefined;
  }

  /** The length of the present silence, ms; 0 while resting. */
  get silentMs(): number {
    return this.#since === undefined ? 0 : Math.max(0, this.#options.clock.monotonic() - this.#since);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.rest();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** A timer that fires too early is set again for the remaining time, so that `watch` needs no new timer. */
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
