/** A timer that can be called off. Disposing it twice, or after it fired, does nothing. */
export interface Timer extends Disposable {
  cancel(): void;
}

/**
 * Where time comes from. Everything below `cli/` takes one, so that tests can turn hours in no time.
 *
 * Promises: callbacks and sleeps end in order of their deadline; an aborted sleep rejects with the signal's reason and leaves no timer.
 * Does not promise: that a timer fires before other work that is already due.
 */
export interface Clock {
  /** Wall-clock time, ms since the Unix epoch. May jump. */
  now(): number;
  /** Milliseconds since some fixed moment; never goes back. For durations. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, options?: { signal?: AbortSignal | undefined }): Promise<void>;
  /** Calls `run` once after `ms`, unless cancelled. */
  after(ms: number, run: () => void): Timer;
  /** Gives way to the event loop: resolves when input and output that are ready have had their turn. Takes no time of the clock. */
  yield(): Promise<void>;
}

/** setTimeout takes a signed 32-bit count; a longer wait is made of several. */
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

/** Sleeps by means of {@link Clock.after}; shared by every clock. */
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

/** {@link Clock.yield} by the event loop of the process; shared by every clock. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, options) => sleepOn(systemClock, ms, options?.signal),
  after: (ms, run) => new SystemTimer(ms, run),
  yield: yieldToEventLoop,
};
