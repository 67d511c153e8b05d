import { describe, expect, it } from 'vitest';
import { dynamicInformerFactory } from '../../../src/informer/informer-factory.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import type { SyncMode } from '../../../src/informer/watch/list-plan.ts';
import type { CallContext, ListerWatcher } from '../../../src/informer/watch/lister-watcher.ts';
import { ShardedSource, shardingOf } from '../../../src/informer/watch/sharded-source.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { surroundingsOf, withSurroundings } from '../../../src/kit/surroundings.ts';
import type { ListOptions, WatchOptions } from '../../../src/model/list-options.ts';
import type { ShardedBy } from '../../../src/model/shard.ts';
import { ShardSet } from '../../../src/model/shard-set.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../../src/testing/recording-handler.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess } from '../../support/in-process.ts';

interface Setup {
  readonly isSharding: boolean;
  readonly sync?: SyncMode;
  readonly by?: 'uid' | 'namespace' | 'name';
  readonly metadataOnly?: boolean;
}

/** A sandbox with 60 config maps, and an informer for each of three parts. */
async function threeParts({ isSharding, sync = 'auto', by = 'uid', metadataOnly }: Setup) {
  const { sandbox, clock, client, sent } = await inProcess({ featureGates: { ShardedListAndWatch: isSharding } });
  const maps = new ConfigMaps(sandbox);
  for (let i = 0; i < 60; i++) maps.put(`ns-${i % 12}/m${i}`);
  const controller = new AbortController();
  const found: ShardedBy[][] = [[], [], []];
  const parts = [0, 1, 2].map((index) => {
    const factory = dynamicInformerFactory(client, {
      clock,
      sync,
      metadataOnly,
      random: () => 0,
      shard: { index, of: 3, by },
      onSharding: (sharding) => void found[index]?.push(sharding),
    });
    const { informer, lister } = factory.forResource(CONFIG_MAPS);
    factory.start(controller.signal);
    return { factory, informer, lister };
  });
  await settled();
  return {
    sandbox,
    clock,
    maps,
    sent,
    found,
    parts,
    keys: () => parts.map(({ lister }) => [...lister.keys()].sort()),
    async [Symbol.asyncDispose]() {
      controller.abort();
      await Promise.all(parts.map(({ factory }) => factory.shutdown()));
      await sandbox.stop();
    },
  };
}

