import { describe, expect, it } from 'vitest';
import type { SharedInformerOptions } from '../../src/informer/informer-options.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { createLogger } from '../../src/kit/logger.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../support/objects.ts';
import {
  added,
  initialEnd,
  modified,
  ScriptedListerWatcher,
  ScriptedStream,
  unreachable,
} from '../support/scripted-events.ts';

/** An informer over one scripted stream that begins with these pods at version 10. */
function bench(pods: Pod[] = [], options: SharedInformerOptions<Pod> = {}) {
  const clock = options.clock ?? new FakeClock();
  const stream = new ScriptedStream<Pod>().send(...pods.map(added), initialEnd(10));
  const source = new ScriptedListerWatcher<Pod>().onWatch(stream);
  const logs: string[] = [];
  const logger = createLogger((level, message) => logs.push(`${level} ${message}`));
  const informer = new SharedInformer<Pod>(source, { name: 'v1/pods', clock, logger, random: () => 0, ...options });
  const controller = new AbortController();
  let running: Promise<void> | undefined;
  const start = async () => {
    running = informer.run(controller.signal);
    await settled();
  };
  const stop = async () => {
    controller.abort();
    await running;
  };
  return { informer, clock: clock as FakeClock, stream, source, logs, start, stop, signal: controller.signal };
}

const nameOf = ({ metadata }: { metadata: { readonly name?: string } }) => [metadata.name ?? ''];

describe('an index that is built in steps', () => {
  it.each([
    [1, 1],
    [2, 2],
    [3.9, 2],
    [4, 4],
    [50, 4],
  ])('lets other code run after each four milliseconds, here four steps of %d ms: %i times', async (ms, times) => {
    let [now, turns, filed] = [0, 0, 0];
    const timed = Object.assign(new FakeClock(), { monotonic: () => now, yield: async () => void turns++ });
    const pods = Array.from({ length: 5000 }, (_, i) => pod(`p${i}`, 1));
    const { informer, start, stop } = bench(pods, { clock: timed, store: 'objects' });
    await start();
    await informer.whenSynced();
    turns = 0;
    await informer.buildIndexers({
      name: (object) => {
        if (++filed % 1024 === 0) now += ms;
        return nameOf(object);
      },
    });
    expect([turns, informer.lister.indexKeys('name', 'p4999')]).toEqual([times, ['p4999']]);
    await stop();
  });

  it('is not added when its signal aborts between two steps', async () => {
    const pods = Array.from({ length: 5000 }, (_, i) => pod(`p${i}`, 1));
    const { informer, start, stop } = bench(pods, { store: 'objects' });
    await start();
    await informer.whenSynced();
    const ending = new AbortController();
    let filed = 0;
    const building = informer.buildIndexers(
      {
        name: (object) => {
          if (++filed === 3000) ending.abort(new Error('enough'));
          return nameOf(object);
        },
      },
      ending.signal,
    );
    await expect(building).rejects.toThrow('enough');
    expect([filed < 5000, informer.lister.hasIndex('name')]).toEqual([true, false]);
    await stop();
  });
});

