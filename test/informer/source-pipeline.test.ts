import { afterEach, describe, expect, it } from 'vitest';
import type { Cached } from '../../src/informer/compact/packed-object.ts';
import { type PipelineOptions, SourcePipeline } from '../../src/informer/source-pipeline.ts';
import { applyDeltas } from '../../src/informer/store/apply-deltas.ts';
import { changedCollection } from '../../src/informer/watch/moved-collection.ts';
import { createLogger, silentLogger } from '../../src/kit/logger.ts';
import type { ListPage, ReadonlyObject } from '../../src/model/object.ts';
import type { WatchEvent } from '../../src/model/watch-event.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess } from '../support/in-process.ts';
import { laneOver } from '../support/lane.ts';
import { type Pod, pod } from '../support/objects.ts';
import {
  added,
  bookmark,
  deleted,
  networkError,
  page,
  ScriptedListerWatcher,
  ScriptedStream,
  unreachable,
} from '../support/scripted-events.ts';
import { Indexer } from '../support/store-under-test.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A lane over config maps a/x and b/x, which fills a store of its own and records its calls. */
async function start(options: Partial<PipelineOptions<Cached<ConfigMap>>> = {}) {
  const { sandbox, clock, client } = await inProcess();
  const maps = new ConfigMaps(sandbox);
  for (const key of ['a/x', 'b/x']) maps.put(key);
  const store = new Indexer<ConfigMap>();
  const calls: string[] = [];
  const lane = new SourcePipeline<Cached<ConfigMap>>(client.resource(CONFIG_MAPS, { namespace: options.namespace }), {
    namespace: undefined,
    reflector: { name: 'v1/configmaps', clock, sync: 'list', random: () => 0, logger: silentLogger },
    clock,
    logger: createLogger((level, message) => calls.push(`${level} ${message}`)),
    atStart: () => ({ transform: undefined, resyncMs: 0 }),
    apply: async (deltas, context) => {
      const { notifications } = applyDeltas(deltas, store, context);
      calls.push(...notifications.map(({ kind, key }) => `${kind} ${key}`));
    },
    onOrderedContinuity: ({ kind }) => calls.push(kind),
    cache: store,
    verifyEveryMs: 0,
    room: () => undefined,
    onSynced: () => calls.push('synced'),
    ...options,
  });
  const controller = new AbortController();
  const running = lane.run(controller.signal);
  const stop = async () => {
    controller.abort();
    await running;
  };
  ends.push(async () => {
    await stop();
    await sandbox.stop();
  });
  return { sandbox, maps, clock, store, lane, calls, running, stop, signal: controller.signal };
}

/** Runs a lane until the test ends. */
function run(lane: SourcePipeline<Cached<Pod>>): void {
  const controller = new AbortController();
  const running = lane.run(controller.signal);
  ends.push(async () => {
    controller.abort();
    await running;
  });
}

