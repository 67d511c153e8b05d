import { expect, it } from 'vitest';
import { RefusedWatches } from '../../../src/client/http/refused-watches.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

/** Watches of a server that refuses all of them, or those that are named. */
function bench(count: number) {
  const clock = new FakeClock();
  const refused = new RefusedWatches({ clock, random: seededRandom(1) });
  const controller = new AbortController();
  const tries: { at: number; by: number }[] = [];
  const accepted = new Map<number, number>();
  const refuses = new Set(Array.from({ length: count }, (_, i) => i));
  const watch = async (by: number) => {
    const name = {};
    for (;;) {
      await refused.wait(name, controller.signal);
      tries.push({ at: clock.monotonic(), by });
      if (refuses.has(by)) continue;
      accepted.set(by, clock.monotonic());
      return refused.accepted(name);
    }
  };
  const running = [...refuses].map((by) => watch(by).catch(() => {}));
  return { clock, controller, tries, refuses, accepted, running };
}

it('is tried again by one watch at a time, in turns, about once a second', async () => {
  const { clock, tries } = bench(20);
  await clock.advance(60_000);
  expect(tries.length).toBeGreaterThan(50);
  expect(tries.length).toBeLessThan(100);
  expect(new Set(tries.slice(0, 20).map(({ by }) => by)).size).toBe(20);
  expect(new Set(tries.map(({ at }) => at)).size).toBe(tries.length);
});

it('is asked by all watches within two seconds after it accepts watches again, not all at once', async () => {
  const { clock, refuses, accepted } = bench(20);
  await clock.advance(60_000);
  const readyAt = clock.monotonic();
  refuses.clear();
  await clock.advance(2_000);
  expect(accepted.size).toBe(20);
  expect(Math.max(...accepted.values())).toBeLessThanOrEqual(readyAt + 2_000);
  expect(new Set(accepted.values()).size).toBeGreaterThan(10);
  expect(clock.pending).toBe(0);
});

it('is asked every five seconds for a watch that stays refused, which delays no other', async () => {
  const { clock, tries, refuses, accepted } = bench(2);
  refuses.delete(1);
  await clock.advance(2_500);
  expect(accepted.has(1)).toBe(true);
  await clock.advance(320_000);
  const { length } = tries;
  await clock.advance(60_000);
  expect(tries.length - length).toBeGreaterThan(8);
  expect(tries.length - length).toBeLessThanOrEqual(12);
});

it('is asked nothing more when the last watch that waited has left', async () => {
  const { clock, tries, controller, running } = bench(3);
  await clock.advance(10_000);
  controller.abort();
  await Promise.all(running);
  await settled();
  const { length } = tries;
  await clock.advance(10_000);
  expect([tries.length, clock.pending]).toEqual([length, 0]);
});
