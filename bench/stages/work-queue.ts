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
    add: { name: 'add, take, done', run: () => cycle(keys) },
    thrice: { name: 'add three times, take, done', run: () => cycle(keys, { times: 3 }) },
    after: { name: 'add for 1 ms later, take, done', run: () => cycle(keys, { after: 1 }) },
    limited: { name: 'add by the rate limiter, take, forget, done', run: () => cycle(keys, { limited: true }) },
  };
}

async function cycle(
  keys: readonly string[],
  { times = 1, ...options }: AddOptions & { times?: number } = {},
): Promise<number> {
  const queue = new WorkQueue({ name: 'bench', rateLimiter: new ItemExponentialFailureRateLimiter(1, 1000) });
  const never = new AbortController().signal;
  for (let i = 0; i < times; i++) for (const key of keys) queue.add(key, options);
  let taken = 0;
  for (; taken < keys.length; taken++) {
    using item = await queue.take(never);
    if (item === undefined) throw new Error('the queue shut down');
    queue.forget(item.key);
  }
  queue.shutDown();
  return taken;
}