describe('a lane that has not begun', () => {
  const lane = (options: Partial<PipelineOptions<Cached<Pod>>> = {}, source = new ScriptedListerWatcher<Pod>()) =>
    laneOver(source, new FakeClock(), options);

  it('has nothing, waits for nothing, and has nothing to compare', async () => {
    const { signal } = new AbortController();
    const one = lane();
    expect({ ...pickOf(one), continuity: one.continuity.stretches }).toEqual({
      hasSynced: false,
      isLeftOut: false,
      lastSyncResourceVersion: '',
      shownVersion: '',
      lastError: undefined,
      depth: 0,
      isIdle: true,
      continuity: [],
    });
    await one.whenApplied(signal);
    const reasons = [one.whenCurrent(signal), one.verify(signal), one.confirm(signal)];
    for (const reason of reasons) await expect(reason).rejects.toMatchObject({ code: 'closed' });
    await expect(one.whenCurrent(signal)).rejects.toThrow('the cache of v1/pods has not synced');
    await expect(lane({ reflector: { name: undefined } }).confirm(signal)).rejects.toThrow('of <unspecified> has');
  });

  it('has the keys of its namespace and name, and none once it is left out', () => {
    const keys = ['shop/a', 'shop/b', 'bank/a', 'shopping/a', 'a'];
    const keysOf = (options: Partial<PipelineOptions<Cached<Pod>>>) => keys.filter((key) => lane(options).has(key));
    expect(keysOf({})).toEqual(keys);
    expect(keysOf({ namespace: '' })).toEqual(keys);
    expect(keysOf({ namespace: 'shop' })).toEqual(['shop/a', 'shop/b']);
    expect(keysOf({ namespace: 'shop', name: 'a' })).toEqual(['shop/a']);
    expect(keysOf({ name: 'a' })).toEqual(['shop/a', 'bank/a', 'shopping/a', 'a']);
    expect(keysOf({ leftOut: AbortSignal.abort() })).toEqual([]);
    expect(lane({ leftOut: AbortSignal.abort() }).isLeftOut).toBe(true);
  });

  it('selects the objects that its selectors match and its source keeps', () => {
    const [web, job] = [pod('shop/web', 1, { labels: { app: 'web' } }), pod('shop/job', 1)];
    const keeping = Object.assign(new ScriptedListerWatcher<Pod>(), {
      keeps: ({ metadata }: ReadonlyObject) => metadata.name === 'job',
    });
    const selected = (one: SourcePipeline<Cached<Pod>>) => [web, job].map((object) => one.selects(object as never));
    expect(selected(lane())).toEqual([true, true]);
    expect(selected(lane({ reflector: { selectors: { labelSelector: 'app=web' } } }))).toEqual([true, false]);
    expect(selected(lane({}, keeping))).toEqual([false, true]);
    expect(selected(lane({ reflector: { selectors: { labelSelector: 'app=web' } } }, keeping))).toEqual([false, false]);
  });
});

describe('a stored state', () => {
  const a = pod('shop/a', 3);
  const stored = { objects: [a], resourceVersion: '5', at: 0 };

  /** A lane that begins with a stored state, and the times at which it lists the metadata, s. */
  function restored(answer: () => Promise<ListPage<unknown>>) {
    const clock = new FakeClock();
    const asked: number[] = [];
    const source = new ScriptedListerWatcher<Pod>().onList(() => page('9', [a]));
    source.onProbe(({ limit }) => {
      if (limit !== 1) asked.push(clock.monotonic() / 1000);
      return limit === 1 ? page('9', [a]) : answer();
    });
    const synced: number[] = [];
    const lane = laneOver(source, clock, { stored, onSynced: () => synced.push(clock.monotonic() / 1000) });
    run(lane);
    return { clock, lane, asked, source, synced };
  }

  it('is compared again after 1 s, then after up to 30 s, while the server is away', async () => {
    let isAway = true;
    const { clock, lane, asked, source, synced } = restored(async () => {
      if (isAway) throw networkError('ECONNREFUSED');
      return page('9', [a]);
    });
    await clock.advance(100_000);
    const times = [0, 1, 3, 7, 15, 31, 61, 91];
    expect(asked).toEqual(times);
    isAway = false;
    await clock.advance(100_000);
    expect([lane.hasSynced, synced, asked]).toEqual([true, [121], [...times, 121]]);
    expect(source.lists).toEqual([]);
  });

  it('that cannot be compared for another reason is listed', async () => {
    const { clock, lane, source, asked } = restored(async () => {
      throw new Error('no');
    });
    await clock.advance(100_000);
    expect([lane.hasSynced, source.lists.length, asked]).toEqual([true, 1, [0, 1]]); // at first no stream is followed yet
  });

  it('that differs is compared again after ten seconds, and listed if it still does', async () => {
    const { clock, lane, source, asked } = restored(async () => page('9', [a, pod('shop/b', 8)]));
    await clock.advance(10_000);
    expect([lane.hasSynced, source.lists.length, asked.length]).toEqual([false, 0, 1]);
    await clock.advance(5_000);
    expect([lane.hasSynced, source.lists.length, asked.length]).toEqual([true, 1, 2]);
    expect(lane.continuity).toMatchObject({ drifts: 1, relists: 1 });
  });
});

