import { expect, it } from 'vitest';
import type { ReconcilePlan } from '../../../src/cli/reconcile/reconcile-plan.ts';
import { budgetOf } from '../../../src/cli/reconcile/writes.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import { Interrupted } from '../../../src/cli/terminal/signals.ts';
import type { WriteLimit } from '../../../src/hooks/manifest.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

/** The budget of a reconcile that may write, and what it says. */
function budgetWith(maxWrites: WriteLimit, plan: Partial<ReconcilePlan> = {}) {
  const clock = new FakeClock();
  const ending = new AbortController();
  const notices: string[] = [];
  const session = { clock, signal: ending.signal, notice: (text: string) => notices.push(text) };
  const budget = budgetOf(session as unknown as Session, { maxWrites, mode: 'write', ...plan } as ReconcilePlan);
  const outcomes: string[] = [];
  const { signal } = new AbortController();
  const take = (key: string) =>
    budget.take(signal, key).then(
      () => void outcomes.push(`${key} at ${clock.monotonic()}`),
      (error: Error) => void outcomes.push(`${key}: ${error.message}`),
    );
  return { budget, clock, ending, notices, outcomes, take };
}

const HOUR_MS = 3_600_000;
const GIVEN_UP = 'the write had to wait for --max-writes, and is given up because the program ends';

it('lets a run that is under way write after the end was asked for, as long as the budget has room', async () => {
  const { ending, outcomes, take, notices } = budgetWith({ writes: 2, perMs: HOUR_MS });
  ending.abort(new Interrupted('SIGTERM'));
  await take('shop/a');
  await take('shop/b');
  await take('shop/c');
  expect(outcomes).toEqual(['shop/a at 0', 'shop/b at 0', `shop/c: ${GIVEN_UP}`]);
  expect(notices).toEqual([]);
});

it('gives up the writes that wait when the end is asked for, says how many, and leaves no timer', async () => {
  const { budget, clock, ending, outcomes, take, notices } = budgetWith({ writes: 1, perMs: HOUR_MS });
  for (const key of ['shop/a', 'shop/b', 'shop/c']) void take(key);
  await settled();
  expect([...budget.waiting]).toEqual(['shop/b', 'shop/c']);
  ending.abort(new Interrupted('SIGTERM'));
  await settled();
  expect(outcomes).toEqual(['shop/a at 0', `shop/b: ${GIVEN_UP}`, `shop/c: ${GIVEN_UP}`]);
  expect(notices).toEqual([
    'writes are delayed: more than 1 in 60m (--max-writes); the next one is sent in 60m',
    '2 delayed writes are given up, because the program is asked to end; nothing of it was sent',
  ]);
  expect([...budget.waiting]).toEqual([]);
  expect(clock.pending).toBe(0);
});

it('says once a minute that writes are delayed', async () => {
  const { clock, outcomes, take, notices } = budgetWith({ writes: 1, perMs: 40_000 });
  for (const key of ['a', 'b', 'c', 'd']) void take(key);
  await clock.advance(80_000);
  void take('e');
  await clock.advance(80_000);
  expect(outcomes).toEqual(['a at 0', 'b at 40000', 'c at 80000', 'd at 120000', 'e at 160000']);
  expect(notices.map((text) => text.replace(/.*; /, ''))).toEqual([
    'the next one is sent in 40s',
    'the next one is sent in 80s',
  ]);
});

it('limits nothing where nothing is written', async () => {
  const { ending, outcomes, take } = budgetWith({ writes: 1, perMs: HOUR_MS }, { mode: 'describe' });
  ending.abort(new Interrupted('SIGTERM'));
  await take('a');
  await take('b');
  expect(outcomes).toEqual(['a at 0', 'b at 0']);
});
