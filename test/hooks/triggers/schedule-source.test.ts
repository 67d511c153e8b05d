import { expect, it, vi } from 'vitest';
import { type ReconcileRequest, TerminalError } from '../../../src/controller/reconciler.ts';
import { parseSchedules } from '../../../src/hooks/triggers/cron-schedule.ts';
import { createScheduleSource } from '../../../src/hooks/triggers/schedule-source.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { start } from '../../support/controller.ts';

const HOUR = 3_600_000;

/** A clock whose wall time can be set, as after a sleep of the machine in which no timer fires. */
class SettableClock extends FakeClock {
  #offset = 0;

  override now(): number {
    return super.now() + this.#offset;
  }

  set(byMs: number): void {
    this.#offset += byMs;
  }
}

async function scheduled(text: string, failing?: string) {
  const clock = new SettableClock(Date.UTC(2026, 2, 1, 2, 50));
  const [schedule] = await parseSchedules([text], 'UTC');
  if (!schedule) throw new Error('no schedule');
  const runs: string[] = [];
  const reconcile = vi.fn(async ({ key, causes }: ReconcileRequest) => {
    runs.push(
      `${key} ${causes.map(({ reason, source }) => `${reason} ${source}`)} ${new Date(clock.now()).toISOString()}`,
    );
    if (key === failing) throw new TerminalError(new Error('never'));
  });
  const { controller, abort, run } = await start({ reconcile, clock });
  const source = createScheduleSource(schedule, () => ['shop/a', 'shop/b']);
  controller.watch(source);
  await settled();
  return { clock, runs, source, controller, abort, run };
}

it('queues all keys at each time and at no other, with its name, and ends with the controller', async () => {
  const { clock, runs, source, abort, run } = await scheduled('0 3 * * *');
  expect(source.nextAt?.()).toBe(Date.UTC(2026, 2, 1, 3));
  await clock.advance(599_999);
  expect(runs).toEqual([]);
  await clock.advance(1);
  const line = (key: string, day: number) => `${key} schedule schedule 0 3 * * * 2026-03-0${day}T03:00:00.000Z`;
  expect(runs).toEqual([line('shop/a', 1), line('shop/b', 1)]);
  await clock.advance(24 * HOUR);
  expect(runs.slice(2)).toEqual([line('shop/a', 2), line('shop/b', 2)]);
  abort.abort();
  await run;
  expect(clock.pending).toBe(0);
});

it('queues them once for all times that were missed while the machine slept', async () => {
  const { clock, runs, source } = await scheduled('0 * * * *');
  clock.set(5 * HOUR);
  await clock.advance(30_000);
  expect(runs).toHaveLength(2);
  expect(source.nextAt?.()).toBe(Date.UTC(2026, 2, 1, 8));
  await clock.advance(9.5 * 60_000);
  expect(runs).toHaveLength(4);
});

it('computes its next time again when the clock is set back', async () => {
  const { clock, runs, source } = await scheduled('0 3 * * *');
  await clock.advance(600_000);
  expect(runs).toHaveLength(2);
  clock.set(-48 * HOUR);
  await clock.advance(30_000);
  expect(source.nextAt?.()).toBe(Date.UTC(2026, 1, 28, 3));
});

it('is explained with its next time for a key that waits for nothing', async () => {
  const { clock, controller } = await scheduled('0 3 * * *');
  await clock.advance(600_000);
  expect(controller.explain('shop/a')).toMatchObject({
    summary: expect.stringMatching(/; schedule 0 3 \* \* \* queues all keys in 24h$/),
    controller: { sources: [{}, { name: 'schedule 0 3 * * *', keys: 2, nextAt: Date.UTC(2026, 2, 2, 3) }] },
  });
});

it('lets no parked key go', async () => {
  const { clock, controller, runs } = await scheduled('0 * * * *', 'shop/a');
  await clock.advance(600_000);
  expect(controller.parked.map(({ key }) => key)).toEqual(['shop/a']);
  await clock.advance(HOUR);
  expect(runs.map((line) => line.slice(0, 6))).toEqual(['shop/a', 'shop/b', 'shop/b']);
});
