import type { Clock, Timer } from './clock.ts';

/** A timer that fires this much later than its time, ms, shows that this process did not run. */
const SUSPENDED_MS = 1_000;

/**
 * A time limit for an answer of another process, which counts only while this process runs. Calls `run` after `ms`,
 * unless it is cancelled.
 *
 * A process that was suspended (Ctrl-Z, a laptop that slept) or got no processor finds its timers due before it has read
 * what was sent to it meanwhile. So input that waits is handled before `run` is called, and a timer that is more than a
 * second late starts the limit again.
 */
export function afterOwnTime(clock: Clock, ms: number, run: () => void): Timer {
  let isCancelled = false;
  let timer: Timer;
  const start = () => {
    const due = clock.monotonic() + ms;
    timer = clock.after(ms, () => {
      if (clock.monotonic() - due > SUSPENDED_MS) return start();
      void clock.yield().then(() => {
        if (!isCancelled) run();
      });
    });
  };
  const cancel = () => {
    isCancelled = true;
    timer.cancel();
  };
  start();
  return { cancel, [Symbol.dispose]: cancel };
}
