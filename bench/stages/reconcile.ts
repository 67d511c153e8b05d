import { createController } from '../../src/controller/controller.ts';
import type { Stage } from '../harness.ts';

/** Keys through a controller whose reconciler has nothing to do. */
export function reconcileKeys(count: number): Stage {
  const keys = Array.from({ length: count }, (_, i) => `ns/key-${i}`);
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
        run: () => reconciled(keys, workers),
      })),
    ],
  };
}

async function reconciled(keys: readonly string[], workers: number): Promise<number> {
  const stop = new AbortController();
  let runs = 0;
  const controller = createController({
    name: 'bench',
    workers,
    reconcile: () => {
      if (++runs === keys.length) stop.abort();
    },
  });
  for (const key of keys) controller.enqueue(key);
  await controller.run(stop.signal);
  return runs;
}
