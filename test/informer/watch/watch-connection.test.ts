import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isIdleWatch, WatchConnection } from '../../../src/informer/watch/watch-connection.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../../support/objects.ts';
import { added, ScriptedListerWatcher, ScriptedStream, unreachable } from '../../support/scripted-events.ts';

const IDLE_MS = 1000;

/** A connection over one scripted stream. */
async function open(fresh?: boolean) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const stream = new ScriptedStream<Pod>();
  const contexts: object[] = [];
  const source = new ScriptedListerWatcher<Pod>().onWatch((_, context) => {
    contexts.push(context);
    return stream;
  });
  const connect = { signal: controller.signal, clock, idleMs: IDLE_MS, fresh };
  const connection = await WatchConnection.open(source, { resourceVersion: '5' }, connect);
  return { clock, controller, stream, source, connection, contexts };
}

describe('a watch connection', () => {
  it('passes the request on, and yields batches until the server closes gracefully', async () => {
    const { stream, source, connection, contexts } = await open(true);
    stream.send(added(pod('a', 6)), added(pod('b', 7))).send(added(pod('c', 8)));
    stream.close();
    const batches = [await connection.read(), await connection.read(), await connection.read()];
    expect(batches.map((batch) => batch?.length)).toEqual([2, 1, undefined]);
    expect(source.requests).toEqual([{ verb: 'watch', resourceVersion: '5' }]);
    expect(contexts).toEqual([{ signal: expect.any(AbortSignal), fresh: true }]);
    connection.close();
  });

  it('yields the unused rest of a batch again', async () => {
    const { stream, connection } = await open();
    stream.send(added(pod('a', 6)), added(pod('b', 7))).send(added(pod('c', 8)));
    const [, ...rest] = (await connection.read()) ?? [];
    connection.unread(rest);
    expect([await connection.read(), (await connection.read())?.length]).toEqual([rest, 1]);
    connection.unread([]);
    stream.close();
    expect(await connection.read()).toBeUndefined();
    connection.close();
  });

  it('fails a read after a silence, and measures only the time of reads', async () => {
    const { clock, stream, connection } = await open();
    stream.send(added(pod('a', 6)));
    await connection.read();
    await clock.advance(10 * IDLE_MS); // the reader is busy
    expect(connection.silentMs).toBe(0);
    stream.send(added(pod('b', 7)));
    expect(await connection.read()).toHaveLength(1);
    const reading = connection.read().catch((error: unknown) => error);
    await clock.advance(IDLE_MS - 1);
    expect(connection.silentMs).toBe(IDLE_MS - 1);
    await clock.advance(1);
    const error = await reading;
    expect([isIdleWatch(error), String(error)]).toEqual([
      true,
      expect.stringContaining('no event and no bookmark for 1s'),
    ]);
    connection.close();
  });

  it('fails the current read, or the next one, with the error it is given', async () => {
    const { connection } = await open();
    const reading = connection.read();
    connection.fail(new Error('stalled'));
    await expect(reading).rejects.toThrow('stalled');
    await expect(connection.read()).rejects.toThrow('stalled');
    connection.close();
  });

  it('knows when it was opened, last read and first read', async () => {
    const { clock, stream, connection } = await open();
    await clock.advance(100);
    expect([connection.lastReadAt, connection.life.ms]).toEqual([0, 0]);
    for (const at of [300, 700]) {
      const reading = connection.read();
      await clock.advance(at - clock.monotonic());
      stream.send(added(pod('a', at)));
      await reading;
      expect([connection.lastReadAt, connection.life.ms]).toEqual([at, at - 100]);
    }
    connection.close();
  });

  it('leaves no listener and no timer when its request is refused, and knows when it was made', async () => {
    const clock = new FakeClock();
    await clock.advance(50);
    const { signal } = new AbortController();
    const source = new ScriptedListerWatcher<Pod>().onWatch(unreachable());
    await expect(WatchConnection.open(source, {}, { signal, clock, idleMs: IDLE_MS })).rejects.toThrow('ECONNREFUSED');
    expect([clock.pending, getEventListeners(signal, 'abort')]).toEqual([0, []]);
    const opened = new ScriptedListerWatcher<Pod>().onWatch(new ScriptedStream<Pod>());
    const connection = await WatchConnection.open(opened, {}, { signal, clock, idleMs: IDLE_MS });
    expect(connection.lastReadAt).toBe(50);
    connection.close();
  });

  it('passes on the error of the stream', async () => {
    const { stream, connection } = await open();
    stream.break(new Error('reset'));
    await expect(connection.read()).rejects.toThrow('reset');
    connection.close();
  });

  it('releases the stream, its timer and its listeners when it is closed', async () => {
    const { clock, controller, stream, connection } = await open();
    stream.send(added(pod('a', 6)));
    await connection.read();
    connection.close();
    await settled();
    expect([stream.isLeft, clock.pending, getEventListeners(controller.signal, 'abort').length]).toEqual([true, 0, 0]);
  });

  it('reports its events, and its duration since it was first read', async () => {
    const { clock, connection } = await open();
    connection.events += 2;
    await clock.advance(5000); // the reader checks something first
    expect(connection.life).toEqual({ events: 2, ms: 0 });
    connection.read().catch(() => {}); // until it is closed
    await clock.advance(700);
    expect(connection.life).toEqual({ events: 2, ms: 700 });
    connection.close();
  });

  it('gives up a request that is silent, and closes a stream that comes after that', async () => {
    const clock = new FakeClock();
    const { promise, resolve } = Promise.withResolvers<ScriptedStream<Pod>>();
    const source = new ScriptedListerWatcher<Pod>().onWatch(() => promise);
    const { signal } = new AbortController();
    const opening = WatchConnection.open(source, {}, { signal, clock, idleMs: IDLE_MS }).catch(
      (error: unknown) => error,
    );
    await clock.advance(IDLE_MS);
    expect(isIdleWatch(await opening)).toBe(true);
    const late = new ScriptedStream<Pod>().send(added(pod('a', 6)));
    let isReturned = false;
    const { [Symbol.asyncIterator]: iterate } = late;
    late[Symbol.asyncIterator] = function (this: ScriptedStream<Pod>) {
      const iterator = iterate.call(this);
      const end = iterator.return.bind(iterator);
      iterator.return = (value) => {
        isReturned = true;
        return end(value);
      };
      return iterator;
    };
    resolve(late);
    await settled();
    expect([isReturned, clock.pending]).toEqual([true, 0]);
  });
});
