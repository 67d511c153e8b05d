import { describe, expect, it } from 'vitest';
import { whenCachesCurrent } from '../../src/controller/consistency/current-caches.ts';
import { createController } from '../../src/controller/controller.ts';
import type { ControllerOptions } from '../../src/controller/controller-options.ts';
import { ShardGate } from '../../src/controller/shard-gate.ts';
import { createInformerSource, informerEvents } from '../../src/controller/sources/informer-source.ts';
import { createEventSource } from '../../src/controller/sources/source.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { ShardedSource } from '../../src/informer/watch/sharded-source.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { ShardSet } from '../../src/model/shard-set.ts';
import { CONFIG_MAPS, inProcess } from '../support/in-process.ts';
import {
  childrenOn,
  childSource,
  lagging,
  PARENTS,
  parentOf,
  parentSource,
  wanting,
} from '../support/wanted-children.ts';

const WANTED = 10;

interface Made {
  readonly children: number;
  /** The explanations of the key, each once, without its numbers. */
  readonly explanations: readonly string[];
}

/** Runs a controller that wants ten children, over caches that are `lagMs` behind. */
async function childrenMade(lagMs: number, options: Partial<ControllerOptions> = {}): Promise<Made> {
  await using place = await inProcess({ objects: [parentOf()] });
  const { sandbox, clock, client } = place;
  lagging(sandbox, lagMs);
  const factory = dynamicInformerFactory(client, { logger: silentLogger });
  const { informer: parents } = factory.forResource<KubeObject>(PARENTS);
  const { informer: children } = factory.forResource<KubeObject>(CONFIG_MAPS);
  const controller = createController({
    name: 'ten',
    logger: silentLogger,
    hotLoopRuns: 0,
    ...options,
    sources: [parentSource(parents), childSource(children)],
    reconcile: wanting(WANTED, { parents, children }, client),
  });
  const explanations = new Set<string>();
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  factory.start(stop.signal);
  await clock.advance(lagMs);
  for (let change = 1; change <= 40; change++) {
    sandbox.apply(parentOf('parent', { labels: { change: String(change) } }));
    await clock.advance(100);
    explanations.add(controller.explain('shop/parent').summary.replace(/[\d.]+m?s/g, 'N'));
  }
  await clock.advance(20 * lagMs);
  stop.abort();
  await clock.advance(0);
  await running;
  await factory.shutdown();
  return { children: childrenOn(sandbox).length, explanations: [...explanations] };
}

describe('a controller over caches that are behind', () => {
  it.each([0, 50, 200, 500, 1_000])('makes ten children where ten are wanted, at %i ms', async (lagMs) => {
    expect((await childrenMade(lagMs)).children).toBe(WANTED);
  });

  it('says what a key waits for', async () => {
    expect((await childrenMade(500)).explanations).toContain('waits N for its own write of v1/configmaps');
  });

  it('makes too many with `consistency: "none"`', async () => {
    const { children, explanations } = await childrenMade(500, { consistency: 'none' });
    expect(children).toBeGreaterThan(50);
    expect(explanations.filter((text) => text.includes('own write'))).toEqual([]);
  });
});