describe.each([true, false])('a server that divides collections: %s', (isSharding) => {
  it('is compared with its own part when a cache has to be current', async () => {
    await using all = await threeParts({ isSharding });
    const [first] = all.parts;
    for (let i = 0; i < 6; i++) all.maps.put(`ns-${i}/m${i}`, 'n2');
    all.sandbox.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'ns-1', name: 'other' } });
    let isCurrent = false;
    void first?.informer.whenCurrent(new AbortController().signal).then(() => {
      isCurrent = true;
    });
    await all.clock.advance(1_000);
    expect(isCurrent).toBe(true);
  });

  it.each(['stream', 'list', 'pages', 'auto'] as const)(
    'every object is in one of three parts, after the initial %s, after changes and after lost history',
    async (sync) => {
      await using world = await threeParts({ isSharding, sync });
      const { keys, maps, sandbox, clock, sent } = world;
      const check = () => {
        const all = keys();
        expect(all.flat().sort()).toEqual(maps.keys.sort());
        expect(all.every((part) => part.length > 0)).toBe(true);
      };
      check();
      const random = seededRandom(7);
      for (let i = 0; i < 150; i++) {
        const key = `ns-${Math.floor(random() * 12)}/n${Math.floor(random() * 40)}`;
        if (random() < 0.4 && maps.has(key)) maps.delete(key);
        else maps.put(key, `v${i}`);
      }
      await settled();
      check();
      void sandbox.restart({ keepHistory: false, downMs: 1000 });
      for (let i = 0; i < 20; i++) maps.put(`ns-1/late-${i}`);
      maps.delete('ns-1/m1');
      const lists = sent.length;
      await clock.advance(60_000);
      await settled();
      expect(sent.length).toBeGreaterThan(lists + 3); // all three began again
      check();
    },
  );

  it('by namespace, a namespace is whole in one part', async () => {
    await using world = await threeParts({ isSharding, by: 'namespace' });
    const places = new Map<string, Set<number>>();
    for (const [i, part] of world.keys().entries())
      for (const key of part) {
        const namespace = key.slice(0, key.indexOf('/'));
        places.set(namespace, (places.get(namespace) ?? new Set()).add(i));
      }
    expect([...places.values()].every((parts) => parts.size === 1)).toBe(true);
    expect(world.keys().flat().sort()).toEqual(world.maps.keys.sort());
  });

  it('an object that is created again under its name may be in another part: it leaves the one and enters the other', async () => {
    await using world = await threeParts({ isSharding });
    const handlers = world.parts.map(({ informer }) => {
      const handler = createRecordingHandler<never>();
      informer.addHandler(handler, {});
      return handler;
    });
    await settled();
    const placeOf = (key: string) => world.keys().findIndex((part) => part.includes(key));
    let moves = 0;
    for (let i = 0; i < 12; i++) {
      const before = placeOf('ns-1/m1');
      world.maps.delete('ns-1/m1');
      world.maps.put('ns-1/m1', `again-${i}`);
      await settled();
      const after = placeOf('ns-1/m1');
      expect(after).not.toBe(-1);
      if (after !== before) moves++;
      expect(
        world
          .keys()
          .flat()
          .filter((key) => key === 'ns-1/m1'),
      ).toHaveLength(1);
    }
    expect(moves).toBeGreaterThan(2);
    expect(handlers).toHaveLength(3);
  });

  it.each([1, 2, 3])('by name, an object that is created again stays in its part (seed %i)', async (seed) => {
    await using world = await threeParts({ isSharding, by: 'name' });
    const random = seededRandom(seed);
    const places = new Map<string, Set<number>>();
    for (let round = 0; round < 30; round++) {
      for (const [i, part] of world.keys().entries())
        for (const key of part) places.set(key, (places.get(key) ?? new Set()).add(i));
      expect(world.keys().flat().sort()).toEqual(world.maps.keys.sort());
      for (let i = 0; i < 10; i++) {
        const key = `ns-${Math.floor(random() * 12)}/web-${Math.floor(random() * 8)}`;
        if (world.maps.has(key)) world.maps.delete(key);
        world.maps.put(key, `v${round}`);
      }
      await settled();
    }
    expect([...places.values()].every((parts) => parts.size === 1)).toBe(true);
    expect(Math.min(...world.keys().map((part) => part.length))).toBeGreaterThan(world.maps.keys.length / 5);
    expect(world.sent.every(({ path }) => !path.includes('shardSelector'))).toBe(true);
    expect(world.found).toEqual(Array(3).fill(['client']));
  });

  it('it is known who divides: the server sends one part, or the program leaves the rest out', async () => {
    await using world = await threeParts({ isSharding, sync: 'list' });
    expect(world.found).toEqual(Array(3).fill([isSharding ? 'server' : 'client']));
    const reads = world.sent.filter(({ path }) => path.includes('/configmaps?'));
    expect(reads.length).toBeGreaterThan(3);
    expect(reads.every(({ path }) => path.includes('shardSelector=shardRange'))).toBe(true);
  });

  it('it is known for metadata too, which does not say it: by objects of other parts, or by their absence in many', async () => {
    await using world = await threeParts({ isSharding, sync: 'list', metadataOnly: true });
    for (let i = 0; i < 60; i++) world.maps.put(`ns-1/more-${i}`);
    await settled();
    expect(world.found).toEqual(Array(3).fill([isSharding ? 'server' : 'client']));
  });
});

it('one part of one is the whole collection, asked for without a selector', async () => {
  const { sandbox, clock, client, sent } = await inProcess();
  new ConfigMaps(sandbox).put('a/b');
  const factory = dynamicInformerFactory(client, { clock, shard: { index: 0, of: 1 } });
  const { lister } = factory.forResource(CONFIG_MAPS);
  const controller = new AbortController();
  factory.start(controller.signal);
  await settled();
  expect([...lister.keys()]).toContain('a/b');
  expect(sent.some(({ path }) => path.includes('shardSelector'))).toBe(false);
  controller.abort();
  await factory.shutdown();
  await sandbox.stop();
});

it('a source of one part has the turns, the wait for the server and the format of its own source', async () => {
  await using world = await inProcess();
  const waits: string[] = [];
  const whole = world.client.resource(CONFIG_MAPS);
  const source = Object.assign(Object.create(whole) as typeof whole, {
    whenReachable: async () => void waits.push('server'),
    whenTurn: async () => void waits.push('turn'),
  });
  const part = new ShardedSource(source, { index: 0, of: 3 });
  const context = { signal: new AbortController().signal };
  await part.whenReachable?.(context);
  await part.whenTurn?.(context);
  expect([waits, part.givesJson]).toEqual([['server', 'turn'], true]);
});

