import { describe, expect, it } from 'vitest';
import { RetryPause, type RetryPauseOptions } from '../../../src/informer/watch/retry-pause.ts';
import type { WatchFault } from '../../../src/informer/watch/watch-fault.ts';
import type { Outcome, WatchState } from '../../../src/informer/watch/watch-machine.ts';
import { failure, StatusError } from '../../../src/model/status.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

const state = (kind: WatchState['kind']) => ({ kind, since: '10' }) as WatchState;
const failed = (fault: WatchFault, error: unknown = new Error('no route')) =>
  ({ kind: 'failed', fault, error }) as unknown as Outcome;
const status = (code: number, retryAfterMs?: number) =>
  new StatusError(failure(code, 'Reason', 'no'), retryAfterMs === undefined ? {} : { retryAfterMs });
const LISTED = state('listed');

/** The pauses of a reflector over a server that is back, and lets clients in, when a test says so. */
function pauses({ random = 0, ...source }: { random?: number } & Partial<RetryPauseOptions['source']> = {}) {
  const clock = new FakeClock();
  const waiting: unknown[] = [];
  const ending = new AbortController();
  const pause = new RetryPause({
    source,
    clock,
    random: () => random,
    backoff: undefined,
    onWaiting: (error, waitMs) => waiting.push([error, waitMs]),
  });
  const from = async (before: WatchState, outcome: Outcome, next: WatchState) => {
    const began = clock.monotonic();
    let endedAt: number | undefined;
    void pause.wait(before, outcome, next, ending.signal).then(() => {
      endedAt = clock.monotonic();
    });
    await settled();
    for (let ms = clock.nextIn; ms !== undefined; ms = clock.nextIn) await clock.advance(ms);
    return endedAt === undefined ? undefined : endedAt - began;
  };
  return { clock, pause, waiting, ending, from };
}

describe('the pause before the next attempt', () => {
  it.each<[string, WatchState, Outcome, WatchState, number[]]>([
    ['a list that failed', state('listing'), failed('other'), state('listing'), [800, 1600, 3200, 6400]],
    ['a refused watch whose version is valid', LISTED, failed('other'), LISTED, [800, 1600, 3200, 4000]],
    ['a probe', state('probing'), failed('other'), state('probing'), [800, 1600, 3200, 4000]],
    ['a watch without a connection', LISTED, failed('connection'), LISTED, [800, 1600, 3200, 6400]],
    ['a watch that a proxy refused', LISTED, failed('connection', status(502)), LISTED, [800, 1600, 3200, 4000]],
    ['a stream that broke', state('following'), failed('connection'), LISTED, [800, 1600, 3200, 4000]],
    ['a watch that was throttled', LISTED, failed('throttled', status(429)), LISTED, [800, 1600, 3200, 6400]],
    ['a stream that ended', state('following'), { kind: 'ended' } as Outcome, LISTED, [800, 1600, 3200, 4000]],
  ])('after %s is %j', async (_, before, outcome, next, expected) => {
    const { from, waiting } = pauses();
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 4; i++) waits.push(await from(before, outcome, next));
    expect([waits, waiting]).toEqual([expected, []]);
  });

  it('is random within its width: up to twice as long, before a valid version up to one and a half times', async () => {
    const { from } = pauses({ random: 0.5 });
    expect(await from(state('listing'), failed('other'), state('listing'))).toBe(1200);
    expect(await from(LISTED, failed('other'), LISTED)).toBe(1000);
  });

  it.each([
    [120_000, 1600],
    [120_001, 800],
  ])('is that of the first one again after more than two minutes without one, here %i ms', async (ms, expected) => {
    const { clock, from } = pauses();
    await from(state('listing'), failed('other'), state('listing'));
    await clock.advance(ms - 800);
    expect(await from(state('listing'), failed('other'), state('listing'))).toBe(expected);
  });

  it('is short again after a success', async () => {
    const { from, pause } = pauses();
    const both = async () => [
      await from(state('listing'), failed('other'), state('listing')),
      await from(LISTED, failed('other'), LISTED),
    ];
    await both();
    expect(await both()).toEqual([1600, 1600]);
    pause.reset();
    expect(await both()).toEqual([800, 800]);
  });

  it.each([
    [500, 800, false],
    [5_000, 5_000, false],
    [5_001, 5_001, true],
    [60_000, 60_000, true],
    [90_000, 60_000, true],
  ])(
    'is at least what the server asks for, %d ms, and at most a minute: %d ms; a long one is reported: %j',
    async (asked, waitMs, isReported) => {
      const { from, waiting } = pauses();
      const error = status(429, asked);
      expect(await from(LISTED, failed('throttled', error), LISTED)).toBe(waitMs);
      expect(waiting).toEqual(isReported ? [[error, waitMs]] : []);
    },
  );

  it('ends with the reason of the signal', async () => {
    const { pause, ending, clock } = pauses();
    const waiting = pause.wait(LISTED, failed('other'), LISTED, ending.signal);
    ending.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
  });
});

