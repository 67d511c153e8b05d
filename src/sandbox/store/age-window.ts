import type { Clock } from '../../kit/clock.ts';

/** Records when each revision was reached, as exactly as forgetting by age needs. */
export class AgeWindow {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #windowMs: number;
  readonly #stepMs: number;
  /** The last revision of each step of time, oldest first. */
  #marks: { readonly since: number; revision: number }[] = [];
  #floor = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, windowMs: number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.#stepMs = windowMs / STEPS;
  }

  /** Records that a revision is reached now. */
  note(revision: number): void {
    if (this.#windowMs === Number.POSITIVE_INFINITY) return;
    const now = this.#clock.monotonic();
    const last = this.#marks.at(-1);
    if (last && now < last.since + this.#stepMs) last.revision = revision;
    else this.#marks.push({ since: now, revision });
  }

  /**
   * The latest revision that is older than the window; 0 when there is none. It can be late by one hundredth of the
   * window.
   */
  get floor(): number {
    if (this.#marks.length === 0) return this.#floor;
    const old = this.#clock.monotonic() - this.#windowMs - this.#stepMs;
    const young = this.#marks.findIndex((m) => m.since > old);
    const passed = young === -1 ? this.#marks.length : young;
    if (passed > 0) {
      this.#floor = this.#marks[passed - 1]?.revision ?? this.#floor;
      this.#marks = this.#marks.slice(passed);
    }
    return this.#floor;
  }
}

const STEPS = 100;
