import { expect, it } from 'vitest';
import { recheckHistory } from '../../../src/informer/watch/history-recheck.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

function bench(answers: (boolean | Error)[]) {
  const clock = new FakeClock();
  const at: number[] = [];
  const errors: unknown[] = [];
  const check = async () => {
    at.push(clock.monotonic());
    const answer = answers.shift() ?? false;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const { signal } = new AbortController();
  const checking = recheckHistory({ clock, check, onReplaced: (error) => errors.push(error) }, signal);
  return { clock, at, errors, checking };
}

it('a check without an answer is made again, at growing intervals, until there is one', async () => {
  const { clock, at, errors } = bench([false, false, true]);
  await clock.advance(1_000_000);
  expect(at).toEqual([2_000, 7_000, 17_000]);
  expect([errors, clock.pending]).toEqual([[], 0]);
});

it('it is given up where the server never answers', async () => {
  const { clock, at } = bench([]);
  await clock.advance(1_000_000);
  expect(at).toEqual([2_000, 7_000, 17_000, 37_000, 77_000, 157_000, 317_000]);
  expect(clock.pending).toBe(0);
});

it('another history is reported, once', async () => {
  const replaced = new Error('replaced');
  const { clock, at, errors } = bench([false, replaced]);
  await clock.advance(1_000_000);
  expect([at.length, errors]).toEqual([2, [replaced]]);
});

it('it ends with the stream', async () => {
  const { clock, at, errors, checking } = bench([]);
  await clock.advance(3_000);
  checking[Symbol.dispose]();
  await clock.advance(1_000_000);
  expect([at.length, errors, clock.pending]).toEqual([1, [], 0]);
});
