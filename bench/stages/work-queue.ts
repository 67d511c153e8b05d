import { ItemExponentialFailureRateLimiter } from '../../src/workqueue/rate-limiter.ts';
import { type AddOptions, WorkQueue } from '../../src/workqueue/work-queue.ts';
import type { Row, Stage } from '../harness.ts';

/** Keys through the work queue. */
export function cycleKeys(count: number): Stage {
  const keys = keysOf(count);
  const baseline = {
    name: 'baseline: a Set, emptied',
    run: () => {
      const set = new Set(keys);
      let taken = 0;
      for (const key of set) if (set.delete(key)) taken++;
      return taken;
    },
  };
  return { unit: 'key', count, rows: [baseline, ...Object.values(queueRows(keys))] };
}

export const keysOf = (count: number) => Array.from({ length: count }, (_, i) => `ns/key-${i}`);

/** The ways of keys through the queue, by the names that bench/peers/client-go/queue gives them. */
export function queueRows(keys: readonly string[]): Record<'add' | 'thrice' | 'after' | 'limited', Row> {
  return {
    add: { name: 'add, take, done', run: cycles(keys) },
    thrice: { name: 'add three times, take, done', run: cycles(keys, { times: 3 }) },
    after: { name: 'add for 1 ms later, take, done', run: cycles(keys, { options: { after: 1 } }) },
    limited: { name: 'add by the rate limiter, take, forget, done', run: cycles(keys, { options: { limited: true } }) },
  };
}

/**
 * All runs of a row use one queue, as a program does. The bench collects garbage between two runs, and with the last
 * object of a class V8 drops the compiled code of its methods.
 */
function cycles(
  keys: readonly string[],
  { times = 1, options }: { times?: number; options?: AddOptions } = {},
): () => Promise<number> {
  const queue = new WorkQueue({ name: 'bench', rateLimiter: new ItemExponentialFailureRateLimiter(1, 1000) });
  const never = new AbortController().signal;
  return async () => {
    for (let i = 0; i < times; i++) for (const key of keys) queue.add(key, options);
    let taken = 0;
    for (; taken < keys.length; taken++) {
      const item = await queue.take(never);
      if (item === undefined) throw new Error('the queue shut down');
      queue.forget(item.key);
      item[Symbol.dispose]();
    }
    return taken;
  };
}
