import type { Clock } from '../../kit/clock.ts';

/** The same error is reported again after this time, ms. */
const AGAIN_MS = 60_000;

/** The errors of requests for leases that were reported. */
export class LeaseErrors {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #reported = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Whether an error is to be reported now. It counts as reported then. */
  isDue(text: string): boolean {
    const now = this.#clock.monotonic();
    const before = this.#reported.get(text);
    if (before !== undefined && now - before < AGAIN_MS) return false;
    if (this.#reported.size > 50) this.#reported.clear();
    this.#reported.set(text, now);
    return true;
  }
}
