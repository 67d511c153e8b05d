import type { Clock, Timer } from '../../kit/clock.ts';

/** How many notices a minute may have, and how many one may have that follows a minute with more. */
const PER_MINUTE = 20;
const PER_BAD_MINUTE = 2;
const MINUTE_MS = 60_000;
/** How many faults are remembered as told. */
const MOST_FAULTS = 50;

/**
 * Keeps a connection that breaks again and again from flooding stderr: a minute has so many notices of faults and resumed watches, the others
 * are counted, and the count is a line of its own when the minute is over. A fault not told before is always told. Not for gaps and relists:
 * these are never left out. Disposing ends it without a word.
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

  /** Whether the notice was told. `fault` names what is wrong, the same way each time. */
  tell(text: string, fault?: string): boolean {
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
      this.#notice(`the connection keeps breaking: ${count}; no gap is among them; it is ${this.#isAway() ? 'away' : 'there'} now`);
    }
  }
}
