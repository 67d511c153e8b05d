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
  { clock, onProgress }: PatientFilterOptions,
): Promise<number[]> {
  const found: number[] = [];
  let looked = 0;
  let turn = clock.monotonic();
  let sayAt = turn + SAY_AFTER_MS;
  let sayAfterMs = SAY_AFTER_MS;
  for (const object of objects) {
    if (object !== undefined && matches(object)) found.push(looked);
    if (++looked % LOOK_EVERY !== 0) continue;
    const now = clock.monotonic();
    if (now - turn < LONGEST_TURN_MS) continue;
    if (now >= sayAt) {
      sayAfterMs *= 2;
      sayAt = now + sayAfterMs;
      onProgress(looked);
    }
    await clock.yield();
    turn = clock.monotonic();
  }
  return found;
}
