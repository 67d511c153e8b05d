import { expect, it } from 'vitest';
import { WorkloadReconciler } from '../../../../src/sandbox/scenarios/workloads/reconciler.ts';
import { useWorld } from '../../../support/world.ts';

const world = useWorld();

it('processes a key once, however often it is added within a short time', async () => {
  const seen: string[] = [];
  const queue = new WorkloadReconciler(world.actor, (key) => seen.push(key));
  for (const key of ['a', 'b', 'a', 'a']) queue.enqueue(key);
  expect(seen).toEqual([]);
  await world.clock.advance(40);
  expect(seen.sort()).toEqual(['a', 'b']);
  queue.enqueue('a');
  await world.clock.advance(40);
  expect(seen.sort()).toEqual(['a', 'a', 'b']);
});

it('processes a key again that is added while it is processed', async () => {
  let left = 3;
  const queue = new WorkloadReconciler(world.actor, (key) => {
    if (--left > 0) queue.enqueue(key);
  });
  queue.enqueue('a');
  await world.clock.advance(500);
  expect(left).toBe(0);
});
