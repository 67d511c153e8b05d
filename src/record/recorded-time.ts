import type { Clock } from '../kit/clock.ts';

/**
 * The time of a recording: that of the wall clock, but it never goes back, so that the order of times is that of events.
 * While the wall clock is behind what was recorded, as after it was set back, it goes on at the pace of the machine.
 */
export class RecordedTime {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  /** The last moment at which the wall clock was not behind. */
  #base: { readonly at: number; readonly monotonic: number };
  #last: number;

  /** `last`: the last time that is in the file, ms; 0 in a new one. */
  constructor(clock: Pick<Clock, 'now' | 'monotonic'>, last: number) {
    this.#clock = clock;
    this.#base = { at: last, monotonic: clock.monotonic() };
    this.#last = last;
  }

  /** Wall-clock ms. */
  now(): number {
    const wall = Math.floor(this.#clock.now());
    const monotonic = this.#clock.monotonic();
    if (wall >= this.#last) this.#base = { at: wall, monotonic };
    const { at, monotonic: since } = this.#base;
    this.#last = Math.max(this.#last, Math.floor(at + monotonic - since));
    return this.#last;
  }

  /** A time of the wall clock, not long ago, as a time of the recording. */
  of(wall: number): number {
    const now = this.now();
    return Math.min(now, Math.floor(wall + now - this.#clock.now()));
  }
}
