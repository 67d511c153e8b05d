import { DeltaFifo } from '../../src/informer/store/delta-fifo.ts';
import { Ring } from '../../src/kit/ring.ts';
import type { Shape } from '../generator.ts';
import type { Stage } from '../harness.ts';
import { type Pod, pods } from './bodies.ts';

/** Changes through the queue between a reflector and a store. */
export function queueDeltas(count: number, shape: Shape): Stage {
  const objects = pods(count, shape);
  return {
    unit: 'change',
    count,
    rows: [
      {
        name: 'baseline: a ring, filled and emptied',
        run: () => {
          const ring = new Ring<Pod>();
          for (const object of objects) ring.push(object);
          let taken = 0;
          while (ring.shift()) taken++;
          return taken;
        },
      },
      { name: 'in batches', run: () => through(objects, (fifo, take) => fifo.popBatch(take)) },
      { name: 'one by one', run: () => through(objects, (fifo, take) => fifo.pop(take)) },
    ],
  };
}

type Take = (deltas: readonly unknown[]) => void;

async function through(
  objects: readonly Pod[],
  pop: (fifo: DeltaFifo<Pod>, take: Take) => Promise<void>,
): Promise<number> {
  const fifo = new DeltaFifo<Pod>();
  fifo.replace([], '1');
  for (const object of objects) fifo.update(object);
  let taken = -1; // the empty list is the first
  while (taken < objects.length) await pop(fifo, (deltas) => (taken += deltas.length));
  return taken;
}