it('a part that does not exist is refused by the factory, and by the source itself', async () => {
  await using world = await inProcess();
  expect(() => new ShardedSource(world.client.resource(CONFIG_MAPS), { index: 3, of: 3 })).toThrow('not 3');
  expect(() => dynamicInformerFactory(world.client, { shard: { index: 3, of: 3 } })).toThrow(
    'shard: index must be a whole number from 0 to 2, not 3',
  );
});

it('an onSharding that throws is reported, and stops nothing', async () => {
  await using world = await inProcess();
  new ConfigMaps(world.sandbox).put('a/b');
  new ConfigMaps(world.sandbox).put('a/c');
  const lines: string[] = [];
  const source = new ShardedSource(
    world.client.resource(CONFIG_MAPS, { namespace: 'a' }),
    { index: 0, of: 65_536 },
    {
      logger: createLogger((level, message) => lines.push(`${level} ${message}`)),
      onSharding() {
        throw new Error('a callback of the user');
      },
    },
  );
  expect((await source.list({}, { signal: AbortSignal.timeout(5_000) })).items).toEqual([]);
  expect([source.shardedBy, lines]).toEqual(['client', ['error onSharding threw']]);
});

describe.each([true, false])('a set of parts that changes, with a server that divides: %s', (isSharding) => {
  it.each(['stream', 'list', 'pages', 'auto'] as const)(
    'the cache has what is in the set, through changes of both and lost history, after an initial %s',
    async (sync) => {
      const { sandbox, clock, client } = await inProcess({ featureGates: { ShardedListAndWatch: isSharding } });
      const maps = new ConfigMaps(sandbox);
      for (let i = 0; i < 60; i++) maps.put(`ns-${i % 5}/m${i}`);
      const shards = new ShardSet({ of: 7 });
      const source = new ShardedSource<ConfigMap>(client.resource<ConfigMap>(CONFIG_MAPS), shards, { clock });
      const informer = new SharedInformer<ConfigMap>(source, { clock, sync, random: () => 0 });
      const controller = new AbortController();
      const running = informer.run(controller.signal);
      await settled();
      expect(informer.hasSynced).toBe(true);
      expect([...informer.lister.keys()]).toEqual([]);
      const random = seededRandom(11);
      let most = 0;
      for (let round = 0; round < 40; round++) {
        if (round === 20) void sandbox.restart({ keepHistory: false, downMs: 1000 });
        shards.change([0, 1, 2, 3, 4, 5, 6].filter(() => random() < (round % 9 === 0 ? 0 : 0.5)));
        for (let i = 0; i < 8; i++) {
          const key = `ns-1/n${Math.floor(random() * 40)}`;
          if (random() < 0.4 && maps.has(key)) maps.delete(key);
          else maps.put(key, `v${round}-${i}`);
        }
        await clock.advance(round === 20 ? 60_000 : 10);
        await settled();
        const ours = sandbox
          .list(CONFIG_MAPS)
          .filter((object) => shards.selection.indexes.includes(shards.indexOf(object)));
        const state = ours.map(({ metadata }) => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`);
        const cached = [...informer.lister.list()].map(
          ({ metadata }) => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`,
        );
        expect(cached.sort()).toEqual(state.sort());
        most = Math.max(most, cached.length);
      }
      expect(most).toBeGreaterThan(40);
      controller.abort();
      await running;
      await sandbox.stop();
      expect(clock.pending).toBe(0);
    },
  );

  it('nothing is fetched for no part but a version, and the stream is taken for alive', async () => {
    const { sandbox, clock, client, sent } = await inProcess({ featureGates: { ShardedListAndWatch: isSharding } });
    const maps = new ConfigMaps(sandbox);
    for (let i = 0; i < 60; i++) maps.put(`a/m${i}`);
    const shards = new ShardSet({ of: 2 });
    const source = new ShardedSource<ConfigMap>(client.resource<ConfigMap>(CONFIG_MAPS), shards, { clock });
    const events: string[] = [];
    const informer = new SharedInformer<ConfigMap>(source, { clock, onContinuity: ({ kind }) => events.push(kind) });
    const controller = new AbortController();
    const running = informer.run(controller.signal);
    await settled();
    for (let i = 0; i < 20; i++) {
      maps.put('a/m1', `v${i}`);
      await clock.advance(60_000);
    }
    expect(sent.filter(({ path }) => path.includes('/configmaps') && !path.includes('limit=1'))).toEqual([]);
    expect(events).not.toContain('disconnected');
    shards.change([1]);
    await settled();
    expect(informer.lister.size).toBeGreaterThan(10);
    controller.abort();
    await running;
    await sandbox.stop();
  });
});

