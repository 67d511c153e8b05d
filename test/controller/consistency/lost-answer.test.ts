import { expect, it } from 'vitest';
import { LostAnswer } from '../../../src/controller/consistency/lost-answer.ts';
import type { ReadCache } from '../../../src/controller/consistency/read-cache.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import type { LostWrite, StoredWrite } from '../../../src/model/stored-write.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const gvr = parseGvr('v1/configmaps');

function lostAt(clock: FakeClock, read: LostWrite['read'], ...caches: Partial<ReadCache>[]) {
  const write: LostWrite = { server: undefined, gvr, namespace: 'shop', read };
  return new LostAnswer(write, caches.map(cacheOf), clock);
}
const cacheOf = (more: Partial<ReadCache>) =>
  ({ name: 'v1/configmaps', resource: gvr, isStarted: true, sourceOf: () => ({}), ...more }) as unknown as ReadCache;

it('what became of a write is asked again after pauses that double, of 200 ms first and at most 10 s, until an answer', async () => {
  const clock = new FakeClock();
  const asked: number[] = [];
  const lost = lostAt(clock, async () => {
    asked.push(clock.monotonic());
    if (asked.length < 10) throw new Error('no route to host');
    return [];
  });
  const found: (readonly StoredWrite[])[] = [];
  const stop = new AbortController();
  lost.ask(clock, stop.signal, (writes) => void found.push(writes));
  lost.ask(clock, stop.signal, () => void found.push([])); // it is asked already
  await clock.advance(40_000);
  expect([lost.isKnown, found]).toEqual([false, []]);
  await clock.advance(60_000);
  expect(asked.slice(1).map((at, i) => at - (asked[i] as number))).toEqual([
    200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000,
  ]);
  expect([lost.isKnown, found, lost.type, clock.pending]).toEqual([true, [[]], 'v1/configmaps', 0]);
});

it('the asking ends with its signal, or by its disposal, and nothing is known then', async () => {
  for (const end of ['signal', 'disposal'] as const) {
    const clock = new FakeClock();
    const signals: AbortSignal[] = [];
    const lost = lostAt(clock, (signal) => {
      signals.push(signal);
      return Promise.reject(new Error('no route to host'));
    });
    const stop = new AbortController();
    const found: unknown[] = [];
    lost.ask(clock, stop.signal, (writes) => void found.push(writes));
    await clock.advance(0);
    if (end === 'signal') stop.abort();
    else lost[Symbol.dispose]();
    await clock.advance(60_000);
    expect([signals.length, signals[0]?.aborted, lost.isKnown, found, clock.pending]).toEqual([1, true, false, [], 0]);
  }
});

it('is waited for as long as the cache that takes longest, and not below nothing', async () => {
  const clock = new FakeClock();
  const connection = (state: string) => ({ sourceOf: () => ({ continuity: { connection: { state, since: 0 } } }) });
  await clock.advance(5_000);
  const lost = lostAt(clock, undefined, connection('connected') as never, connection('disconnected') as never);
  const other = lostAt(clock, undefined, connection('connected') as never);
  expect([lost.caches.length, lost.leftMs(clock)]).toEqual([2, 60_000]);
  await clock.advance(20_000);
  expect([lost.leftMs(clock), other.leftMs(clock)]).toEqual([60_000, 40_000]);
  await clock.advance(50_000);
  expect(other.leftMs(clock)).toBe(0);
});
