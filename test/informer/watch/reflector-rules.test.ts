import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { changedCollection } from '../../../src/informer/watch/moved-collection.ts';
import { Reflector } from '../../../src/informer/watch/reflector.ts';
import type { ReflectorOptions } from '../../../src/informer/watch/reflector-options.ts';
import type { ReflectorStore } from '../../../src/informer/watch/reflector-store.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { pod } from '../../support/objects.ts';
import {
  added,
  errorEvent,
  initialEnd,
  internal,
  modified,
  networkError,
  page,
  ScriptedListerWatcher,
  ScriptedStream,
} from '../../support/scripted-events.ts';

const lw = () => new ScriptedListerWatcher<KubeObject>();
const stream = () => new ScriptedStream<KubeObject>();
const list = { sync: 'list' } as const;

/** A reflector, and the calls of its store and its continuity events in one order. */
function run(
  source: ScriptedListerWatcher<KubeObject>,
  { store = {}, ...options }: ReflectorOptions & { store?: Partial<ReflectorStore<KubeObject>> } = {},
) {
  const clock = new FakeClock();
  const calls: string[] = [];
  const note = (verb: string) => (object: KubeObject) => void calls.push(`${verb} ${object.metadata?.name}`);
  const reflector = new Reflector<KubeObject>(
    source,
    {
      add: note('add'),
      update: note('update'),
      delete: note('delete'),
      replace: (objects, version) => void calls.push(`replace ${objects.length}@${version}`),
      ...store,
    } as ReflectorStore<KubeObject>,
    {
      clock,
      random: () => 0,
      name: 'v1/pods',
      logger: silentLogger,
      onContinuity: ({ kind }) => calls.push(kind),
      ...options,
    },
  );
  const controller = new AbortController();
  const running = reflector.run(controller.signal);
  const stop = async () => {
    controller.abort();
    await running;
    expect([clock.pending, getEventListeners(controller.signal, 'abort')]).toEqual([0, []]);
  };
  return { clock, calls, reflector, controller, stop };
}

describe('a reflector', () => {
  it('refuses options that it does not have, and reports the progress of its list', async () => {
    expect(() => new Reflector(lw(), {} as never, { nope: 1 } as never)).toThrow('nope');
    const progress: unknown[] = [];
    const source = lw()
      .onList(() => page('10', [pod('a', 1)]))
      .onWatch(stream());
    const { stop } = run(source, { ...list, onProgress: ({ objects }) => progress.push(objects) });
    await settled();
    expect(progress).toEqual([1]);
    await stop();
  });

  it('reports that its stream was resumed before the first event of it is stored', async () => {
    const next = stream();
    const source = lw()
      .onList(() => page('10'))
      .onWatch(
        stream()
          .send(added(pod('a', 11)))
          .break(networkError('ECONNRESET')),
        next,
      );
    source.onProbe(() => page('11', [pod('a', 11)]));
    const { clock, calls, stop } = run(source, list);
    await clock.advance(100);
    calls.length = 0;
    next.send(modified(pod('a', 12)));
    await settled();
    expect(calls).toEqual(['connected', 'resumed', 'update a']);
    await stop();
  });

  it('leaves its stream when it is stopped while it stores the initial list', async () => {
    const first = stream().send(added(pod('a', 1)), initialEnd(10));
    let abort = () => {};
    const { controller, stop } = run(lw().onWatch(first), { store: { replace: () => abort() } });
    abort = () => controller.abort();
    await settled();
    expect([controller.signal.aborted, first.isLeft]).toEqual([true, true]);
    await stop();
  });

  it('counts each event that its store refuses, and each that could not be read', async () => {
    const events = stream().send(added(pod('a', 11)), added(pod('b', 12)));
    const add = () => {
      throw new Error('full');
    };
    const { reflector, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(events),
      { ...list, store: { add } },
    );
    await settled();
    expect([reflector.continuity.storeErrors, reflector.lastSyncResourceVersion]).toEqual([2, '12']);
    await stop();
  });

  it('that was distrusted before a whole state came keeps the stream after it', async () => {
    const source = lw()
      .onList(
        () => Promise.reject(new Error('no')),
        () => page('10'),
      )
      .onWatch(stream());
    const { clock, reflector, stop } = run(source, list);
    await settled();
    reflector.distrust(new InformerError('store', 'wrong'), { always: true });
    await clock.advance(60_000);
    expect([source.lists.length, source.watches.length, reflector.lastError]).toEqual([2, 1, undefined]);
    await stop();
  });

  it('shows why it is not connected yet', async () => {
    const error = new Error('no');
    const { clock, reflector, stop } = run(
      lw().onList(() => Promise.reject(error)),
      list,
    );
    const since = clock.now();
    expect(reflector.continuity.connection).toEqual({ state: 'connecting', since });
    await settled();
    expect(reflector.continuity.connection).toMatchObject({ state: 'connecting', since, why: 'other' });
    expect(reflector.lastError).toMatchObject({ cause: error });
    await stop();
  });

  it('resumes at once after an InternalError, but not where it counts with one less than a minute ago', async () => {
    for (const [ms, watches] of [
      [59_000, 2],
      [61_000, 3],
    ] as const) {
      const [first, second] = [stream(), stream()];
      const source = lw()
        .onList(() => page('10'))
        .onWatch(first, second, stream(), stream());
      const { clock, stop } = run(source, {
        ...list,
        maxInternalErrorRetryMs: 5_000,
        idleMs: Number.POSITIVE_INFINITY,
      });
      await clock.advance(10_000);
      first.send(errorEvent(internal()));
      await clock.advance(ms);
      second.send(errorEvent(internal()));
      await clock.advance(1);
      expect([ms, source.watches.length, source.lists.length]).toEqual([ms, watches, 1]);
      await stop();
    }
  });

  it('asks for its initial events on the connection that there is', async () => {
    const fresh: unknown[] = [];
    const source = lw().onWatch((_, context) => {
      fresh.push(context.fresh);
      return stream();
    });
    const { stop } = run(source);
    await settled();
    expect(fresh).toEqual([undefined]);
    await stop();
  });

  it('begins the period of its resyncs with a stored state, which it reports', async () => {
    let resyncs = 0;
    const { clock, calls, stop } = run(lw().onWatch(stream()), {
      ...list,
      resyncMs: 10_000,
      idleMs: Number.POSITIVE_INFINITY,
      stored: { objects: [pod('a', 9)], resourceVersion: '10', at: 0 },
      store: { restore: () => {}, resync: () => void resyncs++ },
    });
    await clock.advance(10_000);
    expect([calls[0], resyncs]).toEqual(['restored', 1]);
    await stop();
  });
});

