import { expect, it } from 'vitest';
import { WaitProgressReporter } from '../../../src/cli/watch/wait-progress.ts';
import type { WaitProgress } from '../../../src/stream/conditions/waiter.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const NOTHING: WaitProgress = { met: 0, total: 2, waitingFor: ['a', 'b'], word: 'met', isOneEnough: false };

function inALog() {
  const clock = new FakeClock();
  const lines: string[] = [];
  let now = NOTHING;
  const reporter = new WaitProgressReporter({
    progress: () => now,
    clock,
    notice: (text) => lines.push(text),
    status: undefined,
  });
  const change = (to: Partial<WaitProgress>) => {
    now = { ...now, ...to };
    reporter.changed();
  };
  return { clock, lines, reporter, change };
}

it('a log gets a line when the count has changed, at most every five seconds', async () => {
  const { clock, lines, change } = inALog();
  change({});
  for (let i = 0; i < 20; i++) {
    change({ met: i % 2, waitingFor: ['b'] });
    await clock.advance(100);
  }
  expect(lines).toEqual(['0/2 met, waiting for a, b']);
  await clock.advance(3000);
  expect(lines.slice(1)).toEqual(['1/2 met, waiting for b']);
  await clock.advance(60_000);
  change({ waitingFor: ['c'] });
  await clock.advance(60_000);
  expect(lines).toHaveLength(2);
  change({ met: 2, waitingFor: [] });
  expect(lines.slice(2)).toEqual(['2/2 met']);
});

it('a log gets the last count at the end, if it has another one', async () => {
  const { clock, lines, reporter, change } = inALog();
  change({});
  change({ met: 1, waitingFor: ['b'] });
  reporter[Symbol.dispose]();
  expect(lines).toEqual(['0/2 met, waiting for a, b', '1/2 met, waiting for b']);
  await clock.advance(60_000);
  expect([lines.length, clock.pending]).toEqual([2, 0]);
});

it('a log says when all is met and has to stay so, not when that is over', async () => {
  const { clock, lines, reporter, change } = inALog();
  change({ staysMs: 1000 });
  await clock.advance(100);
  change({ met: 2, waitingFor: [] });
  expect(lines).toEqual(['0/2 met, waiting for a, b', '2/2 met']);
  await clock.advance(1000);
  reporter[Symbol.dispose]();
  expect([lines.length, clock.pending]).toEqual([2, 0]);
});

it('a log is not flooded by what is met and lost again and again', async () => {
  const { clock, lines, change } = inALog();
  change({ staysMs: 1000 });
  for (let i = 0; i < 40; i++) {
    change(i % 2 ? { met: 2, waitingFor: [] } : { met: 1, waitingFor: ['b'] });
    await clock.advance(250);
  }
  expect(lines.length).toBeLessThanOrEqual(5);
});

it('a terminal gets every change at once, in a line that goes at the end unless it shows something else by then', () => {
  const seen: string[] = [];
  const status = {
    show: (text: string) => void seen.push(text),
    clear: (own?: string) => void seen.push(`clear ${own}`),
  };
  let now = NOTHING;
  const notice = () => expect.unreachable();
  const reporter = new WaitProgressReporter({ progress: () => now, clock: new FakeClock(), notice, status });
  reporter.changed();
  now = { ...NOTHING, met: 1, waitingFor: ['b'] };
  reporter.changed();
  reporter[Symbol.dispose]();
  expect(seen).toEqual(['0/2 met, waiting for a, b', '1/2 met, waiting for b', 'clear 1/2 met, waiting for b']);
});

it.each(['a log', 'a terminal'])('says nothing on %s of a deletion of nothing', async (where) => {
  const shown: string[] = [];
  let now: WaitProgress = { ...NOTHING, word: 'deleted', total: 0, waitingFor: [] };
  const status = { show: (text: string) => shown.push(text), clear: () => {} };
  const reporter = new WaitProgressReporter({
    progress: () => now,
    clock: new FakeClock(),
    notice: (text) => shown.push(text),
    status: where === 'a terminal' ? status : undefined,
  });
  reporter.changed();
  expect(shown).toEqual([]);
  now = { ...now, total: 1, waitingFor: ['a'] };
  reporter.changed();
  expect(shown).toEqual(['0/1 deleted, waiting for a']);
});