describe('the calls of an informer', () => {
  it('remove no index of an informer that has none of its own but the namespace', async () => {
    const { informer } = bench();
    informer.addIndexers({ name: nameOf });
    informer.removeIndexers(['name', 'namespace']);
    expect([informer.lister.hasIndex('name'), informer.lister.hasIndex('namespace')]).toEqual([false, true]);
  });

  it('keep fields, and refuse what is no list or no path', async () => {
    const { informer, start, stop } = bench([pod('a/x', 1, { node: 'n1' })], { store: 'compact' });
    informer.keepFields(['.spec.nodeName']);
    await start();
    const before = informer.memory;
    expect([...(informer.lister.scan({ fields: ['.spec.nodeName'] }) ?? [])].map((each) => each?.spec)).toEqual([
      { nodeName: 'n1' },
    ]);
    expect([informer.memory.objects, informer.memory.packed, informer.memory.coldReads]).toEqual([
      1,
      1,
      before.coldReads,
    ]);
    expect(() => informer.keepFields('.spec' as never)).toThrow('fields');
    await stop();
  });

  it('refuse options and limits of an iteration at the call', () => {
    const { informer } = bench();
    expect(() => informer.events({ nope: 1 } as never)).toThrow('nope');
    for (const limit of [0, 0.5, Number.NaN]) expect(() => informer.events({ limit })).toThrow('limit');
    expect(() => informer.events({ limit: 1 })).not.toThrow();
  });

  it('refuse a backlog of less than one, and options that an informer does not have', () => {
    const { informer } = bench();
    expect(() => informer.addHandler({ added() {} }, { policy: 'block', blockAt: 0 })).toThrow(
      'blockAt must be at least 1, not 0',
    );
    expect(() => informer.addHandler({ added() {} }, { policy: 'block', blockAt: 1 })).not.toThrow();
    expect(() => new SharedInformer(new ScriptedListerWatcher<Pod>(), { nope: 1 } as never)).toThrow('nope');
  });

  it('have no version, and nothing that is current or to be compared, before the start', async () => {
    const { informer, signal } = bench();
    expect([informer.lastSyncResourceVersion, informer.isCaughtUp, informer.lastError]).toEqual(['', true, undefined]);
    await expect(informer.whenCurrent(signal)).rejects.toMatchObject({ code: 'closed' });
    await informer.whenApplied(signal);
  });

  it('wait for the changes that have arrived', async () => {
    const { informer, stream, start, stop, signal } = bench([pod('a', 1)]);
    await start();
    let release = () => {};
    informer.addHandler(
      { updated: () => new Promise<void>((resolve) => (release = resolve)) },
      { policy: 'block', blockAt: 1 },
    );
    for (let i = 2; i < 6; i++) {
      stream.send(modified(pod('a', 10 + i)));
      await settled();
    }
    const done: string[] = [];
    void informer.whenApplied(signal).then(() => done.push('applied'));
    await settled();
    expect([informer.isCaughtUp, done]).toEqual([false, []]);
    for (let i = 0; i < 6; i++) {
      release();
      await settled();
    }
    expect([informer.isCaughtUp, done]).toEqual([true, ['applied']]);
    await stop();
  });
});

describe('the options of an informer', () => {
  it('have the handler of watch errors, and of errors of handlers, which no fault of a stream is', async () => {
    const [watchErrors, handlerErrors]: [unknown[], unknown[]] = [[], []];
    const { informer, source, stream, clock, start, stop } = bench([pod('a', 1)], {
      onWatchError: (error) => watchErrors.push((error as Error).message),
      onHandlerError: (error) => handlerErrors.push(error),
    });
    await start();
    source.onWatch(() => Promise.reject(new Error('refused')));
    stream.break(new Error('cut off'));
    await clock.advance(5_000);
    expect([watchErrors.length > 0, handlerErrors, informer.continuity[0]?.storeErrors]).toEqual([true, [], 0]);
    await stop();
  });

  it('have index functions, whose errors come with the first one as their cause', async () => {
    const handlerErrors: unknown[] = [];
    const failed = new Error('no node');
    const { start, stop } = bench([pod('a', 1), pod('b', 1)], {
      indexers: {
        node: () => {
          throw failed;
        },
      },
      onHandlerError: (error) => handlerErrors.push(error),
    });
    await start();
    expect(handlerErrors).toEqual([expect.objectContaining({ code: 'store' })]);
    expect((handlerErrors[0] as { cause?: { cause?: unknown } }).cause?.cause).toBe(failed);
    await stop();
  });

  it('have a type, or the first source has one', () => {
    const gvr = { group: '', version: 'v1', resource: 'pods' };
    const typed = Object.assign(new ScriptedListerWatcher<Pod>(), { gvr });
    const other = new ScriptedListerWatcher<Pod>().onWatch(unreachable());
    const of = (...sources: ScriptedListerWatcher<Pod>[]) =>
      new SharedInformer<Pod>(sources.map((source, i) => ({ source, namespace: `ns-${i}` }))).resource;
    expect([of(typed, other), of(other, typed)]).toEqual([gvr, undefined]);
  });
});
