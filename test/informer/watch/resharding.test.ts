import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { createController } from '../../../src/controller/controller.ts';
import { ShardGate } from '../../../src/controller/shard-gate.ts';
import type { HeldShard } from '../../../src/controller/sharding/shard-options.ts';
import { informerEvents } from '../../../src/controller/sources/informer-source.ts';
import { createEventSource } from '../../../src/controller/sources/source.ts';
import type { SharedInformerOptions } from '../../../src/informer/informer-options.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import type { Continuity } from '../../../src/informer/watch/continuity-ledger.ts';
import type { SyncMode } from '../../../src/informer/watch/list-plan.ts';
import { ShardedSource } from '../../../src/informer/watch/sharded-source.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { ShardSet } from '../../../src/model/shard-set.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess, through } from '../../support/in-process.ts';

const OF = 6;

interface Setup extends Pick<SharedInformerOptions<ConfigMap>, 'sync' | 'store'> {
  readonly isSharding?: boolean;
  readonly indexes?: readonly number[];
  readonly namespaces?: readonly (string | undefined)[];
}

/** 60 config maps in two namespaces, and an informer of some of six parts of them. */
async function parts({ isSharding = true, indexes = [0, 1], namespaces = [undefined], ...options }: Setup = {}) {
  const place = await inProcess({ featureGates: { ShardedListAndWatch: isSharding } });
  const { sandbox, clock, sent } = place;
  /** Awaited before each read of config maps is sent. */
  const before: { read?: (query: URLSearchParams) => Promise<void> | void; send?: (path: string) => string } = {};
  const transport = through(place.transport, async (request, send) => {
    if (request.path.includes('/configmaps?')) await before.read?.(new URL(request.path, 'http://x').searchParams);
    return await send({ ...request, path: before.send?.(request.path) ?? request.path });
  });
  const client = createClient(transport, { clock });
  const maps = new ConfigMaps(sandbox);
  for (let i = 0; i < 60; i++) maps.put(`ns-${i % 2}/m${i}`);
  const shards = new ShardSet({ of: OF, indexes });
  const sources = namespaces.map((namespace) => ({
    namespace,
    source: new ShardedSource(client.resource<ConfigMap>(CONFIG_MAPS, { namespace }), shards, { clock }),
  }));
  const informer = new SharedInformer<ConfigMap>(sources, { clock, random: () => 0, logger: silentLogger, ...options });
  const events: string[] = [];
  informer.addHandler({
    added: (_, { key, cause }) => void events.push(`added ${key} ${cause}`),
    updated: (_, __, { key, cause }) => void events.push(`updated ${key} ${cause}`),
    deleted: (_, { key, cause }) => void events.push(`deleted ${key} ${cause}`),
  });
  const abort = new AbortController();
  const running = informer.run(abort.signal);
  await settled();
  events.splice(0);
  sent.splice(0);
  const ours = (selected: readonly number[]) =>
    sandbox.list(CONFIG_MAPS).filter((object) => selected.includes(shards.indexOf(object)));
  return {
    ...place,
    before,
    ledger: () => informer.continuity[0] as Continuity,
    maps,
    shards,
    informer,
    events,
    keysOf: (...selected: number[]) =>
      ours(selected)
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
        .sort(),
    cached: () =>
      [...informer.lister.list()]
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`)
        .sort(),
    state: () =>
      ours(shards.selection.indexes)
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`)
        .sort(),
    /** The reads since the last call: `list 7 Exact`, `watch 7`, each with its number of ranges. */
    reads: () =>
      sent.splice(0).map(({ path }) => {
        const query = new URL(path, 'http://x').searchParams;
        const verb = query.has('sendInitialEvents') ? 'stream' : query.has('watch') ? 'watch' : 'list';
        const at = [query.get('resourceVersion'), query.get('resourceVersionMatch')].filter(Boolean).join(' ');
        return `${verb} ${at}: ${query.get('shardSelector') ?? 'everything'}`;
      }),
    async [Symbol.asyncDispose]() {
      abort.abort();
      await running;
      await sandbox.stop();
      expect(clock.pending).toBe(0);
    },
  };
}

