import { WorkQueue } from '../src/workqueue/work-queue.ts';
import type { Bench } from './harness.ts';

/** Keys through the work queue. */
export function cycleKeys(count: number): Bench {
  const keys = Array.from({ length: count }, (_, i) => `ns/key-${i}`);
  const never = new AbortController().signal;
  return {
    name: 'keys through the work queue',
    unit: 'key',
    count,
    rows: [
      {
        name: 'baseline: a Set, emptied',
        run: () => {
          const set = new Set(keys);
          for (const key of set) set.delete(key);
          return set.size;
        },
      },
      {
        name: 'add, take, done',
        run: async () => {
          const queue = new WorkQueue({ name: 'bench' });
          for (const key of keys) queue.add(key);
          for (let i = 0; i < count; i++) {
            using lease = await queue.take(never);
            if (lease === undefined) throw new Error('the queue shut down');
          }
          queue.shutDown();
        },
      },
    ],
  };
}
