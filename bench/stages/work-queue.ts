import { WorkQueue } from '../../src/workqueue/work-queue.ts';
import type { Stage } from '../harness.ts';

/** Keys through the work queue. */
export function cycleKeys(count: number): Stage {
  const keys = Array.from({ length: count }, (_, i) => `ns/key-${i}`);
  const never = new AbortController().signal;
  return {
    unit: 'key',
    count,
    rows: [
      {
        name: 'baseline: a Set, emptied',
        run: () => {
          const set = new Set(keys);
          let taken = 0;
          for (const key of set) if (set.delete(key)) taken++;
          return taken;
        },
      },
      {
        name: 'add, take, done',
        run: async () => {
          const queue = new WorkQueue({ name: 'bench' });
          for (const key of keys) queue.add(key);
          let taken = 0;
          for (; taken < count; taken++) {
            using lease = await queue.take(never);
            if (lease === undefined) throw new Error('the queue shut down');
          }
          queue.shutDown();
          return taken;
        },
      },
    ],
  };
}
