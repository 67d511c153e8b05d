import { expect, it } from 'vitest';
import { createWriteBudget, unlimitedWrites } from '../../../src/hooks/actions/write-budget.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

it('lets at most N writes through in any span of time, and the others in order as soon as possible', async () => {
  const clock = new FakeClock();
  const budget = createWriteBudget({ writes: 2, perMs: 1000 }, clock);
  const { signal } = new AbortController();
  const at: number[] = [];
  const take = () => budget.take(signal).then(() => void at.push(clock.monotonic()));
  void take();
  await clock.advance(600);
  for (let i = 0; i < 4; i++) void take();
  await clock.advance(3000);
  expect(at).toEqual([0, 600, 1000, 1600, 2000]);
  await take();
  expect(at.at(-1)).toBe(3600);
});

it('a wait ends with the signal, and leaves no timer', async () => {
  const clock = new FakeClock();
  const budget = createWriteBudget({ writes: 1, perMs: 1000 }, clock);
  const controller = new AbortController();
  await budget.take(controller.signal);
  const waiting = budget.take(controller.signal);
  await settled();
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect(clock.pending).toBe(0);
});

it.each([
  ['a budget', createWriteBudget({ writes: 1, perMs: 1000 }, new FakeClock())],
  ['no budget', unlimitedWrites],
])('with %s lets nothing through once the signal has aborted', async (_, budget) => {
  await expect(budget.take(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  await budget.take(new AbortController().signal);
});

it('refuses a budget without any writes', () => {
  expect(() => createWriteBudget({ writes: 0, perMs: 1000 }, new FakeClock())).toThrow(
    'maxWrites must be a whole number from 1, not 0',
  );
});
