import type { Clock, Timer } from '../../kit/clock.ts';
import { Latch } from '../../kit/latch.ts';
import type { RandomSource } from '../../kit/random.ts';

/** The mean pause between two attempts, ms. Each pause is drawn from [0.5, 1.5] times this. */
const EVERY_MS = 800;
/** After this time of refusals a watch is taken to have a problem of its own, ms. */
const LASTING_MS = 300_000;
/** The shortest pause between two attempts of such a watch, ms. */
const LASTING_EVERY_MS = 5_000;
/** Once the server accepts a watch again, the others are attempted within this time and not all at once, ms. */
const COMING_BACK_MS = 300;

interface Waiter {
  readonly by: object;
  /** The earliest time of its next attempt, on the monotonic clock, ms. */
  readonly dueAt: number;
  readonly turn: Latch;
  /** Whether its turn came together with that of others, because the server accepted a watch. */
  isWithOthers: boolean;
}

/** Decides which watch may be attempted next. A watch is identified by an object that is the same at each attempt. */
export interface WatchTurns {
  /** Resolves when the refused watch `by` may be attempted again. Rejects with the signal's reason. */
  wait(by: object, signal: AbortSignal): Promise<void>;
  /** Must be called when the server has accepted a watch. */
  accepted(by: object): void;
}

/** Settings of {@link RefusedWatches}. */
export interface RefusedWatchesOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
}

/**
 * Decides when a watch that the server refused may be attempted again, for all watches of one server. One watch is
 * attempted at a time, in turn, about once a second. As soon as the server accepts one, all others may be attempted.
 */
export class RefusedWatches implements WatchTurns {
  readonly #options: RefusedWatchesOptions;
  readonly #waiting: Waiter[] = [];
  /** The time of the first refusal of each watch. */
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
    const waiter = {
      by,
      dueAt: now - since < LASTING_MS ? now : now + LASTING_EVERY_MS,
      turn: new Latch(),
      isWithOthers: false,
    };
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
