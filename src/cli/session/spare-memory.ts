import { systemClock, type Timer } from '../../kit/clock.ts';
import { keepYoungGenerationSmall } from '../../kit/young-generation.ts';

/** A command that takes longer than this has enough to do that it pays to watch over its memory, ms. */
const SHORT_MS = 250;

/** Begins {@link keepYoungGenerationSmall} in a command that is not over at once. */
export function spareMemory(): Timer {
  return systemClock.after(SHORT_MS, () => keepYoungGenerationSmall());
}
