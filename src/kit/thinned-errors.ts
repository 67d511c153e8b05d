import type { Clock } from './clock.ts';
import type { LogFields, Logger } from './logger.ts';

const WINDOW_MS = 60_000;
/** So many failures of a minute are reported one by one. */
const ONE_BY_ONE = 10;

/**
 * Reports the failures of one callback, which may fail at each of thousands of events: the first ten of a minute one by one, then the 16th, the
 * 32nd and so on, each with the count of that minute (`failures`). Only the lines become rarer: a counter or a callback for errors sees each one.
 */
export class ThinnedErrors {
  readonly #clock: Clock;
  #since = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  report(logger: Logger, message: string, fields: LogFields): void {
    const now = this.#clock.monotonic();
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now;
      this.#failures = 0;
    }
    const failures = ++this.#failures;
    if (failures <= ONE_BY_ONE) logger.error(message, fields);
    else if (Number.isInteger(Math.log2(failures))) logger.error(message, { ...fields, failures });
  }
}
