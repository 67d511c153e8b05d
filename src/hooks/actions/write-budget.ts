import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { Ring } from '../../kit/ring.ts';
import type { ObjectKey } from '../../model/key.ts';

/** The budget of a hook that was given no rate. No hook that does its work needs more; one that is run again by its own writes does. */
export const DEFAULT_WRITES = { writes: 600, perMs: 60_000 };

/** A limit on the rate of writes. */
export interface WriteBudget {
  /**
   * Counts one write of the run for `key`. Resolves when it is within the budget. Rejects with the signal's reason.
   */
  take(signal: AbortSignal, key?: ObjectKey): Promise<void>;
}

/** Waits for `waitMs` before a write of the run for `key` is sent. What it rejects with is the failure of the write. */
export type WaitToWrite = (waitMs: number, signal: AbortSignal, key: ObjectKey | undefined) => Promise<void>;

/**
 * A budget of at most `writes` in any span of `perMs`. A further write waits until the oldest of them is that old, by
 * `wait`. Waiting writes are served in order. A write that need not wait never depends on `wait`.
 */
export function createWriteBudget(
  { writes, perMs }: { writes: number; perMs: number },
  clock: Clock,
  wait: WaitToWrite = (waitMs, signal) => clock.sleep(waitMs, { signal }),
): WriteBudget {
  if (!Number.isInteger(writes) || writes < 1)
    throw new InformerError('argument', `maxWrites must be a whole number from 1, not ${writes}`);
  const sentAt = new Ring<number>(writes);
  return {
    async take(signal, key) {
      signal.throwIfAborted();
      const now = clock.monotonic();
      const freeAt = sentAt.size < writes ? now : Math.max(now, (sentAt.shift() ?? now) + perMs);
      sentAt.push(freeAt); // counted before the wait, so that later writes wait for their turn after it
      if (freeAt > now) await wait(freeAt - now, signal, key);
    },
  };
}

/** A budget without a limit. */
export const unlimitedWrites: WriteBudget = {
  async take(signal) {
    signal.throwIfAborted();
  },
};
