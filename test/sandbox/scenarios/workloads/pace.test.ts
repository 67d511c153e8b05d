import { expect, it } from 'vitest';
import { pace } from '../../../../src/sandbox/scenarios/workloads/pace.ts';
import { useWorld } from '../../../support/world.ts';

const world = useWorld();

it.each([1, 3, 50, 2_000])('makes %i calls per second on average', async (rate) => {
  let calls = 0;
  pace(world.actor, rate, () => calls++);
  await world.clock.advance(10_000);
  expect([rate * 10 - 1, rate * 10]).toContain(calls); // the last timer can be late by a fraction of a millisecond
});

it('makes no call at a rate of 0, and none after the actor is disposed', async () => {
  let calls = 0;
  pace(world.actor, 0, () => calls++);
  pace(world.actor, 10, () => calls++);
  await world.clock.advance(1_000);
  expect(calls).toBe(10);
  world.actor[Symbol.dispose]();
  await world.clock.advance(1_000);
  expect([calls, world.clock.pending]).toEqual([10, 0]);
});