it.each([
  ['is made again with the next event', 1],
  ['is made again without an event', 1],
  ['is not made again for a key that was dropped', 0],
])('a child that a restored server has lost before the cache showed it %s', async (how, made) => {
  await using place = await inProcess({ objects: [parentOf()] });
  const { sandbox, clock, client } = place;
  lagging(sandbox, 500);
  const factory = dynamicInformerFactory(client, { logger: silentLogger });
  const { informer: parents } = factory.forResource<KubeObject>(PARENTS);
  const { informer: children } = factory.forResource<KubeObject>(CONFIG_MAPS);
  const controller = createController({
    name: 'one',
    logger: silentLogger,
    sources: [parentSource(parents), childSource(children)],
    reconcile: async (request, context) => {
      await wanting(1, { parents, children }, client)(request, context);
    },
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  const before = sandbox.snapshot();
  factory.start(stop.signal);
  await clock.advance(600);
  expect(childrenOn(sandbox)).toHaveLength(1);
  await sandbox.restore(before);
  expect(childrenOn(sandbox)).toHaveLength(0);
  if (how.includes('dropped')) {
    controller.enqueue('shop/parent', { after: 50_000 });
    expect(controller.drop('shop/parent')).toBe(true);
  }
  if (how.includes('next event')) sandbox.apply(parentOf('parent', { labels: { change: '1' } }));
  await clock.advance(120_000);
  expect(childrenOn(sandbox)).toHaveLength(made);
  stop.abort();
  await clock.advance(0);
  await running;
  await factory.shutdown();
});

/** Runs two replicas that share parents by shards, which change hands again and again; gives the most children of one. */
async function mostChildren(lagMs: number, consistency?: 'none') {
  const parents = Array.from({ length: 8 }, (_, i) => parentOf(`parent-${i}`));
  await using place = await inProcess({ objects: parents });
  const { sandbox, clock, client } = place;
  lagging(sandbox, lagMs);
  const stop = new AbortController();
  const replicas = [0, 1].map((at) => {
    const shards = new ShardSet({ of: 4, by: 'uid', indexes: [] });
    const source = new ShardedSource(client.resource(PARENTS), shards);
    const owners = new SharedInformer<KubeObject>(source as never, {
      clock,
      logger: silentLogger,
      resource: PARENTS,
    });
    const factory = dynamicInformerFactory(client, {
      logger: silentLogger,
      namespaces: ['shop', 'bank'],
      store: 'compact',
    });
    const { informer: children } = factory.forResource<KubeObject>(CONFIG_MAPS);
    const gate: ShardGate = new ShardGate({
      shards,
      objects: () => owners.lister as never,
      graceMs: 1_000,
      drop: (key) => controller.drop(key),
      clock,
    });
    const controller = createController({
      name: `replica-${at}`,
      clock,
      logger: silentLogger,
      consistency,
      hotLoopRuns: 0,
      sources: [
        createEventSource(gate.feed(informerEvents(owners) as never), { name: 'parent', isPrimary: true }),
        gate.source(childSource(children)),
      ],
      reads: [owners as never, children as never],
      reconcile: gate.reconciler(wanting(WANTED, { parents: owners, children }, client, 100)),
    });
    void owners.run(stop.signal);
    factory.start(stop.signal);
    const running = controller.run(stop.signal);
    const ends = new Map<number, AbortController>();
    const take = async (index: number) => {
      const end = new AbortController();
      ends.set(index, end);
      shards.change(new Set(ends.keys()));
      await shards.whenRead(stop.signal);
      await owners.whenApplied(stop.signal);
      if (consistency !== 'none')
        await whenCachesCurrent([owners as never, children as never], {
          clock,
          logger: silentLogger,
          signal: stop.signal,
        });
      gate.open({ index, signal: end.signal, isHeld: true, heldForMs: 60_000, assertHeld() {} });
    };
    const give = async (index: number) => {
      ends.get(index)?.abort();
      ends.delete(index);
      await gate.close(index);
      shards.change(new Set(ends.keys()));
    };
    return { take, give, running };
  });
  const move = async (index: number, from: number | undefined, to: number) => {
    const moved = (async () => {
      if (from !== undefined) await replicas[from]?.give(index);
      await replicas[to]?.take(index);
    })();
    for (let turn = 0; turn < 60; turn++) await clock.advance(50);
    await moved;
  };
  for (let index = 0; index < 4; index++) await move(index, undefined, index % 2);
  for (let index = 0; index < 4; index++) await move(index, index % 2, (index + 1) % 2);
  for (let index = 0; index < 4; index++) await move(index, (index + 1) % 2, index % 2);
  await clock.advance(40 * lagMs);
  stop.abort();
  await clock.advance(0);
  await Promise.all(replicas.map(({ running }) => running));
  const owned = childrenOn(sandbox).flatMap(({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? []);
  const counts = new Map<string, number>();
  for (const uid of owned) counts.set(uid, (counts.get(uid) ?? 0) + 1);
  return { parents: counts.size, most: Math.max(...counts.values()), least: Math.min(...counts.values()) };
}

describe('replicas that share keys, over caches that are behind, while shards change hands', () => {
  it('make no child twice', async () => {
    expect(await mostChildren(900)).toEqual({ parents: 8, most: WANTED, least: WANTED });
  });

  it('make some twice with `consistency: "none"`', async () => {
    expect((await mostChildren(900, 'none')).most).toBeGreaterThan(WANTED);
  });
});

it('a key whose own writes run it again and again is parked, without any wiring', async () => {
  const { sandbox, clock, client } = await inProcess({ objects: [parentOf()] });
  const factory = dynamicInformerFactory(client, { logger: silentLogger });
  const { informer } = factory.forResource(PARENTS);
  let runs = 0;
  const controller = createController({
    name: 'loop',
    logger: silentLogger,
    sources: [createInformerSource(informer, { name: 'parent', isPrimary: true })],
    reconcile: async ({ namespace, name }) => {
      const patch = { metadata: { annotations: { runs: String(++runs) } } };
      await client.resource(PARENTS, { namespace }).patch(name, patch, { type: 'merge' });
    },
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  factory.start(stop.signal);
  await clock.advance(1_000);
  expect(controller.parked).toMatchObject([{ key: 'shop/parent', reason: 'hot-loop' }]);
  expect(controller.parked[0]?.error).toContain('each caused only by own writes');
  expect(runs).toBe(10);
  stop.abort();
  await clock.advance(0);
  await running;
  await factory.shutdown();
  await sandbox.stop();
});
