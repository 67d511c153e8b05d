import { expect, it } from 'vitest';
import { NoticeBudget } from '../../../src/stream/notices/notice-budget.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

function budget() {
  const clock = new FakeClock();
  const lines: string[] = [];
  const server = { isAway: false };
  const own = new NoticeBudget(
    clock,
    (text) => void lines.push(text),
    () => server.isAway,
  );
  return { clock, lines, server, budget: own };
}

it('lets through what comes now and then, for hours', async () => {
  const { clock, lines, budget: own } = budget();
  for (let minute = 0; minute < 120; minute++) {
    for (let i = 0; i < 10; i++) expect(own.print(`resumed ${i}`)).toBe(true);
    await clock.advance(60_000);
  }
  expect(lines).toHaveLength(1200);
  expect(clock.pending).toBe(0);
});

it('of a server that flaps for ten minutes prints 20 notices in the first minute, then a few a minute with the count of the others', async () => {
  const { clock, lines, budget: own } = budget();
  const perMinute: number[] = [];
  for (let minute = 0; minute < 10; minute++) {
    for (let i = 0; i < 15; i++) {
      for (const text of ['broke', 'unreachable', `resumed at ${minute * 100 + i}`]) own.print(text);
      await clock.advance(4_000);
    }
    perMinute.push(lines.splice(0).length);
  }
  expect(perMinute[0]).toBe(21);
  expect(Math.max(...perMinute.slice(1))).toBeLessThanOrEqual(4);
});

it('counts what it leaves out, once the minute is over, also when nothing more comes, and says how things are then', async () => {
  const { clock, lines, server, budget: own } = budget();
  for (let i = 0; i < 25; i++) own.print(`resumed ${i}`);
  expect(lines).toHaveLength(20);
  await clock.advance(60_000);
  const line = (notices: string, now: string) =>
    `the connection keeps breaking: ${notices} left out; no gap is among them; it is ${now} now`;
  expect(lines.splice(0)[20]).toBe(line('5 more notices of it in the last minute were', 'there'));
  server.isAway = true;
  for (let i = 0; i < 3; i++) own.print(`resumed ${i}`);
  await clock.advance(3_600_000);
  expect(lines.slice(2)).toEqual([line('1 more notice of it in the last minute was', 'away')]);
  expect(clock.pending).toBe(0);
});

it('always prints a fault that it has not printed yet', () => {
  const { lines, budget: own } = budget();
  for (let i = 0; i < 30; i++) own.print('broke', 'broke');
  expect(own.print('Unauthorized', 'Unauthorized')).toBe(true);
  expect(own.print('Unauthorized', 'Unauthorized')).toBe(false);
  expect(lines.at(-1)).toBe('Unauthorized');
});

it('prints a fault again after a minute in which nothing was left out, and not after one with more', async () => {
  const { clock, lines, budget: own } = budget();
  const overflow = (notices: number) => {
    for (let i = 0; i < notices; i++) own.print(`resumed ${i}`);
  };
  own.print('broke', 'broke');
  overflow(30);
  await clock.advance(60_000);
  overflow(5);
  expect(own.print('broke', 'broke')).toBe(false);
  await clock.advance(60_000);
  await clock.advance(60_000);
  lines.splice(0);
  overflow(20);
  expect(lines).toHaveLength(20);
  expect(own.print('broke', 'broke')).toBe(true);
});

it('remembers 50 faults: a further one is printed only within the budget', () => {
  const { budget: own } = budget();
  for (let i = 0; i < 50; i++) expect(own.print(`fault ${i}`, `fault ${i}`)).toBe(true);
  expect(own.print('one more', 'one more')).toBe(false);
});

it('leaves no timer behind', () => {
  const { clock, budget: own } = budget();
  for (let i = 0; i < 30; i++) own.print('broke');
  own[Symbol.dispose]();
  expect(clock.pending).toBe(0);
});

it('begins a new minute with the first notice after its end', async () => {
  const { clock, lines, budget: own } = budget();
  for (let i = 0; i < 30; i++) own.print(`resumed ${i}`);
  const printed = lines.length;
  own[Symbol.dispose]();
  expect(clock.pending).toBe(0);
  own.print('later');
  expect(clock.pending).toBe(1);
  await clock.advance(120_000);
  own.print('much later');
  expect(lines.slice(printed).some((line) => line.includes('much later'))).toBe(true);
  own[Symbol.dispose]();
});
