import type { Clock } from '../../kit/clock.ts';

/** A search lets other code run after this time, ms. */
const LONGEST_TURN_MS = 8;
/** The number of objects between two looks at the time. Each may have to be decoded. */
const LOOK_EVERY = 64;
/** A search that takes longer than this says how far it is, and again after twice as long each time, ms. */
const SAY_AFTER_MS = 2000;

/** The options of a search beside the objects. */
export interface PatientFilterOptions {
  readonly clock: Clock;
  /** Called with the number of objects that were looked at, when that takes long. */
  readonly onProgress: (looked: number) => void;
}

/**
 * The places of the objects that match, found without blocking other code. The objects themselves are not kept, because
 * they may be all of a large cache. `undefined` stands for an object that need not be looked at.
 */
export async function placesPatiently<T>(
  objects: Iterable<T | undefined>,
  matches: (object: T) => boolean,
  options: PatientFilterOptions,
): Promise<number[]> {
  const found: number[] = [];
  const patience = new Patience(options);
  let looked = 0;
  for (const object of objects) {
    if (object !== undefined && matches(object)) found.push(looked);
    if (patience.isDue(++looked)) await patience.rest(looked);
  }
  return found;
}

/** Calls a function for each place of a list, without blocking other code. */
export async function eachPatiently(
  count: number,
  look: (place: number) => void,
  options: PatientFilterOptions,
): Promise<void> {
  const patience = new Patience(options);
  for (let place = 0; place < count; ) {
    look(place++);
    if (patience.isDue(place)) await patience.rest(place);
  }
}

/** Says when a search lets other code run, and how far it is. */
class Patience {
  readonly #clock: Clock;
  readonly #onProgress: PatientFilterOptions['onProgress'];
  #turn: number;
  #now: number;
  #sayAt: number;
  #sayAfterMs = SAY_AFTER_MS;

  constructor({ clock, onProgress }: PatientFilterOptions) {
    this.#clock = clock;
    this.#onProgress = onProgress;
    this.#turn = this.#now = clock.monotonic();
    this.#sayAt = this.#turn + SAY_AFTER_MS;
  }

  /** Whether it is time to rest, after this number of objects. */
  isDue(looked: number): boolean {
    if (looked % LOOK_EVERY !== 0) return false;
    this.#now = this.#clock.monotonic();
    return this.#now - this.#turn >= LONGEST_TURN_MS;
  }

  async rest(looked: number): Promise<void> {
    if (this.#now >= this.#sayAt) {
      this.#sayAfterMs *= 2;
      this.#sayAt = this.#now + this.#sayAfterMs;
      this.#onProgress(looked);
    }
    await this.#clock.yield();
    this.#turn = this.#clock.monotonic();
  }
}