/** A lane over a pod shop/a at version 3, with what it shows of its state after each batch of a stream. */
async function shown(version: string, source = new ScriptedListerWatcher<Pod>(), ...later: Pod[]) {
  const clock = new FakeClock();
  const stream = new ScriptedStream<Pod>();
  const first = [pod('shop/a', 3)];
  source.onList(
    () => page(version, first),
    () => page(version, [...first, ...later]),
  );
  source.onWatch(stream);
  const states: string[] = [];
  const store = new Indexer<Pod>();
  let held: Promise<void> | undefined;
  /** Applies nothing before the result is called. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return resolve;
  };
  const lane = laneOver(source, clock, {
    cache: store,
    apply: async (deltas, context) => {
      await held;
      applyDeltas(deltas, store, context);
    },
    onState: ({ isWhole, objects, resourceVersion }) => {
      const keys = [...objects].map(([key, object]) => (object ? key : `${key} gone`));
      states.push(`${isWhole ? 'whole ' : ''}${keys.join(' ')} @${resourceVersion}`);
    },
  });
  run(lane);
  await settled();
  const seen = async (...events: WatchEvent<Pod>[]) => {
    if (events.length > 0) stream.send(...events);
    await settled();
    return [states.splice(0).join('; '), lane.shownVersion];
  };
  return { clock, lane, stream, store, source, seen, hold };
}

describe('the version that a lane shows', () => {
  it('is that of its list, then of a bookmark, or of the last change of a batch', async () => {
    const { seen } = await shown('5');
    expect(await seen()).toEqual(['whole shop/a @5', '5']);
    const batch = [added(pod('shop/b', 6)), deleted(pod('shop/a', 7))];
    expect(await seen(...batch)).toEqual(['shop/b shop/a gone @7', '7']);
    expect(await seen(bookmark(9))).toEqual([' @9', '9']);
  });

  it.each(['', '0'])('after a list at version "%s" is none before a bookmark', async (version) => {
    const { seen } = await shown(version);
    expect(await seen()).toEqual(['whole shop/a @', '']);
    expect(await seen(added(pod('shop/b', 6)))).toEqual(['shop/b @', '']);
    expect(await seen(bookmark(7))).toEqual([' @7', '7']);
    expect(await seen(added(pod('shop/c', 8)))).toEqual(['shop/c @8', '8']);
  });

  it('stays where it was when the cache has refused a change, and is none after a further list', async () => {
    const { lane, seen, clock } = await shown('5');
    await seen();
    lane.refused(new Error('no'), 'dropped', 1);
    expect(await seen(added(pod('shop/b', 6)))).toEqual(['shop/b @', '5']);
    lane.distrust(new Error('damaged'));
    await clock.advance(5_000);
    expect(await seen()).toEqual(['whole shop/a @', '']);
    expect(lane.lastError).toBeUndefined();
  });

  it('is that of the stream after a list of new parts, with the whole state', async () => {
    const source = Object.assign(new ScriptedListerWatcher<Pod>(), {
      change: () => ({
        list: async () => page('6', [pod('shop/c', 4)]),
        keeps: ({ metadata }: Pod) => metadata.name !== 'a',
        taken: () => {},
      }),
    });
    const { stream, seen } = await shown('5', source);
    await seen(added(pod('shop/b', 6)));
    stream.break(changedCollection('other parts'));
    expect(await seen()).toEqual(['whole shop/b shop/c @6', '6']);
  });
});

describe('a lane that runs', () => {
  it('reports the fault of its stream until that is repaired, to observers too, and the next sign of life', async () => {
    const { lane, stream, clock, source, seen } = await shown('5');
    const kinds: string[] = [];
    using _observed = lane.observe(({ kind }) => kinds.push(kind));
    const signs: string[] = [];
    void lane.whenSign(new AbortController().signal).then(() => signs.push('one'));
    await settled();
    expect(signs).toEqual([]);
    await seen(bookmark(6));
    expect(signs).toEqual(['one']);
    source.onWatch(unreachable(), new ScriptedStream<Pod>());
    stream.break(new Error('cut off'));
    await settled();
    expect([(lane.lastError as Error).message, kinds]).toEqual(['cut off', ['disconnected', 'fault']]);
    await clock.advance(10_000);
    expect([lane.lastError, kinds.at(-1)]).toEqual([undefined, 'resumed']);
  });

  it('is compared once its changes are applied, and differs in nothing while they are not', async () => {
    const { lane, source, clock, seen, hold } = await shown('5', undefined, pod('shop/c', 4));
    source.onProbe(() => page('9', [pod('shop/a', 3)]));
    const { signal } = new AbortController();
    const release = hold();
    await seen(added(pod('shop/b', 6)));
    const done: string[] = [];
    void lane.whenApplied(signal).then(() => done.push('applied'));
    const confirmed = lane.confirm(signal);
    const ending = new AbortController();
    const left = lane.whenApplied(ending.signal);
    ending.abort(new Error('enough'));
    await expect(left).rejects.toThrow('enough');
    const drift = lane.verify(signal);
    await clock.advance(15_000);
    expect([lane.isIdle, done, (await drift).missing]).toEqual([false, [], []]);
    release();
    expect(await confirmed).toEqual({ resourceVersion: '9', differing: 1 });
    await settled();
    expect([lane.isIdle, done]).toEqual([true, ['applied']]);
  });

  it('waits a millisecond for each of its objects before it compares them with the present state', async () => {
    const { lane, source, clock } = await shown('5');
    const compared: number[] = [];
    source.onProbe(({ limit }) => {
      if (limit !== 1) compared.push(clock.monotonic());
      return page('9', [pod('shop/a', 3)]);
    });
    const began = clock.monotonic();
    const current = lane.whenCurrent(new AbortController().signal);
    await clock.advance(50);
    await current;
    expect(compared).toEqual([began + 1]);
  });

  it('that is read by a damaged cache lists the state again', async () => {
    const { lane, source, clock } = await shown('5');
    lane.distrust(new Error('damaged'));
    await clock.advance(5_000);
    expect([source.lists.length, lane.continuity.relists]).toEqual([2, 1]);
  });

  it('is compared by what the cache has now, and lists again only where that differs', async () => {
    const { lane, clock, store } = await shown('5', undefined, pod('shop/b', 4));
    const { signal } = new AbortController();
    const compared = async () => {
      const drift = lane.verify(signal);
      await clock.advance(15_000);
      return [(await drift).missing, lane.continuity.verifications, lane.continuity.drifts, lane.continuity.relists];
    };
    expect(await compared()).toEqual([['shop/b'], 1, 1, 1]);
    expect([...store.keys()]).toEqual(['shop/a', 'shop/b']);
    expect(await compared()).toEqual([[], 2, 1, 1]);
  });
});

const pickOf = ({
  hasSynced,
  isLeftOut,
  lastSyncResourceVersion,
  shownVersion,
  lastError,
  depth,
  isIdle,
}: SourcePipeline<Cached<Pod>>) => ({
  hasSynced,
  isLeftOut,
  lastSyncResourceVersion,
  shownVersion,
  lastError,
  depth,
  isIdle,
});

describe('a lane of an informer', () => {
  it('applies the initial list, then changes, each once', async () => {
    const { maps, clock, lane, calls } = await start();
    await clock.advance(1000);
    expect([lane.hasSynced, calls]).toEqual([true, ['added a/x', 'added b/x', 'synced']]);
    maps.put('a/x', 'n2');
    maps.delete('b/x');
    await clock.advance(1000);
    expect([lane.depth, calls.slice(3)]).toEqual([0, ['updated a/x', 'deleted b/x']]);
  });

  it('reports what a list and each change make of its cache, and nothing for a resync', async () => {
    const states: string[] = [];
    const { maps, clock, lane } = await start({
      atStart: () => ({ transform: undefined, resyncMs: 2000 }),
      onState: ({ isWhole, objects, resourceVersion }) => {
        const texts = [...objects].map(([key, object]) => `${key}${object ? '' : ' gone'}`);
        states.push(`${isWhole} ${texts.length === 0 && resourceVersion === '' ? 'nothing' : texts}`);
      },
    });
    expect(lane.hasSynced).toBe(false);
    await clock.advance(1000);
    expect(states).toEqual(['true a/x,b/x']);
    maps.put('a/x', 'n2');
    maps.delete('b/x');
    await clock.advance(500);
    await clock.advance(10_000); // some resyncs
    expect(states.slice(1).join(';').replaceAll(';false ', ',')).toMatch(/^false a\/x,b\/x gone/);
    expect(states.filter((each) => each.includes('a/x'))).toHaveLength(2);
    expect(states).not.toContain('false nothing');
  });

  it('leaves the objects of other namespaces in the store alone', async () => {
    const { clock, store, calls } = await start({ namespace: 'a' });
    store.add({ metadata: { namespace: 'b', name: 'other' } });
    await clock.advance(1000);
    expect(calls).toEqual(['added a/x', 'synced']);
    expect([...store.keys()].sort()).toEqual(['a/x', 'b/other']);
  });

  it('for one name, of all namespaces or of none, leaves the objects of other names in the store alone', async () => {
    const { clock, store } = await start({ name: 'x' });
    for (const [namespace, name] of [
      [undefined, 'x'],
      ['c', 'x'],
      [undefined, 'y'],
      ['a', 'y'],
      ['a', 'xx'],
    ])
      store.add({ metadata: { namespace, name } } as ConfigMap);
    await clock.advance(1000);
    expect([...store.keys()].sort()).toEqual(['a/x', 'a/xx', 'a/y', 'b/x', 'y']);
  });

  it('reports gaps and relists in order with the changes', async () => {
    const { sandbox, maps, clock, calls } = await start();
    await clock.advance(1000);
    sandbox.faults.add({ fault: { kind: 'gone', after: 1 }, match: { watch: true } });
    await sandbox.restart({ keepHistory: true });
    maps.put('a/x', 'n2');
    maps.put('a/new');
    await clock.advance(60_000);
    const lines = calls.slice(3).filter((line) => !line.endsWith('connected'));
    expect(lines).toEqual(['updated a/x', 'gap', 'added a/new', 'updated a/x', 'updated b/x', 'relisted']);
  });

  it('applies nothing more while a handler has no room', async () => {
    let release = () => {};
    let isFull = false;
    const room = () => (isFull ? new Promise<void>((resolve) => (release = resolve)) : undefined);
    const { maps, clock, calls } = await start({ room });
    await clock.advance(1000);
    isFull = true;
    maps.put('a/x', 'n2');
    await clock.advance(1000);
    maps.put('a/x', 'n3');
    await clock.advance(1000);
    expect(calls.slice(3)).toEqual(['updated a/x']);
    isFull = false;
    release();
    await clock.advance(1000);
    expect(calls.slice(3)).toEqual(['updated a/x', 'updated a/x']);
  });

  it('continues after a batch that could not be applied, and records it', async () => {
    let isBroken = true;
    const { maps, clock, lane, calls } = await start({
      async apply() {
        if (isBroken) throw new Error('full');
      },
    });
    await clock.advance(1000);
    isBroken = false;
    maps.put('a/x', 'n2');
    await clock.advance(1000);
    expect(calls).toContain('error a change could not be applied to the cache');
    expect([lane.continuity.storeErrors, lane.depth]).toEqual([1, 0]);
  });

  it('verifies nothing before the initial sync, and finds no difference after it', async () => {
    const { clock, lane, signal } = await start();
    await expect(lane.verify(signal)).rejects.toMatchObject({
      code: 'closed',
      message: expect.stringContaining('has not synced'),
    });
    await clock.advance(1000);
    expect(await lane.verify(signal)).toEqual({ missing: [], extra: [], stale: [] });
  });

  it('finds an object that its cache has lost', async () => {
    const { clock, lane, store, signal } = await start();
    await clock.advance(1000);
    const [key, lost] = [...store.entries()][0] as [string, Cached<ConfigMap>];
    store.delete(lost);
    const drift = lane.verify(signal);
    await clock.advance(60_000);
    expect(await drift).toEqual({ missing: [key], extra: [], stale: [] });
  });

  it('ends when it is left out, and reports that the initial sync need not wait for it', async () => {
    const leaving = new AbortController();
    const { sandbox, clock, lane, calls, running } = await start({ leftOut: leaving.signal });
    leaving.abort();
    await running;
    expect([lane.isLeftOut, lane.lastError, calls.at(-1)]).toEqual([true, undefined, 'synced']);
    const requests = sandbox.requests.size;
    await clock.advance(60_000);
    expect([sandbox.requests.size, clock.pending]).toEqual([requests, 0]);
  });
});
