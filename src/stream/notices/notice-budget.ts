import type { Clock, Timer } from '../../kit/clock.ts';

/** How many notices a minute may have, and how many one may have that follows a minute with more. */
const PER_MINUTE = 20;
const PER_BAD_MINUTE = 2;
const MINUTE_MS = 60_000;
/** How many faults are remembered as reported. */
const MOST_FAULTS = 50;

/**
 * Keeps a connection that breaks again and again from flooding stderr: at most a number of notices of faults and
 * resumed watches is printed each minute. Further ones are counted, and a line gives the count when the minute is over.
 * A fault that was not reported before is always printed. Gaps and relists do not go through a budget: they are always
 * printed. Disposing prints nothing.
 */
export class NoticeBudget implements Disposable {
  readonly #clock: Clock;
  readonly #notice: (text: string) => void;
  readonly #isAway: () => boolean;
  readonly #faults = new Set<string>();
  #left = PER_MINUTE;
  #omitted = 0;
  #minute: Timer | undefined;

  /** `isAway` says whether there is no connection, for the line that counts. */
  constructor(clock: Clock, notice: (text: string) => void, isAway: () => boolean) {
    this.#clock = clock;
    this.#notice = notice;
    this.#isAway = isAway;
  }

  /**
   * Prints the notice unless the budget is spent; returns whether it did. `fault` identifies the cause: equal for equal
   * causes.
   */
  print(text: string, fault?: string): boolean {
    this.#minute ??= this.#clock.after(MINUTE_MS, () => this.#minuteOver());
    const isNews = fault !== undefined && this.#faults.size < MOST_FAULTS && !this.#faults.has(fault);
    if (isNews) this.#faults.add(fault);
    if (this.#left <= 0 && !isNews) {
      this.#omitted++;
      return false;
    }
    this.#left--;
    this.#notice(text);
    return true;
  }

  [Symbol.dispose](): void {
    this.#minute?.cancel();
    this.#minute = undefined;
  }

  #minuteOver(): void {
    const omitted = this.#omitted;
    const isBad = omitted > 0;
    this.#minute = isBad ? this.#clock.after(MINUTE_MS, () => this.#minuteOver()) : undefined;
    this.#left = isBad ? PER_BAD_MINUTE : PER_MINUTE;
    this.#omitted = 0;
    if (!isBad) this.#faults.clear();
    else {
      const count = `${omitted} more notice${omitted === 1 ? '' : 's'} of it in the last minute ${omitted === 1 ? 'was' : 'were'} left out`;
      this.#notice(
        `the connection keeps breaking: ${count}; no gap is among them; it is ${this.#isAway() ? 'away' : 'there'} now`,
      );
    }
  }
}
