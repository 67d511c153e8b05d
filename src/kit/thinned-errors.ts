import type { Clock } from './clock.ts';
import type { LogFields, Logger } from './logger.ts';

const WINDOW_MS = 60_000;
/** The number of failures in a minute that are logged one by one. */
const ONE_BY_ONE = 10;

/**
 * Logs the failures of a callback that may fail at each of thousands of events: in each minute the first ten, then the
 * 16th, the 32nd and so on, with the count of that minute (`failures`). Counters and error callbacks get all of them.
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
