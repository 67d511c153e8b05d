import { expect, it } from 'vitest';
import { DeltaFifo } from '../../../src/informer/store/delta-fifo.ts';
import { type Pod, pod } from '../../support/objects.ts';

it('a queue whose last list is still being applied is empty, but not idle: the cache is behind', async () => {
  const fifo = new DeltaFifo<Pod>();
  expect(fifo.isIdle).toBe(true);
  fifo.replace([pod('a', 1)], '1');
  expect(fifo.isIdle).toBe(false);
  let applied = () => {};
  const popping = fifo.popBatch(() => new Promise<void>((resolve) => (applied = resolve)));
  await Promise.resolve();
  expect([fifo.size, fifo.isIdle]).toEqual([0, false]);
  applied();
  await popping;
  expect(fifo.isIdle).toBe(true);

  fifo.resync();
  await expect(fifo.popBatch(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(fifo.isIdle).toBe(true);
});
