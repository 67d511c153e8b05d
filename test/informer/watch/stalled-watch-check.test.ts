import { afterEach, describe, expect, it } from 'vitest';
import { movedCollection } from '../../../src/informer/watch/moved-collection.ts';
import { StalledWatchCheck, type StalledWatchCheckOptions } from '../../../src/informer/watch/stalled-watch-check.ts';
import { WatchConnection } from '../../../src/informer/watch/watch-connection.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../../support/objects.ts';
import {
  added,
  bookmark,
  errorEvent,
  expired,
  ScriptedListerWatcher,
  ScriptedStream,
} from '../../support/scripted-events.ts';

const stream = () => new ScriptedStream<Pod>();
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A guarded connection at version 5 that is being read. `glimpses` are the second watches. */
async function start(glimpses: ScriptedStream<Pod>[], options: Partial<StalledWatchCheckOptions<Pod>> = {}) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const events = stream();
  const source = new ScriptedListerWatcher<Pod>().onWatch(events).onGlimpse(...glimpses);
  const connect = { signal: controller.signal, clock, idleMs: Number.POSITIVE_INFINITY };
  const connection = await WatchConnection.open(source, {}, connect);
  connection.events = 1;
  const verified: boolean[] = [];
  const guard = new StalledWatchCheck<Pod>(
    connection,
    {
      source,
      selectors: undefined,
      clock,
      random: () => 0,
      reached: () => '5',
      verify: async (_, again) => void verified.push(again),
      position: async () => '40',
      ...options,
    },
    controller.signal,
  );
  let failure: string | undefined;
  const read = async () => {
    for (;;) await connection.read();
  };
  read().catch((error: unknown) => (failure = String(error)));
  ends.push(() => {
    guard[Symbol.dispose]();
    connection.close();
  });
  const seconds = () =>
    source.requests.filter(({ verb }) => verb === 'glimpse').map(({ resourceVersion }) => resourceVersion);
  return { clock, events, guard, seconds, verified, connection, source, controller, failure: () => failure };
}

