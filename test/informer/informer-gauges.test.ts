import { expect, it } from 'vitest';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { InformerGauges } from '../../src/informer/informer-gauges.ts';
import type { Continuity } from '../../src/informer/watch/continuity-ledger.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { noMetrics } from '../../src/kit/metrics.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { configMap } from '../support/fixture.ts';
import { CONFIG_MAPS, inProcess } from '../support/in-process.ts';
import { readableMetrics } from '../support/prometheus.ts';

const NAME = '{name="v1/configmaps"}';

it("one provider for a factory gets the reflector's, the queue's and the cache's metrics of each informer", async () => {
  const objects = [configMap('a', {}), configMap('b', {})];
  await using world = await inProcess({ objects });
  const { sandbox, client, clock } = world;
  const { metrics, values } = await readableMetrics();
  const factory = dynamicInformerFactory(client, { clock, metrics, sync: 'list' });
  const { informer } = factory.forResource(CONFIG_MAPS);
  factory.forResource({ group: '', version: 'v1', resource: 'pods' });
  expect(await values()).toMatchObject({
    [`kubectl_informer_synced${NAME}`]: 0,
    [`reflector_lists_total${NAME}`]: 0,
    'reflector_lists_total{name="v1/pods"}': 0,
  });
  const running = new AbortController();
  factory.start(running.signal);
  await factory.waitForSync();
  sandbox.apply(configMap('c', {}));
  await expect.poll(() => informer.lister.size).toBe(3);
  const version = Number(informer.lastSyncResourceVersion);
  expect(await values()).toMatchObject({
    [`kubectl_informer_synced${NAME}`]: 1,
    [`kubectl_informer_cache_objects${NAME}`]: 3,
    [`reflector_lists_total${NAME}`]: 1,
    [`reflector_items_per_list_sum${NAME}`]: 2,
    [`informer_queued_items${NAME}`]: 0,
    [`informer_store_resource_version${NAME}`]: version,
    'kubectl_informer_cache_objects{name="v1/pods"}': 0,
    [`kubectl_informer_disconnected_seconds${NAME}`]: 0,
  });
  expect((await values())[`informer_processing_latency_seconds_count${NAME}`]).toBeGreaterThan(0);
  running.abort();
  await factory.shutdown();
  const after = await values();
  expect(after[`reflector_watches_total${NAME}`]).toBe(1);
  expect(after[`reflector_items_per_watch_sum${NAME}`]).toBeGreaterThan(0);
  expect(after).not.toHaveProperty([`kubectl_informer_cache_objects${NAME}`]);
});

it('shows how long there has been no connection, and counts outages, resumed watches, gaps and relists', async () => {
  await using world = await inProcess({ objects: [configMap('a', {})] });
  const { sandbox, client, clock } = world;
  const { metrics, values } = await readableMetrics();
  const factory = dynamicInformerFactory(client, { clock, metrics, logger: silentLogger });
  const { informer } = factory.forResource(CONFIG_MAPS);
  const running = new AbortController();
  factory.start(running.signal);
  await factory.waitForSync();
  const state = () => informer.continuity[0]?.connection.state;
  await expect.poll(state).toBe('connected');
  const fault = sandbox.faults.add({ fault: { kind: 'status', code: 503 }, match: { watch: true }, times: 1000 });
  await sandbox.restart({ keepHistory: true });
  await clock.advance(0);
  await expect.poll(state).toBe('disconnected');
  await clock.advance(7000);
  const { connection } = informer.continuity[0] ?? expect.unreachable();
  const downMs = connection.state === 'disconnected' ? clock.now() - connection.since : expect.unreachable();
  expect(downMs).toBeGreaterThanOrEqual(7000);
  expect((await values())[`kubectl_informer_disconnected_seconds${NAME}`]).toBe(downMs / 1000);
  expect((await values())[`kubectl_informer_disconnects_total${NAME}`]).toBe(1);
  fault[Symbol.dispose]();
  await clock.advance(60_000);
  await expect.poll(state).toBe('connected');
  expect(await values()).toMatchObject({
    [`kubectl_informer_disconnected_seconds${NAME}`]: 0,
    [`kubectl_informer_resumed_watches_total${NAME}`]: 1,
    [`kubectl_informer_gaps_total${NAME}`]: 0,
    [`kubectl_informer_relists_total${NAME}`]: 0,
  });
  void sandbox.restart({ keepHistory: false });
  sandbox.apply(configMap('b', {}));
  await clock.advance(60_000);
  await expect.poll(() => informer.lister.size).toBe(2);
  expect(await values()).toMatchObject({
    [`kubectl_informer_gaps_total${NAME}`]: 1,
    [`kubectl_informer_relists_total${NAME}`]: 1,
  });
  running.abort();
  await factory.shutdown();
  await settled();
});

