import type { Clock } from '../kit/clock.ts';

/** A clock whose timers do not end: a server of writes that has it does nothing by itself. */
export function stillClock(clock: Clock): Clock {
  const timer = { cancel() {}, [Symbol.dispose]() {} };
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms, options) => clock.sleep(ms, options),
    yield: () => clock.yield(),
    after: () => timer,
  };
}