describe('the guard of a stream', () => {
  it('opens a second watch at the same version after 18 s of silence, and leaves a quiet stream alone', async () => {
    const { clock, seconds, failure } = await start([]);
    await clock.advance(17_999);
    expect(seconds()).toEqual([]);
    await clock.advance(1);
    expect(seconds()).toEqual(['5']);
    await clock.advance(18_000);
    expect([seconds(), failure()]).toEqual([['5', '5'], undefined]);
  });

  it('fails the stream with the error of a second watch of a collection that has moved', async () => {
    const source = { watch: () => Promise.reject(movedCollection('it moved')) };
    const { clock, failure } = await start([], { source: source as never });
    await clock.advance(18_000);
    expect(failure()).toContain('it moved');
  });

  it('waits again after every event', async () => {
    const { clock, events, seconds } = await start([]);
    for (let i = 0; i < 10; i++) {
      await clock.advance(17_000);
      events.send(bookmark(5));
    }
    expect(seconds()).toEqual([]);
  });

  it('fails a stream that does not bring, within 2 s, what the second watch shows', async () => {
    const { clock, failure } = await start([stream().send(added(pod('a', 6)))]);
    await clock.advance(19_999);
    expect(failure()).toBeUndefined();
    await clock.advance(1);
    expect(failure()).toContain('the stream is stalled: the server has changes that did not come');
  });

  it('leaves a stream alone that brings it in time', async () => {
    const { clock, events, failure } = await start([stream().send(added(pod('a', 6)))]);
    await clock.advance(19_000);
    events.send(added(pod('a', 6)));
    await clock.advance(5_000);
    expect(failure()).toBeUndefined();
  });

  it('does not count a bookmark of the second watch as a change', async () => {
    const { clock, failure } = await start([stream().send(bookmark(6)).close()]);
    await clock.advance(30_000);
    expect(failure()).toBeUndefined();
  });

  it('fails the stream when the server does not answer twice', async () => {
    const refused = () => stream().break(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }));
    const { clock, failure, seconds } = await start([refused(), refused()]);
    await clock.advance(18_000);
    expect(seconds()).toHaveLength(2);
    expect(failure()).toContain('the stream is silent, and the server does not answer');
  });

  it('leaves the stream alone when the server answers the second time', async () => {
    const refused = stream().break(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }));
    const { clock, failure } = await start([refused, stream().close()]);
    await clock.advance(18_000);
    expect(failure()).toBeUndefined();
  });

  it('starts later second watches at the server’s version once it has forgotten that of the stream', async () => {
    const { clock, seconds, failure } = await start([stream().send(errorEvent(expired())), stream().close()]);
    await clock.advance(36_000);
    expect([seconds(), failure()]).toEqual([['5', '40'], undefined]);
  });

  it('verifies the history when no bookmark has come for 90 s, and fails the stream with the error of that', async () => {
    let isReplaced = false;
    const { clock, failure, seconds } = await start([], {
      verify: async (_, again) => {
        isReplaced = again;
        if (again) throw new Error('another history');
      },
    });
    await clock.advance(89_000);
    expect([isReplaced, failure()]).toEqual([false, undefined]);
    await clock.advance(18_000);
    expect([isReplaced, failure()]).toEqual([true, 'Error: another history']);
    expect(seconds()).toHaveLength(4);
  });

  it('opens the second watch up to a tenth sooner, at random', async () => {
    const { clock, seconds } = await start([], { random: () => 0.5 });
    await clock.advance(17_099);
    expect(seconds()).toEqual([]);
    await clock.advance(1);
    expect(seconds()).toEqual(['5']);
  });

  it('asks again 18 s after the last answer, which it waits for at most 4 s', async () => {
    const silent = () => stream(); // accepts the watch and brings nothing
    const { clock, seconds, failure } = await start([silent(), silent(), silent()]);
    await clock.advance(18_000);
    expect(seconds()).toHaveLength(1);
    await clock.advance(4_000 + 17_999);
    expect(seconds()).toHaveLength(1);
    await clock.advance(1);
    expect([seconds().length, failure()]).toEqual([2, undefined]);
  });

  it.each([3_999, 4_000])(
    'takes a server that accepts no second watch within 4 s, twice, for out of reach (%i ms)',
    async (ms) => {
      const asked: (boolean | undefined)[] = [];
      const never = {
        watch: (_: unknown, { fresh }: { fresh?: boolean }) => {
          asked.push(fresh);
          return new Promise(() => {});
        },
      };
      const { clock, failure } = await start([], { source: never as never });
      await clock.advance(18_000 + 4_000 + ms);
      expect([asked, failure()?.includes('does not answer') ?? false]).toEqual([[false, true], ms === 4_000]);
    },
  );

  it('leaves a stream alone whose second watch is refused, or fails without a connection error', async () => {
    for (const error of [new Error('no'), Object.assign(new Error('later'), { status: 500 })]) {
      const { clock, seconds, failure } = await start([stream().break(error)]);
      await clock.advance(20_000);
      expect([seconds().length, failure()]).toEqual([1, undefined]);
    }
  });

  it('verifies the history before a second watch while no event has come, and not again for it', async () => {
    const quiet = await start([]);
    await quiet.clock.advance(18_000);
    expect(quiet.verified).toEqual([]);
    const empty = await start([]);
    empty.connection.events = 0;
    await empty.clock.advance(36_000);
    expect(empty.verified).toEqual([false, false]);
  });

  it('verifies the history for a missing bookmark every 90 s', async () => {
    const { clock, verified } = await start([]);
    await clock.advance(89_999);
    expect(verified).toEqual([]);
    await clock.advance(200_000);
    expect(verified).toEqual([true, true, true]);
  });

  it('closes each second watch, and leaves no timer behind', async () => {
    const glimpses = [stream().send(bookmark(6)).close(), stream().send(added(pod('a', 6)))];
    const { clock, guard, connection, events } = await start(glimpses);
    await clock.advance(18_000);
    expect([glimpses[0]?.isLeft, clock.pending]).toEqual([true, 1]); // until the next one
    events.send(added(pod('a', 6)));
    await clock.advance(18_000);
    expect([glimpses[1]?.isLeft, clock.pending]).toEqual([true, 1]); // the time in which the stream may bring it
    guard[Symbol.dispose]();
    await clock.advance(0);
    expect([clock.pending, connection.events]).toEqual([0, 1]);
  });

  it('knows whether a second watch over a new connection shows no change', async () => {
    const { guard, controller, source } = await start([stream().close(), stream().send(added(pod('a', 6)))]);
    const fresh: (boolean | undefined)[] = [];
    const { watch } = source;
    source.watch = (options, context) => {
      fresh.push(context.fresh);
      return watch.call(source, options, context);
    };
    expect([await guard.isQuiet(controller.signal), fresh]).toEqual([true, [true]]);
    expect(await guard.isQuiet(controller.signal)).toBe(false);
    const ending = AbortSignal.abort(new Error('enough'));
    await expect(guard.isQuiet(ending)).rejects.toThrow('enough');
  });

  it('starts the second watch at the version of the stream again once it has moved, and where the position is not known', async () => {
    let at = '5';
    let isAway = true;
    const forgotten = () => stream().send(errorEvent(expired()));
    const { clock, seconds, failure } = await start([forgotten(), forgotten(), stream().close(), stream().close()], {
      reached: () => at,
      position: async () => {
        if (isAway) throw new Error('no answer');
        return '40';
      },
    });
    await clock.advance(18_000);
    isAway = false;
    await clock.advance(36_000);
    at = '41';
    await clock.advance(18_000);
    expect([seconds(), failure()]).toEqual([['5', '5', '40', '41'], undefined]);
  });

  it('ends when it is disposed', async () => {
    const { clock, guard, seconds } = await start([]);
    guard[Symbol.dispose]();
    await clock.advance(60_000);
    expect([seconds(), clock.pending]).toEqual([[], 0]);
  });
});
