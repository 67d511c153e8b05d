// The work queue by itself: no informer, no cluster. A key that is added twice while it waits is processed once. Two
// workers never have the same key at the same time. A key whose work failed comes back later.
//   node examples/queue-alone.ts
import { ItemExponentialFailureRateLimiter, WorkQueue } from 'kubectl-informer';

const queue = new WorkQueue({ rateLimiter: new ItemExponentialFailureRateLimiter(20, 1000) });

for (const key of ['shop/web', 'shop/api', 'shop/web', 'shop/web']) queue.add(key);
queue.add('shop/urgent', { priority: 10 });
queue.add('shop/later', { after: 50 });
console.log(`${queue.length} keys wait`);

const done = new Set<string>();

async function work(worker: number): Promise<void> {
  for (;;) {
    const lease = await queue.take();
    if (!lease) return; // the queue is shut down and empty
    try {
      await handle(lease.key, worker);
      queue.forget(lease.key);
      done.add(lease.key);
    } catch (error) {
      queue.add(lease.key, { limited: true }); // 20 ms, 40 ms, 80 ms …
      console.log(
        `worker ${worker}: ${lease.key} failed (${(error as Error).message}), try ${queue.numRequeues(lease.key)} follows`,
      );
    } finally {
      lease[Symbol.dispose](); // or `using lease = …` from Node 24 on
    }
    if (done.size === 4) queue.shutDown();
  }
}

async function handle(key: string, worker: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (key === 'shop/api' && queue.numRequeues(key) < 2) throw new Error('not ready');
  console.log(`worker ${worker}: ${key} done`);
}

await Promise.all([work(1), work(2)]);
console.log('all done');