describe.each([true, false])('what is known of a source of a part, with a server that divides: %s', (isSharding) => {
  const dividedBy: ShardedBy = isSharding ? 'server' : 'client';

  it.each(['object', 'metadata', { table: 'Metadata' }] as const)(
    'the objects that came and were left out are counted, and who divides is known of few objects too, as %j',
    async (as) => {
      await using world = await inProcess({ featureGates: { ShardedListAndWatch: isSharding } });
      const maps = new ConfigMaps(world.sandbox);
      for (const namespace of ['bank', 'crew', 'dock', 'farm', 'shop', 'yard', 'prod', 'dev'])
        maps.put(`${namespace}/m`);
      const inPart = new ShardSet({ of: 4, by: 'namespace', indexes: [2] }).selection;
      const expected = world.sandbox.list(CONFIG_MAPS).filter((object) => inPart.has(object)).length;
      expect(expected).toBeGreaterThan(0);
      const source = new ShardedSource(world.client.resource(CONFIG_MAPS, { as }), {
        index: 2,
        of: 4,
        by: 'namespace',
      });
      const context = { signal: AbortSignal.timeout(5_000) };
      for (let times = 0; times < 2; times++) {
        expect((await source.list({}, context)).items).toHaveLength(expected);
        const leftOut = isSharding ? 0 : world.sandbox.list(CONFIG_MAPS).length - expected;
        expect(source.sharding).toEqual({ indexes: [2], of: 4, by: 'namespace', dividedBy, leftOut });
      }
    },
  );

  it('a type of which there is nothing is known too', async () => {
    await using world = await inProcess({ featureGates: { ShardedListAndWatch: isSharding } });
    const source = new ShardedSource(world.client.resource(CONFIG_MAPS, { namespace: 'empty', as: 'metadata' }), {
      index: 0,
      of: 2,
    });
    expect((await source.list({}, { signal: AbortSignal.timeout(5_000) })).items).toEqual([]);
    expect(source.shardedBy).toBe(dividedBy);
  });

  it('objects of a streaming list that are left out are counted, and later events are not', async () => {
    await using world = await threeParts({ isSharding, sync: 'stream' });
    const total = world.maps.keys.length;
    const left = () => world.parts.map(({ informer }) => shardingOf(informer).map(({ leftOut }) => leftOut));
    const expected = world.parts.map(({ lister }) => [isSharding ? 0 : total - lister.size]);
    expect(left()).toEqual(expected);
    for (let i = 0; i < 10; i++) world.maps.put(`ns-1/m1`, `v${i}`);
    await settled();
    expect(left()).toEqual(expected);
  });
});

it.each([
  [true, ['list by its bytes', 'watch', 'list']],
  [false, ['list by its bytes', 'watch by its bytes', 'list by its bytes']],
] as const)(
  'where it is known that the server divides (%s), no look at the bytes of an object is asked for',
  async (isSharding, expected) => {
    await using world = await inProcess({ featureGates: { ShardedListAndWatch: isSharding } });
    const maps = new ConfigMaps(world.sandbox);
    for (let i = 0; i < 20; i++) maps.put(`a/m${i}`);
    const whole = world.client.resource<ConfigMap>(CONFIG_MAPS);
    const asked: string[] = [];
    const note = (verb: string, { unwanted }: CallContext) => asked.push(unwanted ? `${verb} by its bytes` : verb);
    const source = Object.assign(Object.create(whole) as typeof whole, {
      list: (options: ListOptions, context: CallContext) => {
        note('list', context);
        return whole.list(options, context);
      },
      watch: (options: WatchOptions, context: CallContext) => {
        note('watch', context);
        return whole.watch(options, context);
      },
    });
    const part = new ShardedSource<ConfigMap>(source, { index: 0, of: 3 });
    const context = { signal: AbortSignal.timeout(5_000) };
    const { resourceVersion } = await part.list({}, context);
    const watch = (await part.watch({ resourceVersion }, context))[Symbol.asyncIterator]();
    await part.list({}, context);
    await watch.return?.();
    expect(asked).toEqual(expected);
  },
);