const rangeOf = (...indexes: number[]) => new ShardSet({ of: OF, indexes }).selection.selector;

describe.each([true, false])(
  'parts that change while a watch is open, with a server that divides: %s',
  (isSharding) => {
    it.each(['stream', 'list', 'pages', 'auto'] as const)(
      'cost one list of the new ones and one watch, and no event of the others, after an initial %s',
      async (sync: SyncMode) => {
        await using world = await parts({ isSharding, sync });
        const { shards, events, keysOf, informer } = world;
        const version = informer.lastSyncResourceVersion;
        shards.change([0, 1, 2]);
        await settled();
        expect(world.reads()).toEqual([
          `list ${version} Exact: ${rangeOf(2)}`,
          `watch ${version}: ${rangeOf(0, 1, 2)}`,
        ]);
        expect(events.splice(0).sort()).toEqual(keysOf(2).map((key) => `added ${key} relist`));
        shards.change([1, 2, 4]);
        await settled();
        expect(world.reads()).toEqual([
          `list ${version} Exact: ${rangeOf(4)}`,
          `watch ${version}: ${rangeOf(1, 2, 4)}`,
        ]);
        expect(events.splice(0).sort()).toEqual([
          ...keysOf(4).map((key) => `added ${key} relist`),
          ...keysOf(0).map((key) => `deleted ${key} relist`),
        ]);
        expect(world.cached()).toEqual(world.state());
        expect([world.ledger().gaps, world.ledger().relists]).toEqual([[], 0]);
      },
    );

    it('are reported as a whole new state', async () => {
      await using world = await parts({ isSharding });
      const states: { isWhole: boolean; keys: string[]; version: string }[] = [];
      using _observing = world.informer.onState(({ isWhole, objects, resourceVersion }) => {
        const keys = [...objects].filter(([, object]) => object !== undefined).map(([key]) => key);
        states.push({ isWhole, keys: keys.sort(), version: resourceVersion });
      });
      const version = world.informer.lastSyncResourceVersion;
      world.shards.change([1, 2]);
      await settled();
      expect(states).toEqual([{ isWhole: true, keys: world.keysOf(1, 2), version }]);
    });

    it('cost no list where there is no new one', async () => {
      await using world = await parts({ isSharding });
      const version = world.informer.lastSyncResourceVersion;
      world.shards.change([1]);
      await settled();
      expect(world.reads()).toEqual([`watch ${version}: ${rangeOf(1)}`]);
      expect(world.events.sort()).toEqual(world.keysOf(0).map((key) => `deleted ${key} relist`));
      expect(world.cached()).toEqual(world.state());
    });

    it('lose no change that comes between the list of the new ones and the watch', async () => {
      await using world = await parts({ isSharding });
      const { shards, maps, keysOf, events, before } = world;
      const [kept] = keysOf(0) as [string];
      const [changed, deleted] = keysOf(2) as [string, string];
      before.read = (query) => {
        if (query.get('resourceVersionMatch') !== 'Exact') return;
        for (const key of [kept, changed]) maps.put(key, 'during');
        maps.delete(deleted);
        maps.put('ns-0/new', 'during');
      };
      shards.change([0, 1, 2]);
      await settled();
      expect(world.cached()).toEqual(world.state());
      expect(events.filter((event) => event.includes(kept))).toEqual([`updated ${kept} watch`]);
      expect(events.filter((event) => event.includes(changed))).toEqual([
        `added ${changed} relist`,
        `updated ${changed} watch`,
      ]);
      expect(events.filter((event) => event.includes(deleted))).toEqual([
        `added ${deleted} relist`,
        `deleted ${deleted} watch`,
      ]);
    });

    it('are listed as a whole where the server has lost the history, and the cache is right', async () => {
      await using world = await parts({ isSharding });
      const { shards, clock, maps, sandbox } = world;
      void sandbox.restart({ keepHistory: false, downMs: 1000 });
      maps.put(world.keysOf(0)[0] as string, 'meanwhile');
      shards.change([0, 1, 2]);
      await clock.advance(60_000);
      await settled();
      expect(world.cached()).toEqual(world.state());
      expect(world.ledger().relists).toBe(1);
    });

    it('are listed as a whole where the answer is of another version', async () => {
      await using world = await parts({ isSharding });
      const { shards, maps, before } = world;
      before.read = (query) => {
        if (query.get('resourceVersionMatch') === 'Exact') maps.put(world.keysOf(2)[0] as string, 'during');
      };
      before.send = (path) => path.replace('&resourceVersionMatch=Exact', '');
      const version = world.informer.lastSyncResourceVersion;
      shards.change([0, 1, 2]);
      await settled();
      expect(world.cached()).toEqual(world.state());
      expect(world.ledger().relists).toBe(1);
      expect(world.reads()).not.toContain(`watch ${version}: ${rangeOf(0, 1, 2)}`);
    });

    it('are read in namespaces of their own too', async () => {
      await using world = await parts({ isSharding, namespaces: ['ns-0', 'ns-1'] });
      for (const indexes of [[0, 1, 2], [2, 3], [], [5], [4, 5]]) {
        world.shards.change(indexes);
        await settled();
        expect(world.cached()).toEqual(world.state());
      }
      expect(world.informer.lister.size).toBeGreaterThan(5);
    });

    it('are right in a compact cache', async () => {
      await using world = await parts({ isSharding, store: 'compact' });
      for (const indexes of [
        [0, 1, 2],
        [2, 3],
        [3, 4, 5],
        [0, 3, 5],
      ]) {
        world.shards.change(indexes);
        for (const key of world.keysOf(3)) world.maps.put(key, `at ${indexes}`);
        await settled();
        expect(world.cached()).toEqual(world.state());
      }
    });

    it('are verified, and the cache agrees', async () => {
      await using world = await parts({ isSharding });
      world.shards.change([0, 1, 2]);
      await settled();
      expect(await world.informer.verify(AbortSignal.timeout(5000))).toMatchObject({ missing: [], extra: [] });
    });

    it('that change again while the new ones are listed cost no list of everything', async () => {
      await using world = await parts({ isSharding });
      const { shards, before } = world;
      const version = world.informer.lastSyncResourceVersion;
      before.read = () => {
        before.read = () => {};
        shards.change([0, 1, 2, 3]);
      };
      shards.change([0, 1, 2]);
      await settled();
      expect(world.reads()).toEqual([
        `list ${version} Exact: ${rangeOf(2)}`,
        `list ${version} Exact: ${rangeOf(2, 3)}`,
        `watch ${version}: ${rangeOf(0, 1, 2, 3)}`,
      ]);
      expect(world.cached()).toEqual(world.state());
    });

    it('and leave with the object that was deleted last are no other history to the next stream', async () => {
      await using world = await parts({ isSharding });
      const { shards, maps, keysOf, sandbox, clock } = world;
      maps.delete(keysOf(1)[0] as string);
      await settled();
      shards.change([0]);
      await settled();
      await sandbox.restart({ keepHistory: true });
      await clock.advance(60_000);
      expect([world.ledger().gaps, world.ledger().relists]).toEqual([[], 0]);
      expect(world.cached()).toEqual(world.state());
    });

    it('leave a check of the history to be made that got no answer', async () => {
      await using world = await parts({ isSharding });
      const { shards, before, sandbox, clock } = world;
      let isAway = true;
      let checks = 0;
      before.read = (query) => {
        if (query.get('limit') !== '1') return;
        checks++;
        if (isAway) throw new Error('away');
      };
      await sandbox.restart({ keepHistory: true });
      await clock.advance(1_500);
      expect(checks).toBeGreaterThan(0);
      isAway = false;
      shards.change([0]);
      await settled();
      checks = 0;
      await clock.advance(2_500);
      expect(checks).toBeGreaterThan(0);
    });

    it('are the difference to what the watch had, also when a verification has listed meanwhile', async () => {
      await using world = await parts({ isSharding });
      const { shards, informer, clock, before, sandbox, maps } = world;
      const held = Promise.withResolvers<void>();
      before.read = (query) => (query.has('watch') ? held.promise : undefined);
      sandbox.faults.add({ fault: { kind: 'cut', after: 1 }, match: { watch: true }, times: 1 });
      maps.put(world.keysOf(0)[0] as string, 'the last before the cut');
      await settled();
      shards.change([0, 1, 2]);
      const verified = informer.verify(AbortSignal.timeout(60_000)).catch(() => {});
      await settled();
      held.resolve();
      for (let i = 0; i < 5; i++) await settled();
      expect(world.cached()).toEqual(world.state()); // before the verification could have repaired anything
      await clock.advance(30_000);
      await verified;
      expect(world.cached()).toEqual(world.state());
    });
  },
);

