import { expect, it, vi } from 'vitest';
import { Debounce } from '../../src/controller/debounce.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { LOW_PRIORITY } from '../../src/workqueue/work-queue.ts';
import { added, start, updated } from '../support/controller.ts';

it('a burst of events is one run, after the last of them [KR-03]', async () => {
  const reconcile = vi.fn();
  const { clock, events, controller } = await start({ reconcile, debounceMs: 1_000 });
  events.emit(added('web'));
  await clock.advance(900);
  events.emit(updated('web', '1', '2'));
  expect(controller.explain('shop/web')).toMatchObject({
    state: 'delayed',
    delayed: { dueInMs: 1_000, why: 'debounce' },
    summary: 'due in 1s: it waits until its events have been quiet (debounceMs)',
  });
  await clock.advance(999);
  expect(reconcile).not.toHaveBeenCalled();
  await clock.advance(1);
  expect(reconcile).toHaveBeenCalledTimes(1);
  expect(reconcile.mock.calls[0]?.[0].causes).toHaveLength(2);
  await clock.advance(10_000);
  expect(reconcile).toHaveBeenCalledTimes(1);
});

it('events that never stop delay a key ten times as long at most, again and again', async () => {
  const reconcile = vi.fn();
  const { clock, events } = await start({ reconcile, debounceMs: 1_000 });
  for (let version = 1; version <= 50; version++) {
    events.emit(updated('web', String(version), String(version + 1)));
    await clock.advance(500);
  }
  expect(reconcile).toHaveBeenCalledTimes(2);
});

it('retries, times of its own and keys by hand do not wait for it', async () => {
  const at: number[] = [];
  const clock = new FakeClock();
  const reconcile = vi.fn(() => {
    at.push(clock.monotonic());
    if (at.length === 1) throw new Error('not yet');
    return at.length === 2 ? { requeueAfterMs: 300 } : {};
  });
  const { controller, events } = await start({ reconcile, clock, debounceMs: 1_000 });
  controller.enqueue('shop/web');
  await settled();
  const began = at[0] as number;
  await clock.advance(5);
  await clock.advance(300);
  expect(at.map((each) => each - began)).toEqual([0, 5, 305]);
  events.emit(updated('web', '1', '2'));
  controller.enqueue('shop/web');
  await settled();
  expect(at).toHaveLength(4);
  await clock.advance(5_000);
  expect(at).toHaveLength(4); // the event was a cause of the run by hand
});

it('an event during a run leads to one more, when it has been quiet', async () => {
  const run = Promise.withResolvers<void>();
  const reconcile = vi.fn(() => run.promise);
  const { clock, events, controller } = await start({ reconcile, debounceMs: 1_000 });
  controller.enqueue('shop/web');
  await settled();
  events.emit(updated('web', '1', '2'));
  run.resolve();
  await clock.advance(999);
  expect(reconcile).toHaveBeenCalledTimes(1);
  await clock.advance(1);
  expect(reconcile).toHaveBeenCalledTimes(2);
});

it('keeps the highest priority of the events, and forgets a key that ran', () => {
  const clock = new FakeClock();
  const debounce = new Debounce(clock, 100);
  expect(debounce.came('a', 0)).toEqual({ after: 100, priority: 0 });
  expect(debounce.came('a', LOW_PRIORITY)).toEqual({ after: 100, priority: 0 });
  debounce.forget('a');
  expect(debounce.came('a', LOW_PRIORITY)).toEqual({ after: 100, priority: LOW_PRIORITY });
});
