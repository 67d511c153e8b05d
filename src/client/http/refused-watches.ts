import type { Clock, Timer } from '../../kit/clock.ts';
import { Latch } from '../../kit/latch.ts';
import type { Random } from '../../kit/random.ts';

/** The pause between two tries is drawn from [half, one and a half] of this, ms. */
const EVERY_MS = 800;
/** A watch that has been refused for so long is refused for a reason of its own, ms. */
const LASTING_MS = 300_000;
/** The least pause between two tries of such a one, ms. */
const LASTING_EVERY_MS = 5_000;
/** When the server accepts one again, the others come within this time, not all at once. */
const COMING_BACK_MS = 300;

interface Waiter {
  readonly by: object;
  /** When it may try at the earliest, on the monotonic clock. */
  readonly dueAt: number;
  readonly turn: Latch;
  isWithOthers: boolean;
}

/** Says whose turn it is. Each watch is named by an object that stays the same from try to try. */
export interface WatchTurns {
  /** Resolves when the one that was refused may try again; rejects with the signal's reason. */
  wait(by: object, signal: AbortSignal): Promise<void>;
  /** To be called when the server accepted a watch. */
  accepted(by: object): void;
}

export interface RefusedWatchesOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Says when a watch that the server refused may be tried again, for all watches of that server: one tries at a time, in turns, about once a
 * second. As soon as the server accepts one that tried, all others may.
 */
export class RefusedWatches implements WatchTurns {
  readonly #options: RefusedWatchesOptions;
  readonly #waiting: Waiter[] = [];
  /** Since when each has been refused. */
  readonly #since = new WeakMap<object, number>();
  readonly #trying = new WeakSet<object>();
  #timer: Timer | undefined;

  constructor(options: RefusedWatchesOptions) {
    this.#options = options;
  }

  async wait(by: object, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const now = clock.monotonic();
    const since = this.#since.get(by) ?? now;
    this.#since.set(by, since);
    this.#trying.delete(by);
    const waiter = { by, dueAt: now - since < LASTING_MS ? now : now + LASTING_EVERY_MS, turn: new Latch(), isWithOthers: false };
    this.#waiting.push(waiter);
    this.#arm();
    try {
      await waiter.turn.wait(signal);
    } finally {
      this.#leave(waiter);
    }
    if (waiter.isWithOthers) await clock.sleep(random() * COMING_BACK_MS, { signal });
  }

  accepted(by: object): void {
    this.#since.delete(by);
    if (!this.#trying.delete(by)) return;
    for (const waiter of [...this.#waiting]) {
      waiter.isWithOthers = true;
      waiter.turn.open();
    }
  }

  #leave(waiter: Waiter): void {
    const at = this.#waiting.indexOf(waiter);
    if (at >= 0) this.#waiting.splice(at, 1);
    if (this.#waiting.length > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const { clock, random } = this.#options;
    this.#timer ??= clock.after(EVERY_MS * (0.5 + random()), () => {
      this.#timer = undefined;
      const next = this.#waiting.find(({ dueAt }) => dueAt <= clock.monotonic());
      if (next) {
        this.#trying.add(next.by);
        this.#leave(next);
        next.turn.open();
      }
      if (this.#waiting.length > 0) this.#arm();
    });
  }
}