describe.each([true, false])(
  'parts of which it is said that they are read, with a server that divides: %s',
  (isSharding) => {
    it.each([
      ['stream', 'the first ones', [] as number[]],
      ['list', 'the first ones', []],
      ['pages', 'the first ones', []],
      ['auto', 'the first ones', []],
      ['stream', 'further ones', [0, 1]],
      ['auto', 'further ones', [0, 1]],
    ] as const)('are in the cache by then, and not before: %s, %s', async (sync, _, indexes) => {
      await using world = await parts({ isSharding, sync, indexes });
      const { shards, informer, before } = world;
      const answered = Promise.withResolvers<void>();
      before.read = () => answered.promise;
      shards.change([...indexes, 2, 3]);
      let cached: string[] | undefined;
      const signal = AbortSignal.timeout(10_000);
      const read = shards.whenRead(signal).then(async () => {
        await informer.whenApplied(signal);
        cached = world.cached();
      });
      await settled();
      expect(cached).toBeUndefined();
      answered.resolve();
      await read;
      expect(cached).toEqual(world.state());
      expect(cached?.length).toBeGreaterThan(10);
    });

    it('that are given back are read when the others are watched alone', async () => {
      await using world = await parts({ isSharding });
      world.shards.change([1]);
      await world.shards.whenRead(AbortSignal.timeout(10_000));
      await world.informer.whenApplied(AbortSignal.timeout(10_000));
      expect(world.cached()).toEqual(world.state());
      world.shards.change([]);
      await world.shards.whenRead(AbortSignal.timeout(10_000));
      await world.informer.whenApplied(AbortSignal.timeout(10_000));
      expect(world.cached()).toEqual([]);
    });
  },
);

