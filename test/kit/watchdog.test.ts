import { expect, it } from 'vitest';
import { Watchdog } from '../../src/kit/watchdog.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

function watched(limitMs = 100) {
  const clock = new FakeClock();
  const silences: number[] = [];
  const watchdog = new Watchdog({ clock, limitMs, onSilent: () => silences.push(clock.monotonic()) });
  return { clock, silences, watchdog, began: clock.monotonic() };
}

it('calls once when nothing arrived within the limit, and rests until the next watch()', () => {
  const { clock, silences, watchdog, began } = watched();
  watchdog.watch();
  clock.tick(99);
  expect(silences).toEqual([]);
  clock.tick(1000);
  expect(silences).toEqual([began + 100]);
  watchdog.watch();
  clock.tick(100);
  expect(silences).toHaveLength(2);
});

it('counts from the last watch(), with one timer for all calls', () => {
  const { clock, silences, watchdog, began } = watched();
  for (let i = 0; i < 10; i++) {
    watchdog.watch();
    expect(clock.pending).toBe(1);
    clock.tick(60);
  }
  expect(silences).toEqual([]);
  clock.tick(40);
  expect(silences).toEqual([began + 9 * 60 + 100]);
});

it('counts no silence while it rests, nor before the first watch()', () => {
  const { clock, silences, watchdog } = watched();
  clock.tick(500);
  watchdog.watch();
  clock.tick(60);
  expect(watchdog.silentMs).toBe(60);
  watchdog.rest();
  clock.tick(500);
  expect([watchdog.silentMs, watchdog.isWatching]).toEqual([0, false]);
  watchdog.watch();
  clock.tick(99);
  expect(silences).toEqual([]);
  clock.tick(1);
  expect(silences).toHaveLength(1);
});

it('does not count the time in which nothing can arrive', () => {
  const { clock, silences, watchdog } = watched();
  watchdog.watch(1000);
  expect([watchdog.silentMs, watchdog.isWatching]).toEqual([0, true]);
  clock.tick(1099);
  expect(silences).toEqual([]);
  clock.tick(1);
  expect(silences).toHaveLength(1);
});

it('sets no timer for an infinite limit, and leaves none after disposal', () => {
  const endless = watched(Number.POSITIVE_INFINITY);
  endless.watchdog.watch();
  expect(endless.clock.pending).toBe(0);
  const { clock, silences, watchdog } = watched();
  watchdog.watch();
  watchdog[Symbol.dispose]();
  watchdog.watch();
  expect(clock.pending).toBe(0);
  clock.tick(500);
  expect(silences).toEqual([]);
});