it.each([true, false])('shows whether the server divides, of sharded informers only: %s', async (isSharding) => {
  const objects = Array.from({ length: 12 }, (_, i) => configMap(`m-${i}`, {}));
  await using world = await inProcess({ objects, featureGates: { ShardedListAndWatch: isSharding } });
  const { client, clock } = world;
  const { metrics, values } = await readableMetrics();
  const factory = dynamicInformerFactory(client, { clock, metrics, sync: 'list', shard: { index: 0, of: 3 } });
  factory.forResource(CONFIG_MAPS);
  const running = new AbortController();
  expect(await values()).not.toHaveProperty([`kubectl_informer_sharded_by_server${NAME}`]);
  factory.start(running.signal);
  await factory.waitForSync();
  expect((await values())[`kubectl_informer_sharded_by_server${NAME}`]).toBe(isSharding ? 1 : 0);
  running.abort();
  await factory.shutdown();
});

it('shows nothing of shards for an informer that has the whole collection', async () => {
  await using world = await inProcess({ objects: [configMap('a', {})] });
  const { metrics, values } = await readableMetrics();
  const factory = dynamicInformerFactory(world.client, { clock: world.clock, metrics });
  factory.forResource(CONFIG_MAPS);
  const running = new AbortController();
  factory.start(running.signal);
  await factory.waitForSync();
  expect(await values()).not.toHaveProperty([`kubectl_informer_sharded_by_server${NAME}`]);
  running.abort();
  await factory.shutdown();
});

it('shows the oldest sign of life, the longest outage, and a version as far as a float keeps it', () => {
  const gauges = new Map<string, () => number>();
  let left = 0;
  const observe = (name: string, _labels: object, read: () => number) => {
    gauges.set(name, read);
    return { [Symbol.dispose]: () => void left++ };
  };
  const clock = new FakeClock();
  const since = clock.now();
  const observed = {
    name: 'v1/pods',
    hasSynced: true,
    lastSyncResourceVersion: '12345678901234567890',
    continuity: [{ connection: { state: 'connected', since } }] as unknown as Continuity[],
    lister: { size: 3 },
    sources: [],
  };
  const informer = new InformerGauges({ ...noMetrics, observe } as never, observed, () => 7, clock);
  const read = (name: string) => gauges.get(name)?.();
  const sign = 'kubectl_informer_last_sign_of_life_seconds';
  const outage = 'kubectl_informer_disconnected_seconds';
  expect([read(sign), read(outage), read('informer_queued_items')]).toEqual([0, 0, 7]);
  expect(read('informer_store_resource_version')).toBe(678901234567890);
  observed.lastSyncResourceVersion = 'x1';
  expect([read('informer_store_resource_version'), read('kubectl_informer_sharded_by_server')]).toEqual([
    Number.NaN,
    Number.NaN,
  ]);
  observed.continuity = [
    { ageMs: 1500, connection: { state: 'disconnected', since: since - 4000 } },
    { ageMs: 2500, connection: { state: 'disconnected', since: since - 3000 } },
  ] as unknown as Continuity[];
  expect([read(sign), read(outage)]).toEqual([2.5, 4]);
  for (const _ of [1, 2]) informer[Symbol.dispose]();
  expect(left).toBe(gauges.size);
});
