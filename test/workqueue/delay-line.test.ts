import { expect, it } from 'vitest';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { DelayLine } from '../../src/workqueue/delay-line.ts';

function setup() {
  const clock = new FakeClock();
  const fired: string[] = [];
  const line = new DelayLine(clock, (key, priority) => fired.push(`${clock.monotonic()} ${key} ${priority}`));
  return { clock, fired, line };
}

it('fires in the order of the deadlines, equal ones in the order in which they were set, with one timer', () => {
  const { clock, fired, line } = setup();
  for (const [key, ms] of [
    ['late', 30],
    ['first', 10],
    ['second', 10],
    ['early', 5],
  ] as const)
    line.schedule(key, ms, 0);
  expect(clock.pending).toBe(1);
  clock.tick(100);
  expect(fired).toEqual(['5 early 0', '10 first 0', '10 second 0', '30 late 0']);
  expect(clock.pending).toBe(0);
});

it('fires any number of keys with the same deadline in the order in which they were set', () => {
  const { clock, fired, line } = setup();
  const keys = Array.from({ length: 50 }, (_, i) => `k${i}`);
  for (const key of keys) line.schedule(key, 10, 0);
  clock.tick(10);
  expect(fired).toEqual(keys.map((key) => `10 ${key} 0`));
});

it('a key that is cancelled takes no other with it, and the last one takes the timer', () => {
  const { clock, fired, line } = setup();
  for (const key of ['a', 'b', 'c']) line.schedule(key, 10, 7);
  expect(line.get('a')).toMatchObject({ at: 10, priority: 7 });
  expect([line.cancel('a')?.key, line.cancel('a'), line.get('a')]).toEqual(['a', undefined, undefined]);
  line.cancel('b');
  clock.tick(10);
  expect(fired).toEqual(['10 c 7']);
  line.schedule('d', 10, 0);
  line.cancel('d');
  expect(clock.pending).toBe(0);
});

it('takes the earlier of two deadlines and the higher of two priorities', () => {
  const { clock, fired, line } = setup();
  line.schedule('a', 10, 1);
  line.schedule('a', 20, 5);
  line.schedule('b', 20, 5);
  line.schedule('b', 10, 1);
  expect(line.size).toBe(2);
  clock.tick(100);
  expect(fired).toEqual(['10 a 5', '10 b 5']);
});

it('a key that is scheduled again for the same time or later keeps its place among equal deadlines', () => {
  const { clock, fired, line } = setup();
  for (const [key, ms] of [
    ['a', 10],
    ['b', 10],
    ['a', 10],
    ['a', 20],
  ] as const)
    line.schedule(key, ms, 0);
  clock.tick(10);
  expect(fired).toEqual(['10 a 0', '10 b 0']);
});

it('clear removes every key and the timer', () => {
  const { clock, fired, line } = setup();
  line.schedule('a', 10, 0);
  line.schedule('b', 20, 0);
  line.clear();
  expect([line.size, line.entriesInMemory, line.has('a'), [...line], clock.pending]).toEqual([0, 0, false, [], 0]);
  line.schedule('a', 30, 0);
  clock.tick(100);
  expect(fired).toEqual(['30 a 0']);
});

it('a callback may schedule its key again', () => {
  const clock = new FakeClock();
  let rounds = 0;
  const line: DelayLine = new DelayLine(clock, (key) => {
    if (++rounds < 3) line.schedule(key, 10, 0);
  });
  line.schedule('a', 10, 0);
  clock.tick(30);
  expect(rounds).toBe(3);
  expect(clock.pending).toBe(0);
});

it('replaced and cancelled deadlines do not accumulate, and none is lost', () => {
  const { clock, fired, line } = setup();
  line.schedule('still', 1e9, 0);
  for (let i = 0; i < 10_000; i++) line.schedule('overtaken', 1e8 - i, 0);
  for (let i = 0; i < 10_000; i++) {
    line.schedule('cancelled', 1e8, 0);
    line.cancel('cancelled');
  }
  expect(line.size).toBe(2);
  expect(line.entriesInMemory).toBeLessThan(100);
  clock.tick(1e9);
  expect(fired).toEqual([`${1e8 - 9999} overtaken 0`, `${1e9} still 0`]);
});

it.each([1, 5, 100])('keeps at most twice as many entries as keys, and 64, in memory (%i keys)', (keys) => {
  const { line } = setup();
  for (let i = 0; i < keys; i++) line.schedule(`k${i}`, 1e9, 0);
  let most = 0;
  for (let i = 0; i < 500; i++) {
    line.schedule('k0', 1e8 - i, 0);
    most = Math.max(most, line.entriesInMemory);
  }
  expect(most).toBe(2 * keys + 64);
});
