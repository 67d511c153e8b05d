import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { Ring } from '../../kit/ring.ts';

/** How many writes may be sent in how long. */
export interface WriteBudget {
  /** Resolves when one more write is within the budget, and counts it. Rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<void>;
}

/** No more than `writes` in any span of `perMs`: the next one waits until the first of them is that old. Waiting takers are served in order; `onHeld` is called with each wait, in ms. */
export function createWriteBudget(
  { writes, perMs }: { writes: number; perMs: number },
  clock: Clock,
  onHeld: (waitMs: number) => void = () => {},
): WriteBudget {
  if (!Number.isInteger(writes) || writes < 1)
    throw new InformerError('argument', `maxWrites must be a whole number from 1, not ${writes}`);
  const sentAt = new Ring<number>(writes);
  return {
    async take(signal) {
      signal.throwIfAborted();
      const now = clock.monotonic();
      const freeAt = sentAt.size < writes ? now : Math.max(now, (sentAt.shift() ?? now) + perMs);
      sentAt.push(freeAt); // taken before the wait, so that those who come meanwhile queue up behind
      if (freeAt === now) return;
      onHeld(freeAt - now);
      await clock.sleep(freeAt - now, { signal });
    },
  };
}

export const unlimitedWrites: WriteBudget = {
  async take(signal) {
    signal.throwIfAborted();
  },
};