/** A shard that this process has. */
const heldShard = (index: number): HeldShard => ({
  index,
  signal: new AbortController().signal,
  isHeld: true,
  heldForMs: 10_000,
  assertHeld() {},
});

it.each([true, false])(
  'a key whose shard stays does not run again when others come and go, with a server that divides: %s',
  async (isSharding) => {
    await using world = await parts({ isSharding, indexes: [0, 1] });
    const { shards, informer, clock } = world;
    const runs: string[] = [];
    const gate = new ShardGate({ shards, objects: () => informer.lister, graceMs: 0, drop: () => {}, clock });
    const controller = createController({
      name: 'maps',
      clock,
      logger: silentLogger,
      reconcile: gate.reconciler(async ({ key }) => void runs.push(key)),
      sources: [createEventSource(gate.feed(informerEvents(informer)), { name: 'maps', isPrimary: true })],
    });
    const abort = new AbortController();
    const running = controller.run(abort.signal);
    for (const index of [0, 1]) gate.open(heldShard(index));
    await settled();
    expect(runs.splice(0).sort()).toEqual(world.keysOf(0, 1));
    shards.change([0, 1, 2]);
    await settled();
    gate.open(heldShard(2));
    await settled();
    expect(runs.splice(0).sort()).toEqual(world.keysOf(2));
    shards.change([1, 2]);
    await gate.close(0);
    await settled();
    expect(runs.splice(0)).toEqual([]);
    void world.sandbox.restart({ keepHistory: false, downMs: 1000 });
    const [changed] = world.keysOf(1) as [string];
    world.maps.put(changed, 'meanwhile');
    await clock.advance(60_000);
    await settled();
    expect(world.ledger().relists).toBe(1);
    expect(runs.splice(0)).toEqual([changed]);
    abort.abort();
    await running;
  },
);