describe('a collection that changes', () => {
  /** A reflector whose collection changes after its first list. */
  async function changed(hasList: boolean, store: Partial<ReflectorStore<KubeObject>>) {
    const first = stream();
    const merged: unknown[] = [];
    const listed: unknown[] = [];
    const source = Object.assign(lw(), {
      change: () => ({
        list: hasList ? async () => page('10', [pod('c', 7)]) : undefined,
        keeps: ({ metadata }: KubeObject) => metadata.name === 'a',
        taken: () => void merged.push('taken'),
      }),
    });
    source.onList(() => page('10', [pod('a', 1), pod('b', 2)])).onWatch(first);
    const { clock, stop } = run(source, { ...list, store, metrics: { listed: (_, objects) => listed.push(objects) } });
    await settled();
    first.break(changedCollection('other parts'));
    await clock.advance(1_000);
    await stop();
    return { merged, listed, lists: source.lists.length, watches: source.watches.map((each) => each.resourceVersion) };
  }

  const merging = () => {
    const calls: unknown[] = [];
    const merge = (objects: readonly KubeObject[], keeps: (object: KubeObject) => boolean, version: string) =>
      void calls.push(
        objects.map(({ metadata }) => metadata.name),
        ['a', 'b'].map((name) => keeps(pod(name, 1))),
        version,
      );
    return { calls, store: { merge, arriving: () => void calls.push('arriving') } };
  };

  it.each([
    [true, ['c'], [2, 1]],
    [false, [], [2]],
  ])('is merged into the store at its version, with a list of new parts: %s', async (hasList, names, listed) => {
    const { calls, store } = merging();
    const result = await changed(hasList, store);
    expect(calls).toEqual(['arriving', 'arriving', names, [true, false], '10']);
    expect(result).toEqual({ merged: ['taken'], listed, lists: 1, watches: ['10', '10'] });
  });

  it('is listed as a whole by a store that merges nothing', async () => {
    expect(await changed(true, {})).toMatchObject({ merged: [], lists: 2 });
  });
});
