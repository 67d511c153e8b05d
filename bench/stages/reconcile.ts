import { createController } from '../../src/controller/controller.ts';
import type { Reconciler } from '../../src/controller/reconciler.ts';
import type { Stage } from '../harness.ts';
import { keysOf } from './work-queue.ts';

/** Keys through a controller whose reconciler has nothing to do. */
export function reconcileKeys(count: number): Stage {
  const keys = keysOf(count);
  return {
    unit: 'key',
    count,
    rows: [
      {
        name: 'baseline: an async function, key by key',
        run: async () => {
          let runs = 0;
          const reconcile = async (key: string) => {
            if (key !== '') runs++;
          };
          for (const key of keys) await reconcile(key);
          return runs;
        },
      },
      ...[1, 4].map((workers) => ({
        name: `a controller, ${workers} worker${workers > 1 ? 's' : ''}`,
        run: () => reconciled(keys, { workers }),
      })),
      { name: 'a controller without history, 4 workers', run: () => reconciled(keys, { workers: 4, history: false }) },
    ],
  };
}

/** Runs a controller until each key had its run. Returns the number of runs. */
export async function reconciled(
  keys: readonly string[],
  { workers, history, reconcile = () => {} }: { workers: number; history?: boolean; reconcile?: Reconciler },
): Promise<number> {
  const stop = new AbortController();
  let runs = 0;
  const controller = createController({
    name: 'bench',
    workers,
    history,
    reconcile: async (request, context) => {
      await reconcile(request, context);
      if (++runs === keys.length) stop.abort();
    },
  });
  for (const key of keys) controller.enqueue(key);
  await controller.run(stop.signal);
  return runs;
}
