import { expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { compareResourceVersions } from '../../src/model/resource-version.ts';
import { Recording } from '../../src/record/recording.ts';
import { Replay } from '../../src/record/replay.ts';
import { WrittenVersions } from '../../src/record/written-versions.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { recordedServer, recording, useFolder } from '../support/recording.ts';

const folder = useFolder();
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const WRITTEN = 'kubectl-informer/written';

const configMap = (name: string, color: string): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels: { color } },
  data: { color },
});

const deployment: UnknownObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', generation: 1 },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'registry.example.com/app:1' }] },
    },
  },
};

/**
 * A recording that goes by: `a` is blue, red after 10 s, green after 20 s, gone after 30 s; `b` is blue, red after 20 s.
 * It is replayed in the time of a clock that the test moves.
 */
async function replayed() {
  const server = await recordedServer();
  const file = folder.file('r.rec');
  server.sandbox.apply([configMap('a', 'blue'), configMap('b', 'blue'), deployment]);
  const run = await recording(server, ['v1/configmaps', 'apps/v1/deployments'], { file });
  await server.clock.advance(9_000);
  server.sandbox.apply(configMap('a', 'red'));
  await server.clock.advance(10_000);
  server.sandbox.apply([configMap('a', 'green'), configMap('b', 'red')]);
  await server.clock.advance(10_000);
  server.sandbox.delete(CONFIG_MAPS, 'default/a');
  await server.clock.advance(5_000);
  await run.end();

  const clock = new FakeClock();
  const opened = Recording.open(file);
  const writable = await Sandbox.start({ socket: false, clock });
  const hidden: string[] = [];
  const replay = new Replay({
    recording: opened,
    from: opened.runs[0]?.until === undefined ? 0 : opened.runs[0].began + 1_500,
    speed: 1,
    clock,
    onHidden: (_, key) => void hidden.push(key),
    writeServer: {
      manager: 'sandbox',
      request: (init) => writable.transport().request(init),
      put: (objects) => void writable.put(objects),
    },
  });
  const ended = new AbortController();
  const running = replay.run(ended.signal).catch(() => {});
  const client = createClient(replay, { clock, logger: silentLogger });
  const resource = (gvr: typeof CONFIG_MAPS) => client.resource<UnknownObject>(gvr, { namespace: 'default' });
  /** Lets time go by in small steps: the replay waits for its readers before each change. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      for (let i = 0; i < 20; i++) await clock.yield();
      await clock.advance(500);
    }
    for (let i = 0; i < 20; i++) await clock.yield();
  };
  return {
    pass,
    hidden,
    maps: resource(CONFIG_MAPS),
    deployments: resource(DEPLOYMENTS),
    client,
    async [Symbol.asyncDispose]() {
      ended.abort();
      await running;
      opened[Symbol.dispose]();
      await writable.close();
    },
  };
}

type Watch = AsyncIterableIterator<{ type: string; object: UnknownObject }[]>;

/** Takes what a watch gets until it has this number of events. */
async function take(watch: Watch, count: number): Promise<{ type: string; object: UnknownObject }[]> {
  const events: { type: string; object: UnknownObject }[] = [];
  while (events.length < count) {
    const { value, done } = await watch.next();
    if (done) break;
    events.push(...value.filter(({ type }) => type !== 'BOOKMARK'));
  }
  return events;
}

const colors = (events: readonly { type: string; object: UnknownObject }[]) =>
  events.map(({ type, object }) => `${type} ${object.metadata.name} ${object.metadata.labels?.color}`);

it('an object that is written to leaves the recording: watches, lists and later versions agree, and it is marked', async () => {
  await using server = await replayed();
  const { pass, maps, hidden } = server;
  const { items, resourceVersion } = await maps.list({ labelSelector: 'color' });
  expect(colors(items.map((object) => ({ type: 'ITEM', object })))).toEqual(['ITEM a blue', 'ITEM b blue']);
  const watch = (await maps.watch({ resourceVersion, labelSelector: 'color' })) as Watch;
  const before = await maps.get('a');
  const written = await maps.patch('a', { metadata: { labels: { color: 'mine' } } }, { type: 'merge', fieldManager: 'me' }); // biome-ignore format: one line
  expect(written.metadata).toMatchObject({ uid: before.metadata.uid, labels: { color: 'mine' } });
  expect(Object.keys(written.metadata.annotations ?? {})).toEqual([WRITTEN]);
  expect(written.metadata.managedFields?.map(({ manager }) => manager)).toContain('me');
  expect(await maps.get('a')).toEqual(written);
  await pass(40_000);
  const events = await take(watch, 2);
  expect(colors(events)).toEqual(['MODIFIED a mine', 'MODIFIED b red']);
  expect(hidden).toEqual(['default/a']);
  const { items: last, resourceVersion: end } = await maps.list({ labelSelector: 'color' });
  expect(colors(last.map((object) => ({ type: 'ITEM', object })))).toEqual(['ITEM a mine', 'ITEM b red']);
  const versions = [resourceVersion, ...events.map(({ object }) => object.metadata.resourceVersion ?? ''), end];
  expect(versions).toEqual(versions.toSorted((a, b) => compareResourceVersions(a, b) ?? 0));
  expect(new Set(versions.slice(0, 3)).size).toBe(3);
  expect(last.map(({ metadata }) => metadata.resourceVersion)).toEqual(versions.slice(1, 3));
});

it('a watch that is resumed gets the recorded and the written changes after its version, in one order', async () => {
  await using server = await replayed();
  const { pass, maps } = server;
  const { resourceVersion } = await maps.list();
  await pass(10_000); // a is red
  await maps.create(configMap('c', 'new'));
  await pass(10_000); // a is green, b is red
  await maps.delete('b');
  await pass(20_000); // a is gone
  const all = ['MODIFIED a red', 'ADDED c new', 'MODIFIED a green', 'MODIFIED b red', 'DELETED b red', 'DELETED a green']; // biome-ignore format: one line
  const labelled = { labelSelector: 'color' };
  const events = await take((await maps.watch({ resourceVersion, ...labelled })) as Watch, all.length);
  expect(colors(events)).toEqual(all);
  for (const [i, { object }] of events.entries()) {
    const version = object.metadata.resourceVersion ?? '';
    const rest = await take((await maps.watch({ resourceVersion: version, ...labelled })) as Watch, all.length - 1 - i);
    expect(colors(rest)).toEqual(all.slice(i + 1));
  }
});

it('checks a write as a server does: versions, names, fields, and a trial writes nothing', async () => {
  await using server = await replayed();
  const { maps, deployments, client } = server;
  const a = await maps.get('a');
  const { resourceVersion } = await maps.list();
  await maps.update({ ...a, data: { color: 'first' } });
  await expect(maps.update({ ...a, data: { color: 'second' } })).rejects.toMatchObject({ status: { code: 409 } });
  await expect(maps.create(configMap('b', 'blue'))).rejects.toMatchObject({ status: { reason: 'AlreadyExists' } });
  await expect(maps.delete('none')).rejects.toMatchObject({ status: { reason: 'NotFound' } });
  await expect(maps.patch('a', { data: { color: 1 } }, { type: 'merge' })).rejects.toMatchObject({ status: { code: 422 } }); // biome-ignore format: one line
  await maps.create(configMap('c', 'blue'), { dryRun: true });
  expect((await maps.list({ labelSelector: 'color' })).items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  const same = await maps.patch('b', {}, { type: 'merge' });
  expect(same.metadata.annotations?.[WRITTEN]).toBeUndefined();
  const changed = await deployments.patch('web', { spec: { replicas: 5 } }, { type: 'merge', subresource: 'scale' });
  expect(changed.kind).toBe('Scale');
  const web = await deployments.get('web');
  expect(web).toMatchObject({ spec: { replicas: 5 }, metadata: { generation: 2 } });
  expect(changed.metadata.resourceVersion).toBe(web.metadata.resourceVersion);
  const secrets = client.resource({ group: '', version: 'v1', resource: 'secrets' }, { namespace: 'default' });
  await expect(secrets.create({ metadata: { name: 's' } })).rejects.toMatchObject({ status: { code: 501 } });
  const { items } = await maps.list({ resourceVersion });
  expect(items.find(({ metadata }) => metadata.name === 'a')?.data).toEqual({ color: 'first' });
});

it('takes writes of custom resources too', async () => {
  const server = await recordedServer();
  const gadgets = { group: 'lab.example.com', version: 'v1', resource: 'gadgets' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  server.sandbox.put([
    { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'gadgets.lab.example.com' }, spec: { group: 'lab.example.com', scope: 'Namespaced', names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' }, versions: [{ name: 'v1', served: true, storage: true, schema }] } }, // biome-ignore format: one line
    {
      apiVersion: 'lab.example.com/v1',
      kind: 'Gadget',
      metadata: { name: 'a', namespace: 'default' },
      spec: { size: 1 },
    },
  ]);
  const file = folder.file('custom.rec');
  const run = await recording(server, ['lab.example.com/v1/gadgets'], { file });
  await run.end();
  using opened = Recording.open(file);
  await using writable = await Sandbox.start({ socket: false });
  const replay = new Replay({
    recording: opened,
    from: opened.runs[0]?.until ?? 0,
    speed: 1,
    clock: server.clock,
    writeServer: {
      manager: 'sandbox',
      request: (init) => writable.transport().request(init),
      put: (objects) => void writable.put(objects),
    },
  });
  const api = createClient(replay, { clock: server.clock, logger: silentLogger }).resource<UnknownObject>(gadgets, { namespace: 'default' }); // biome-ignore format: one line
  const before = await api.get('a');
  const after = await api.patch('a', { spec: { size: 2 } }, { type: 'merge' });
  expect([after.metadata.uid, after.spec]).toEqual([before.metadata.uid, { size: 2 }]);
  expect(after.metadata.annotations?.[WRITTEN]).toBeDefined();
  expect((await api.list()).items).toEqual([after]);
  await api.delete('a');
  expect((await api.list()).items).toEqual([]);
});

it('puts recorded and written versions in one order, and finds the recorded one back', () => {
  const versions = new WrittenVersions();
  expect([versions.shown('7'), versions.shown('x'), versions.ofList('7')]).toEqual(['7', 'x', '7']);
  expect([versions.next('5'), versions.next('5'), versions.next('9')]).toEqual(['6', '7', '12']);
  expect(['5', '6', '9', '10', '11'].map((each) => versions.shown(each))).toEqual(['5', '8', '11', '13', '14']);
  expect(['5', '6', '7', '8', '11', '12', '13'].map((each) => versions.recordedBefore(each))).toEqual(['5', '5', '5', '6', '9', '9', '10']); // biome-ignore format: one line
  expect([versions.ofList('9'), versions.ofList('10')]).toEqual(['12', '13']);
});