describe('a server without a connection', () => {
  it('is waited for, then clients come back within 300 ms; when it was not back, with growing pauses', async () => {
    const { from, pause } = pauses({ random: 0.5, whenReachable: async () => {} });
    const again = () => from(LISTED, failed('connection'), LISTED);
    expect([await again(), await again(), await again()]).toEqual([150, 1000, 2000]);
    pause.reset();
    expect(await again()).toBe(150);
  });

  it('is not waited for by a stream that broke: the watch is tried at once', async () => {
    const { from } = pauses({ whenReachable: () => new Promise(() => {}) });
    expect(await from(state('following'), failed('connection'), LISTED)).toBe(800);
    expect(await from(LISTED, failed('other'), LISTED)).toBe(1600);
  });

  it('is asked with the signal of the reflector, which ends the wait', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const { pause, ending } = pauses({
      whenReachable: ({ signal }) => {
        signals.push(signal);
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const waiting = pause.wait(LISTED, failed('connection'), LISTED, ending.signal);
    await settled();
    ending.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(signals).toEqual([ending.signal]);
  });
});

describe('a refused watch', () => {
  it.each<[string, WatchState, Outcome, WatchState, boolean]>([
    ['with any status', LISTED, failed('other', status(500)), LISTED, true],
    ['with 401, also a list', state('listing'), failed('other', status(401)), state('listing'), true],
    ['with 429, which has its own pause', LISTED, failed('throttled', status(429)), LISTED, false],
    ['with a time to wait, which counts', LISTED, failed('other', status(500, 2_000)), LISTED, false],
    ['without a status', LISTED, failed('other'), LISTED, false],
    ['that leads to a list', LISTED, failed('other', status(500)), state('listing'), false],
    ['that was a list', state('listing'), failed('other', status(500)), LISTED, false],
  ])('%s waits for its turn: %j', async (_, before, outcome, next, isTurn) => {
    let turns = 0;
    const { from } = pauses({
      whenTurn: async () => {
        turns++;
      },
    });
    const waited = await from(before, outcome, next);
    expect([turns, waited === 0]).toEqual([isTurn ? 1 : 0, isTurn]);
  });

  it('by a proxy in front of the server waits for the server at first, and for its turn when it was not back', async () => {
    const calls: string[] = [];
    const { from } = pauses({
      whenReachable: async () => void calls.push('reachable'),
      whenTurn: async () => void calls.push('turn'),
    });
    for (let i = 0; i < 2; i++) await from(LISTED, failed('connection', status(503)), LISTED);
    expect(calls).toEqual(['reachable', 'turn']);
  });
});

it.each([
  ['whenReachable', failed('connection')],
  ['whenTurn', failed('other', status(500))],
] as const)('the pause lasts until %s resolves', async (gate, outcome) => {
  const opened = Promise.withResolvers<void>();
  const { clock, pause, ending } = pauses({ [gate]: () => opened.promise });
  let isOver = false;
  void pause.wait(LISTED, outcome, LISTED, ending.signal).then(() => (isOver = true));
  await clock.advance(60_000);
  expect(isOver).toBe(false);
  opened.resolve();
  await clock.advance(1_000);
  expect(isOver).toBe(true);
});