describe('where a list does not show who divides, and the question who does fails', () => {
  async function listed(fail: (abort: AbortController) => void) {
    await using world = await inProcess({ featureGates: { ShardedListAndWatch: false } });
    const nothing = world.client.resource(CONFIG_MAPS, { namespace: 'empty', as: 'metadata' });
    const abort = new AbortController();
    const probe = async () => {
      fail(abort);
      throw new Error('no answer');
    };
    const ofNothing = {
      list: nothing.list.bind(nothing),
      watch: nothing.watch.bind(nothing),
      probe,
    };
    const source = new ShardedSource(ofNothing, { index: 0, of: 2 });
    return { source, page: await source.list({}, { signal: abort.signal }) };
  }

  it('the list is good, and it stays unknown', async () => {
    const { source, page } = await listed(() => {});
    expect([page.items, source.shardedBy]).toEqual([[], undefined]);
  });

  it('because the call was ended, the list fails with the reason of the end', async () => {
    const reason = new Error('the informer ends');
    await expect(listed((abort) => abort.abort(reason))).rejects.toBe(reason);
  });
});

describe('a source of a part', () => {
  const PART = new ShardSet({ of: 4, by: 'namespace', indexes: [2] });
  const namespaces = ['bank', 'crew', 'dock', 'farm', 'shop', 'yard', 'prod', 'dev'];
  const objects = namespaces.map((namespace) => ({ metadata: { name: 'a', namespace } }));
  const ours = objects.filter((object) => PART.selection.has(object));

  it('has read a set of parts when it watches from a list of them, or has sent all of them as initial events', async () => {
    const END = { type: 'BOOKMARK', object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } };
    for (const sendInitialEvents of [false, true]) {
      const shards = new ShardSet({ of: 4, by: 'namespace', indexes: [2] });
      const inner = {
        list: async () => ({ items: [], resourceVersion: '7' }),
        watch: async function* () {
          yield [END];
        },
      };
      const source = new ShardedSource(inner as never, shards);
      const context = { signal: AbortSignal.timeout(5_000) };
      let isRead = false;
      void shards.whenRead(context.signal).then(() => (isRead = true));
      const seen: boolean[] = [];
      await source.list({}, context);
      await settled();
      seen.push(isRead);
      const events = await source.watch(sendInitialEvents ? { sendInitialEvents } : { resourceVersion: '7' }, context);
      await settled();
      seen.push(isRead);
      for await (const _ of events);
      await settled();
      seen.push(isRead);
      expect(seen).toEqual([false, !sendInitialEvents, true]);
    }
  });

  const PAGE = { items: [], resourceVersion: '7' };
  const context = () => ({ signal: AbortSignal.timeout(5_000) });

  it('has the surroundings of its own source unless it was given others', () => {
    const [ofSource, own] = [new FakeClock(), new FakeClock()];
    for (const clock of [undefined, own]) {
      const source = new ShardedSource(
        withSurroundings({}, { clock: ofSource }) as never,
        { index: 0, of: 2 },
        { clock },
      );
      expect(surroundingsOf(source).clock).toBe(clock ?? ofSource);
    }
  });

  it('supports streaming lists where its own source does, and it has a part', () => {
    const supports = (streams: unknown, indexes: number[]) => {
      const inner = Object.fromEntries([['supportsStreamingLists', streams]]);
      const source: ListerWatcher<unknown> = new ShardedSource(inner as never, new ShardSet({ of: 4, indexes }));
      return source.supportsStreamingLists?.();
    };
    expect([supports(undefined, [1]), supports(() => true, [1]), supports(() => false, [1])]).toEqual([
      true,
      true,
      false,
    ]);
    expect([supports(undefined, []), supports(() => true, [])]).toEqual([false, false]);
  });

  it.each([
    [{ limit: 1 }, {}],
    [{}, { isAside: true }],
    [{ continue: 'more' }, {}],
  ])(
    'that has other parts since its list fails for %j in the context %j, which is no new list',
    async (options, more) => {
      for (const [now, text] of [
        [[1, 3], 'the shards 1, 3 of 4 from now on'],
        [[1], 'the shards 1 of 4 from now on'],
        [[], 'no shard from now on'],
      ] as const) {
        const shards = new ShardSet({ of: 4, by: 'namespace', indexes: [2] });
        const source = new ShardedSource({ list: async () => PAGE } as never, shards);
        await source.list({}, context());
        shards.change(now);
        await expect(source.list(options, { ...context(), ...more })).rejects.toThrow(text);
        expect(source.sharding.indexes).toEqual([2]);
        await source.list({}, context());
        expect(source.sharding.indexes).toEqual(now);
      }
    },
  );

  it.each([
    [[], [1], undefined],
    [[0], [1], undefined],
    [[0], [1, 2], undefined],
    [[0, 1], [1], 'nothing'],
    [[0], [], 'nothing'],
    [[0], [0], 'nothing'],
    [[0, 1], [1, 2], 'the rest'],
  ])('that had the parts %j and has %j is listed as a whole, or lists %s', async (before, now, expected) => {
    const shards = new ShardSet({ of: 4, by: 'namespace', indexes: before });
    const source = new ShardedSource({ list: async () => PAGE } as never, shards);
    await source.list({}, context());
    shards.change(now);
    const change = source.change();
    expect(change && (change.list ? 'the rest' : 'nothing')).toBe(expected);
    expect([change?.keeps('broken' as never), source.sharding.indexes]).toEqual([change && true, before]);
    change?.taken();
    expect(source.sharding.indexes).toEqual(change ? now : before);
  });

  it('lists its own objects, and what has no metadata, which the store refuses', async () => {
    const list = async () => ({ items: [...objects, 'broken'], resourceVersion: '7' });
    const source = new ShardedSource({ list } as never, { index: 2, of: 4, by: 'namespace' });
    expect((await source.list({}, context())).items).toEqual([...ours, 'broken']);
  });

  it('is divided by the server after twelve own events, among which a whole collection had others, and not before', async () => {
    const watch = async function* () {
      for (let i = 0; i < 13; i++) yield [{ type: 'ADDED', object: ours[0] }];
    };
    const source = new ShardedSource({ watch } as never, { index: 2, of: 4, by: 'namespace' });
    const seen: unknown[] = [];
    for await (const _ of await source.watch({ resourceVersion: '7' }, context())) seen.push(source.shardedBy);
    expect(seen).toEqual([...Array(11).fill(undefined), 'server', 'server']);
  });

  it('without a part, confirms its version every 30 seconds by a bookmark, until it has one', async () => {
    const [clock, shards] = [new FakeClock(), new ShardSet({ of: 4, by: 'namespace' })];
    const source = new ShardedSource({ list: async () => PAGE } as never, shards, { clock });
    await source.list({}, context());
    const events = (await source.watch({ resourceVersion: '7' }, context()))[Symbol.asyncIterator]();
    for (let i = 0; i < 3; i++) {
      let batch: unknown;
      void events.next().then(({ value }) => (batch = value));
      await clock.advance(29_999);
      expect(batch).toBeUndefined();
      await clock.advance(1);
      expect(batch).toEqual([{ type: 'BOOKMARK', object: { metadata: { resourceVersion: '7' } } }]);
    }
    const next = events.next();
    next.catch(() => {});
    shards.change([1]);
    await expect(next).rejects.toThrow('the shards 1 of 4 from now on');
    expect(clock.pending).toBe(0);
  });

  it('says what it has before its first list', () => {
    const source = new ShardedSource({} as never, { index: 2, of: 4, by: 'namespace' });
    expect(source.sharding).toEqual({ indexes: [2], of: 4, by: 'namespace', dividedBy: undefined, leftOut: 0 });
  });

  it.each(['probe', 'list'])(
    'looks at a collection by the %s of its source, for its own objects and what has no metadata',
    async (verb) => {
      const asked: ListOptions[] = [];
      const answer = (options: ListOptions) => {
        asked.push(options);
        return Promise.resolve({ items: [...objects, 'broken'], resourceVersion: '7' });
      };
      const source = new ShardedSource({ [verb]: answer } as never, { index: 2, of: 4, by: 'namespace' });
      const page = await source.probe({ limit: 5 }, {} as CallContext);
      expect(ours.length).toBeGreaterThan(0);
      expect(page).toEqual({ items: [...ours, 'broken'], resourceVersion: '7' });
      expect(asked).toEqual([{ limit: 5, shardSelector: PART.selection.selector }]);
    },
  );
});
