import { expect, it } from 'vitest';
import { type Syncable, SyncResult, waitForSync } from '../../src/informer/sync-result.ts';
import { Latch } from '../../src/kit/latch.ts';
import { createLogger } from '../../src/kit/logger.ts';
import { withSurroundings } from '../../src/kit/surroundings.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

function cache(name: string, isSynced: boolean): Syncable {
  const latch = new Latch();
  if (isSynced) latch.open();
  return { name, hasSynced: isSynced, whenSynced: (signal) => latch.wait(signal) };
}

it.each([
  [{ int: true, string: false }, new Error('C'), 'failed to sync all caches: string: C'],
  [{ string: false, int: false, float: true }, undefined, 'failed to sync all caches: int, string'],
  [{ int: true }, undefined, undefined],
  [{}, undefined, undefined],
])('names the late caches, sorted, and the cause: %o [SHI-31]', (synced, cause, text) => {
  const result = new SyncResult(new Map(Object.entries(synced)), cause);
  expect(result.asError()?.message).toBe(text);
  expect(result.isComplete).toBe(text === undefined);
});

it('is complete when there is nothing to wait for [SHI-29]', async () => {
  expect((await waitForSync([])).isComplete).toBe(true);
});

it('ends with its signal, and counts the caches that had synced by then [SHI-29]', async () => {
  const result = await waitForSync(
    [cache('done', true), cache('never', false)],
    AbortSignal.abort(new Error('stopped')),
  );
  expect([...result.synced]).toEqual([
    ['done', true],
    ['never', false],
  ]);
  expect(result.asError()?.message).toBe('failed to sync all caches: never: stopped');
});

it('names each late cache and the cause of its delay at the timeout', async () => {
  const clock = new FakeClock();
  const caches: Syncable[] = [
    cache('done', true),
    { ...cache('refused', false), isStarted: true, lastError: new Error('pods is forbidden') },
    { ...cache('slow', false), isStarted: true },
    { ...cache('idle', false), isStarted: false },
  ];
  const waiting = waitForSync(caches, undefined, { timeoutMs: 30_000, clock });
  await clock.advance(30_000);
  const result = await waiting;
  expect(result.asError()?.message).toBe('failed to sync all caches: idle, refused, slow: no sync within 30s');
  expect(result.asError()?.hint).toBe(
    'idle: it has not been started: call start(signal) of its factory, or run(signal); refused: pods is forbidden; slow: no error so far; the server has not sent the whole state yet',
  );
  expect(clock.pending).toBe(0);
});

it('has the clock of the caches that it waits for', async () => {
  const clock = new FakeClock();
  const slow = withSurroundings({ ...cache('slow', false), isStarted: true }, { clock });
  const waiting = waitForSync([slow], undefined, { timeoutMs: 30_000 });
  await clock.advance(30_000);
  expect((await waiting).asError()?.message).toBe('failed to sync all caches: slow: no sync within 30s');
});

it('ends as soon as all have synced', async () => {
  const clock = new FakeClock();
  const late = new Latch();
  const slow: Syncable = { name: 'slow', hasSynced: false, whenSynced: (signal) => late.wait(signal) };
  let isComplete: boolean | undefined;
  const waiting = waitForSync([cache('done', true), slow], undefined, { timeoutMs: 30_000, clock }).then((result) => {
    isComplete = result.isComplete;
  });
  await clock.advance(29_999);
  expect(isComplete).toBeUndefined();
  Object.assign(slow, { hasSynced: true });
  late.open();
  await waiting;
  expect([isComplete, clock.pending]).toEqual([true, 0]);
});

it('reminders of a long wait come after 10 s, then each after twice the time, at least every five minutes', async () => {
  const clock = new FakeClock();
  const at: number[] = [];
  const logger = createLogger((level) => void (level === 'warn' && at.push(clock.monotonic() / 1000)));
  const ending = new AbortController();
  const waiting = waitForSync([cache('v1/pods', false)], ending.signal, { clock, logger });
  for (let i = 0; i < 25; i++) await clock.advance(60_000);
  expect(at).toEqual([10, 30, 70, 150, 310, 610, 910, 1210]);
  ending.abort();
  await waiting;
});

it('of a wait that failed for caches that have synced all the same has no cause', async () => {
  const done = { ...cache('done', true), whenSynced: () => Promise.reject(new Error('too late')) };
  const result = await waitForSync([done]);
  expect([result.isComplete, result.cause, result.asError(), [...result.troubles]]).toEqual([
    true,
    undefined,
    undefined,
    [],
  ]);
});

it('names the trouble of late caches only, and no hint where none is known', () => {
  const synced = new Map([
    ['a', true],
    ['b', false],
    ['c', false],
  ]);
  const cause = new Error('stopped');
  const known = new SyncResult(synced, cause, new Map(['a', 'b'].map((name) => [name, `trouble of ${name}`])));
  expect([known.late, known.asError()?.cause, known.asError()?.hint]).toEqual([['b', 'c'], cause, 'b: trouble of b']);
  expect(new SyncResult(synced, cause).asError()?.hint).toBeUndefined();
});

it('names caches that were not started, where the others have synced', () => {
  const result = new SyncResult(new Map([['a', true]]), undefined, undefined, ['v1/pods', 'v1/nodes']);
  expect([result.isComplete, result.late, result.asError()?.message]).toEqual([
    false,
    [],
    'not started: v1/pods, v1/nodes',
  ]);
  expect(result.asError()?.hint).toContain('call start(signal)');
});

it('reminders name each cache that has not synced, how long the wait is, and why', async () => {
  const clock = new FakeClock();
  const lines: unknown[] = [];
  const logger = createLogger((level, message, facts) => lines.push([level, message, facts]));
  const late = { ...cache('late', false), lastError: new Error('forbidden') };
  const ending = new AbortController();
  const waiting = waitForSync([cache('done', true), late], ending.signal, { clock, logger });
  await clock.advance(30_000);
  const text = 'still waiting for the initial sync';
  expect(lines).toEqual([
    ['warn', text, { cache: 'late', seconds: 10, because: 'forbidden' }],
    ['warn', text, { cache: 'late', seconds: 30, because: 'forbidden' }],
  ]);
  ending.abort();
  await waiting;
  expect(clock.pending).toBe(0);
});

it('a wait of no time ends at once, and one of less, or for no list of caches, is refused', async () => {
  const clock = new FakeClock();
  const waiting = waitForSync([cache('late', false)], undefined, { timeoutMs: 0, clock });
  await clock.advance(0);
  expect((await waiting).asError()?.message).toContain('no sync within 0s');
  await expect(waitForSync([], undefined, { timeoutMs: -1 })).rejects.toThrow('not below 0, not -1');
  await expect(waitForSync('pods' as never)).rejects.toMatchObject({ code: 'argument' });
  await expect(waitForSync([], {} as never)).rejects.toMatchObject({ code: 'argument' });
  await expect(waitForSync([], undefined, { timeout: 5 } as never)).rejects.toMatchObject({ code: 'argument' });
});
