import { afterEach, describe, expect, it } from 'vitest';
import type { Cached } from '../../src/informer/compact/packed-object.ts';
import { type PipelineOptions, SourcePipeline } from '../../src/informer/source-pipeline.ts';
import { applyDeltas } from '../../src/informer/store/apply-deltas.ts';
import { isObjectDelta } from '../../src/informer/store/delta-fifo.ts';
import type { ListerWatcher } from '../../src/informer/watch/lister-watcher.ts';
import { createLogger, silentLogger } from '../../src/kit/logger.ts';
import type { ListPage, ReadonlyObject } from '../../src/model/object.ts';
import type { WatchEvent } from '../../src/model/watch-event.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess } from '../support/in-process.ts';
import { type Pod, pod } from '../support/objects.ts';
import {
  added,
  bookmark,
  deleted,
  modified,
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

/** A lane over pods that is not started, with a store of its own. */
function laneOver(
  source: ListerWatcher<Pod>,
  clock: FakeClock,
  { reflector, ...options }: Partial<PipelineOptions<Cached<Pod>>> = {},
) {
  const store = new Indexer<Pod>();
  return new SourcePipeline<Cached<Pod>>(source, {
    namespace: undefined,
    clock,
    logger: silentLogger,
    reflector: {
      name: 'v1/pods',
      clock,
      sync: 'list',
      random: () => 0,
      logger: silentLogger,
      idleMs: 1e9,
      ...reflector,
    },
    atStart: () => ({ transform: undefined, resyncMs: 0 }),
    apply: async (deltas, context) => void applyDeltas(deltas, store, context),
    onOrderedContinuity: () => {},
    cache: store,
    verifyEveryMs: 0,
    room: () => undefined,
    onSynced: () => {},
    ...options,
  });
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

/**
 * A lane over a pod shop/a at version 3 and a stream that brings `first` and ends. The next one goes on from there, and
 * brings `second`, each event by itself, and ends too if it `isShort`. They are applied afterwards. Returns the lists
 * after it: one, if these events contradict the cache.
 */
async function resumed(
  first: WatchEvent<Pod>[],
  second: WatchEvent<Pod>[],
  { refused, isShort = false }: { refused?: string; isShort?: boolean } = {},
) {
  const clock = new FakeClock();
  const [one, two] = [new ScriptedStream<Pod>(), new ScriptedStream<Pod>()];
  const source = new ScriptedListerWatcher<Pod>().onList(() => page('5', [pod('shop/a', 3)])).onWatch(one, two);
  source.onProbe(unreachable());
  const store = new Indexer<Pod>();
  const versions: string[] = [];
  const changes: string[] = [];
  let gate: Promise<void> | undefined;
  const lane = laneOver(source, clock, {
    cache: store,
    apply: async (deltas, context) => {
      await gate;
      const { notifications, error } = applyDeltas(deltas, store, context);
      changes.push(...notifications.map(({ kind, key }) => `${kind} ${key}`));
      if (deltas.some((delta) => isObjectDelta(delta) && delta.key === refused))
        lane.refused(new Error('no'), 'dropped', 1);
      if (error) throw error;
    },
    onState: ({ resourceVersion }) => versions.push(resourceVersion),
  });
  run(lane);
  await clock.advance(2000);
  one.send(...first);
  await clock.advance(2000);
  one.close();
  await clock.advance(100);
  const before = source.trace.length;
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  for (const event of second) {
    two.send(event);
    await settled();
  }
  if (isShort) two.close();
  await settled();
  resolve();
  const seen = versions.length;
  await settled();
  const keys = [...store.keys()];
  const states = versions.slice(seen);
  await clock.advance(isShort ? 5000 : 10);
  return { lists: source.trace.slice(before).filter((each) => each.startsWith('list')), keys, states, changes };
}

describe('an event of a resumed stream', () => {
  const [a6, b7] = [modified(pod('shop/a', 6)), modified(pod('shop/b', 7))];

  it('contradicts the cache: nothing more is applied, and the state is listed', async () => {
    const { lists, changes, states } = await resumed([a6], [b7, added(pod('shop/c', 8))]);
    const expected = ['added shop/a', 'updated shop/a', 'updated shop/a'];
    expect([lists, changes, states]).toEqual([['list'], expected, ['5']]); // the state of the list
  });

  it('contradicts the cache after its stream has ended: the next one is closed, and the state is listed', async () => {
    const { lists, keys } = await resumed([a6], [b7], { isShort: true });
    expect([lists, keys]).toEqual([['list'], ['shop/a']]);
  });

  it.each<[string, WatchEvent<Pod>[]]>([
    ['at once', []],
    ['after a bookmark', [bookmark(6)]],
  ])('that comes twice is no contradiction, %s', async (_, between) => {
    const gone = deleted(pod('shop/a', 6));
    const { lists, keys } = await resumed([gone, ...between], [gone, added(pod('shop/c', 8))]);
    expect([lists, keys]).toEqual([[], ['shop/c']]);
  });

  it('proves nothing where the cache refused a single change', async () => {
    const { lists, keys } = await resumed([a6], [b7], { refused: 'shop/a' });
    expect([lists, keys]).toEqual([[], ['shop/a', 'shop/b']]);
  });

  it('contradicts nothing on a stream that follows a list', async () => {
    const { lists, keys } = await resumed([b7], []);
    expect([lists, keys]).toEqual([[], ['shop/a', 'shop/b']]);
  });

  it('at a version before that of the stream shows another history', async () => {
    const { lists } = await resumed([a6], [added(pod('shop/c', 5))]);
    expect(lists).toEqual(['list']);
  });
});

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
