import type { Clock } from '../kit/clock.ts';
import type { ObjectKey } from '../model/key.ts';

/** A key waits for quiet at most this many times as long as for one event. */
const MOST_TIMES = 10;

/** When keys whose events come in bursts are due. Keeps one entry for each key that has not run since its events. */
export class Debounce {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #waiting = new Map<ObjectKey, { readonly since: number; readonly priority: number }>();

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** How long the key waits after an event that comes now, ms, and the highest priority of its events. */
  came(key: ObjectKey, priority: number): { readonly after: number; readonly priority: number } {
    const now = this.#clock.monotonic();
    const { since = now, priority: before = priority } = this.#waiting.get(key) ?? {};
    const highest = Math.max(before, priority);
    this.#waiting.set(key, { since, priority: highest });
    return { after: Math.max(0, Math.min(this.#ms, since + this.#ms * MOST_TIMES - now)), priority: highest };
  }

  /** Forgets the events of a key: a run of it begins, or it was dropped. */
  forget(key: ObjectKey): void {
    this.#waiting.delete(key);
  }
}
