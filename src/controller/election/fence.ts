import type { Clock } from '../../kit/clock.ts';

/** A point in time on both clocks. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/**
 * How long a leader may act after a renewal. The time counts from when the renewal was sent: no other process can have
 * seen it earlier, so none can take the lease before its duration has passed from then.
 *
 * Each question reads the clocks, because a process that was frozen (SIGSTOP, a paused machine) gets no timer at the
 * right time. The monotonic clock does not count the time in which a machine sleeps; the wall clock does. The larger
 * difference counts. If the wall clock is set forward, the fence is shut until the next renewal.
 */
export class Fence {
  readonly #clock: Clock;
  readonly #limitMs: number;
  #renewed: Moment | undefined;

  /** @param limitMs How long a renewal lasts. */
  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Opens the fence, or keeps it open, by a renewal that was sent at `sentAt` and has succeeded. */
  renewed(sentAt: Moment): void {
    this.#renewed = sentAt;
  }

  close(): void {
    this.#renewed = undefined;
  }

  /** The time since the renewal was sent, ms; undefined when the fence is closed. */
  get ageMs(): number | undefined {
    if (!this.#renewed) return undefined;
    const now = momentOf(this.#clock);
    return Math.max(now.monotonic - this.#renewed.monotonic, now.wall - this.#renewed.wall);
  }

  get isOpen(): boolean {
    return this.openMs > 0;
  }

  /** How long it is still open at most, ms; 0 when it is shut. */
  get openMs(): number {
    const { ageMs } = this;
    return ageMs === undefined ? 0 : Math.max(0, this.#limitMs - ageMs);
  }

  /** The time until a timer has to shut it, ms, by the monotonic clock; undefined when the fence is closed. */
  get leftMs(): number | undefined {
    return this.#renewed && this.#limitMs - (this.#clock.monotonic() - this.#renewed.monotonic);
  }

  /**
   * The time to the next renewal, ms: `periodMs`, or less if an answer that takes `answerMs` would come after the fence
   * has shut.
   */
  pauseMs(periodMs: number, answerMs: number): number {
    const { leftMs } = this;
    return leftMs === undefined ? periodMs : Math.min(periodMs, Math.max(leftMs - answerMs, leftMs / 8, 0));
  }
}
