/** A timer that can be cancelled. To dispose of it twice, or after it fired, does nothing. */
export interface Timer extends Disposable {
  cancel(): void;
}

/**
 * The source of time. All code below `cli/` takes one, so that tests let hours pass at once.
 *
 * Promises: callbacks and sleeps end in the order of their deadlines; an aborted sleep rejects with the signal's reason
 * and leaves no timer. Does not promise that a timer fires before other work that is already due.
 */
export interface Clock {
  /** Wall-clock time, ms since the Unix epoch. May jump. */
  now(): number;
  /** Milliseconds since a fixed moment. Never goes back. For durations. */
  monotonic(): number;
  /** Resolves after `ms`. Rejects with the signal's reason if the signal aborts first. */
  sleep(ms: number, options?: { signal?: AbortSignal | undefined }): Promise<void>;
  /** Calls `run` once after `ms`, unless cancelled. */
  after(ms: number, run: () => void): Timer;
  /** Yields to the event loop: resolves after pending input and output were handled. The clock does not advance. */
  yield(): Promise<void>;
}

/** The largest delay of setTimeout, a signed 32-bit number. A longer wait uses several timers. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

class SystemTimer implements Timer {
  #handle: NodeJS.Timeout | undefined;

  constructor(ms: number, run: () => void) {
    this.#arm(Math.max(0, ms), run);
  }

  #arm(ms: number, run: () => void): void {
    const step = Math.min(ms, LONGEST_TIMER_MS);
    this.#handle = setTimeout(() => (step < ms ? this.#arm(ms - step, run) : run()), step);
  }

  cancel(): void {
    clearTimeout(this.#handle);
  }

  [Symbol.dispose](): void {
    this.cancel();
  }
}

/** {@link Clock.sleep} by {@link Clock.after}, shared by all clocks. */
export function sleepOn(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    });
    const aborted = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** {@link Clock.yield} by the event loop of the process, shared by all clocks. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The clock of the system. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // performance.now() loads Node's whole performance module, in the middle of a start; a bigint takes 1.5 times as long
  monotonic() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  sleep: (ms, options) => sleepOn(systemClock, ms, options?.signal),
  after: (ms, run) => new SystemTimer(ms, run),
  yield: yieldToEventLoop,
};
