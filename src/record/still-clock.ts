import type { Clock } from '../kit/clock.ts';

/** A clock whose timers do not end: a server of writes that has it does nothing by itself. `now`: the time of its objects. */
export function stillClock(clock: Clock, now = () => clock.now()): Clock {
  const timer = { cancel() {}, [Symbol.dispose]() {} };
  return {
    now,
    monotonic: () => clock.monotonic(),
    sleep: (ms, options) => clock.sleep(ms, options),
    yield: () => clock.yield(),
    after: () => timer,
  };
}
