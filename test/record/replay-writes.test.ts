import { expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { compareResourceVersions } from '../../src/model/resource-version.ts';
import { Recording } from '../../src/record/recording.ts';
import { Replay } from '../../src/record/replay.ts';
import { stillClock } from '../../src/record/still-clock.ts';
import { WrittenChanges, WrittenVersions } from '../../src/record/written-versions.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { recordedServer, recording, useFolder } from '../support/recording.ts';

const folder = useFolder();
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const PODS = { group: '', version: 'v1', resource: 'pods' };
const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const WRITTEN = 'kubectl-informer/written';

const configMap = (name: string, color: string, namespace = 'default'): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { color } },
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

  return await playing(file);
}

/** A recording of namespaces and config maps: `a` is in `default`, and nothing is in `spare`. */
async function withNamespaces() {
  const server = await recordedServer();
  const file = folder.file('namespaces.rec');
  const spare = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'spare' } };
  server.sandbox.apply([configMap('a', 'blue'), spare]);
  const run = await recording(server, ['v1/configmaps', 'v1/namespaces'], { file });
  await server.clock.advance(5_000);
  await run.end();
  return await playing(file);
}

async function startWriteServer(clock: FakeClock, now = () => clock.now()) {
  const sandbox = await Sandbox.start({ socket: false, clock: stillClock(clock, now) });
  const transport = sandbox.transport();
  return {
    manager: 'sandbox',
    /** Requests wait for it. */
    gate: Promise.resolve(),
    async request(init: Parameters<typeof transport.request>[0]) {
      await this.gate;
      return await transport.request(init);
    },
    put: (objects: readonly object[]) => void sandbox.put(objects),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

/** The replay of a file, from shortly after its beginning. */
async function playing(file: string) {
  const clock = new FakeClock();
  const opened = Recording.open(file);
  let now = () => clock.now();
  const writeServer = await startWriteServer(clock, () => now());
  const hidden: string[] = [];
  const replay = new Replay({
    recording: opened,
    from: opened.runs[0]?.until === undefined ? 0 : opened.runs[0].began + 1_500,
    speed: 1,
    clock,
    onHidden: (_, key) => void hidden.push(key),
    writeServer,
  });
  now = () => replay.now;
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
    replay,
    writeServer,
    async [Symbol.asyncDispose]() {
      ended.abort();
      await running;
      opened[Symbol.dispose]();
      await writeServer[Symbol.asyncDispose]();
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

it('what writers make and delete has the time of the recording', async () => {
  await using server = await replayed();
  const { maps, pass } = server;
  await pass(5_000);
  const then = new Date(server.replay.now).toISOString().slice(0, 17);
  const held = { ...configMap('c', 'new') };
  const made = await maps.create({ ...held, metadata: { ...held.metadata, finalizers: ['example.com/held'] } });
  await maps.delete('c');
  const { creationTimestamp, deletionTimestamp, managedFields } = (await maps.get('c')).metadata;
  expect([creationTimestamp, deletionTimestamp, managedFields?.[0]?.time].map((each) => each?.slice(0, 17))).toEqual([then, then, then]); // biome-ignore format: one line
  expect(made.metadata.creationTimestamp).toBe(creationTimestamp);
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

it('compares the versions that a writer knows with those that readers get, in deletions and in steps of a JSON patch', async () => {
  await using server = await replayed();
  const { maps } = server;
  await maps.patch('b', { data: { color: 'red' } }, { type: 'merge' });
  await maps.patch('b', { data: { color: 'green' } }, { type: 'merge' });
  const stale = (await maps.patch('a', { data: { color: 'red' } }, { type: 'merge' })).metadata.resourceVersion ?? '';
  const version =
    (await maps.patch('a', { data: { color: 'green' } }, { type: 'merge' })).metadata.resourceVersion ?? '';
  const steps = (value: string) => [
    { op: 'test' as const, path: '/metadata/resourceVersion', value },
    { op: 'replace' as const, path: '/data/color', value: 'mine' },
  ];
  for (let old = 1; old <= Number(version) + 50; old++) {
    if (old === Number(version)) continue;
    const preconditions = { resourceVersion: String(old) };
    await expect(maps.delete('a', { preconditions })).rejects.toMatchObject({ status: { code: 409 } });
    await expect(maps.patch('a', steps(String(old)), { type: 'json' })).rejects.toMatchObject({
      status: { code: 422 },
    });
  }
  expect(Number(stale)).toBeLessThan(Number(version));
  const patched = await maps.patch('a', steps(version), { type: 'json' });
  expect(patched.data).toEqual({ color: 'mine' });
  await maps.delete('a', { preconditions: { resourceVersion: patched.metadata.resourceVersion ?? '', uid: patched.metadata.uid ?? '' } }); // biome-ignore format: one line
  await expect(maps.get('a')).rejects.toMatchObject({ status: { code: 404 } });
});

it('what is recorded of an object while it is written to comes before the write or is not shown, and no version comes twice', async () => {
  await using server = await replayed();
  const { maps, pass, writeServer } = server;
  const { resourceVersion } = await maps.list();
  const watch = (await maps.watch({ resourceVersion, labelSelector: 'color' })) as Watch;
  const gate = Promise.withResolvers<void>();
  writeServer.gate = gate.promise;
  const writing = maps.patch('a', { data: { mine: 'yes' } }, { type: 'merge' });
  await pass(12_000); // a is red
  gate.resolve();
  const written = await writing;
  await pass(30_000); // b is red
  const events = await take(watch, 2);
  expect(colors(events)).toEqual(['MODIFIED a blue', 'MODIFIED b red']);
  expect(events[0]?.object).toEqual(written);
  const versions = [resourceVersion, ...events.map(({ object }) => object.metadata.resourceVersion ?? '')];
  expect(new Set(versions).size).toBe(3);
  expect(versions).toEqual(versions.toSorted((a, b) => compareResourceVersions(a, b) ?? 0));
  expect(await maps.get('a')).toEqual(written);
  const rest = await take((await maps.watch({ resourceVersion: versions[1] ?? '', labelSelector: 'color' })) as Watch, 1); // biome-ignore format: one line
  expect(colors(rest)).toEqual(['MODIFIED b red']);
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
  await using writeServer = await startWriteServer(server.clock);
  const replay = new Replay({
    recording: opened,
    from: opened.runs[0]?.until ?? 0,
    speed: 1,
    clock: server.clock,
    writeServer,
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

it('writes to a type of several sources have one order, and each change comes once', async () => {
  const server = await recordedServer();
  const file = folder.file('two.rec');
  server.sandbox.apply([configMap('x', 'blue', 'one'), configMap('y', 'blue', 'two')]);
  const run = await recording(server, ['v1/configmaps'], { file, namespaces: ['one', 'two'] });
  await server.clock.advance(9_000);
  for (let i = 0; i < 5; i++) server.sandbox.apply(configMap('x', `red-${i}`, 'one'));
  await server.clock.advance(10_000);
  server.sandbox.apply(configMap('x', 'green', 'one'));
  await server.clock.advance(5_000);
  await run.end();
  await using replay = await playing(file);
  const maps = replay.client.resource<UnknownObject>(CONFIG_MAPS);
  const of = (namespace: string) => replay.client.resource<UnknownObject>(CONFIG_MAPS, { namespace });
  const { resourceVersion } = await of('one').list();
  await of('two').list();
  await replay.pass(10_000);
  await of('one').create(configMap('first', 'mine', 'one'));
  await of('two').create(configMap('second', 'mine', 'two'));
  await of('one').create(configMap('third', 'mine', 'one'));
  await replay.pass(15_000);
  const reds = Array.from({ length: 5 }, (_, i) => `MODIFIED x red-${i}`);
  const all = [...reds, 'ADDED first mine', 'ADDED second mine', 'ADDED third mine', 'MODIFIED x green'];
  const labelled = { labelSelector: 'color' };
  const events = await take((await maps.watch({ resourceVersion, ...labelled })) as Watch, all.length);
  expect(colors(events)).toEqual(all);
  for (const [i, { object }] of events.entries()) {
    const from = object.metadata.resourceVersion ?? '';
    const rest = await take((await maps.watch({ resourceVersion: from, ...labelled })) as Watch, all.length - 1 - i);
    expect(colors(rest)).toEqual(all.slice(i + 1));
  }
});

it('nothing but requests changes what was written: no owner is missed, and a namespace is deleted at once', async () => {
  await using server = await withNamespaces();
  const { maps, client, pass } = server;
  const namespaces = client.resource<UnknownObject>(NAMESPACES);
  const { metadata } = await maps.get('a');
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: metadata.uid ?? '' }];
  const child = configMap('child', 'blue');
  await maps.create({ ...child, metadata: { ...child.metadata, ownerReferences } });
  await pass(1_000);
  const owned = await maps.patch('child', { data: { color: 'red' } }, { type: 'merge' });
  expect(owned).toMatchObject({ data: { color: 'red' }, metadata: { ownerReferences } });
  await maps.delete('child');
  await expect(maps.get('child')).rejects.toMatchObject({ status: { code: 404 } });
  await client.resource(CONFIG_MAPS, { namespace: 'spare' }).create(configMap('in-it', 'blue', 'spare'));
  await namespaces.delete('spare');
  await expect(namespaces.get('spare')).rejects.toMatchObject({ status: { code: 404 } });
  await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'spare' } });
  expect((await namespaces.get('spare')).status).toEqual({ phase: 'Active' });
});

it('an object keeps its uid and its time of creation, also where the server of the writes had one of its name', async () => {
  await using server = await withNamespaces();
  const { client, maps } = server;
  const namespaces = client.resource<UnknownObject>(NAMESPACES);
  await maps.patch('a', { data: { color: 'red' } }, { type: 'merge' });
  for (const name of ['default', 'spare']) {
    const { uid, creationTimestamp } = (await namespaces.get(name)).metadata;
    for (const color of ['red', 'green']) {
      const written = await namespaces.patch(name, { metadata: { labels: { color } } }, { type: 'merge' });
      expect(written.metadata).toMatchObject({ uid, creationTimestamp, labels: { color } });
    }
  }
});

it('takes the server-side apply of a new object', async () => {
  await using server = await replayed();
  const options = { type: 'apply', fieldManager: 'me', force: true } as const;
  const made = await server.maps.patch(
    'new',
    { ...configMap('new', 'mine'), apiVersion: 'v1', kind: 'ConfigMap' },
    options,
  );
  expect(await server.maps.get('new')).toEqual(made);
  expect(made.metadata.managedFields).toMatchObject([{ manager: 'me', operation: 'Apply' }]);
  const present = { apiVersion: 'v1', kind: 'ConfigMap', data: { color: 'mine' } };
  await expect(server.maps.patch('a', present, { ...options, force: false })).rejects.toMatchObject({ status: { code: 409 } }); // biome-ignore format: one line
  expect(await server.maps.patch('a', present, options)).toMatchObject({ data: { color: 'mine' } });
  await expect(server.maps.patch('none', {}, { type: 'merge' })).rejects.toMatchObject({ status: { code: 404 } });
});

it('answers versions and names that have no form, and deletions of collections, with a status', async () => {
  await using server = await replayed();
  const { maps, replay } = server;
  await maps.list();
  await maps.create(configMap('c', 'mine'));
  const ask = async (path: string, method = 'GET') => {
    const { status, body } = await replay.request({ method, path, headers: {} } as Parameters<Replay['request']>[0]);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return `${status} ${(JSON.parse(Buffer.concat(chunks).toString()) as { object?: { code: number } }).object?.code ?? ''}`; // biome-ignore format: one line
  };
  const path = '/api/v1/namespaces/default/configmaps';
  expect(await ask(`${path}?watch=1&resourceVersion=abc`)).toBe('200 410');
  expect(await ask(`${path}/%zz`)).toBe('400 ');
  expect(await ask(`${path}/%zz`, 'DELETE')).toBe('400 ');
  expect(await ask(path, 'DELETE')).toBe('405 ');
  expect((await maps.get('a')).metadata.name).toBe('a');
});

it('an object in deletion stays in deletion when it is written to, and goes with its last finalizer', async () => {
  const server = await recordedServer();
  const file = folder.file('deleted.rec');
  const held = configMap('held', 'blue');
  server.sandbox.apply({ ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } });
  server.sandbox.delete(CONFIG_MAPS, 'default/held');
  const run = await recording(server, ['v1/configmaps'], { file });
  await server.clock.advance(5_000);
  await run.end();
  await using replay = await playing(file);
  const { maps } = replay;
  const { deletionTimestamp } = (await maps.get('held')).metadata;
  expect(deletionTimestamp).toBeDefined();
  const written = await maps.patch('held', { data: { color: 'red' } }, { type: 'merge' });
  expect(written).toMatchObject({ data: { color: 'red' }, metadata: { deletionTimestamp } });
  await maps.patch('held', { metadata: { finalizers: null } }, { type: 'merge' });
  await expect(maps.get('held')).rejects.toMatchObject({ status: { code: 404 } });
});

it('a pod that is evicted is gone at once, as one that is deleted: nothing would end it later', async () => {
  const server = await recordedServer();
  const file = folder.file('pods.rec');
  const spec = { nodeName: 'worker-1', containers: [{ name: 'main', image: 'registry.example.com/app:1' }] };
  server.sandbox.apply(
    ['p', 'q'].map((name) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec })),
  );
  const run = await recording(server, ['v1/pods'], { file });
  await server.clock.advance(5_000);
  await run.end();
  await using replay = await playing(file);
  const pods = replay.client.resource<UnknownObject>(PODS, { namespace: 'default' });
  const { resourceVersion } = await pods.list();
  const watch = (await pods.watch({ resourceVersion })) as Watch;
  const path = '/api/v1/namespaces/default/pods/p/eviction';
  const evict = async (deleteOptions?: object) => {
    const body = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' }, deleteOptions });
    const headers = { 'content-type': 'application/json' };
    return (await replay.replay.request({ method: 'POST', path, headers, body })).status;
  };
  expect(await evict({ preconditions: { resourceVersion: '999' } })).toBe(409);
  expect(await evict({ gracePeriodSeconds: 30 })).toBe(201);
  await pods.delete('q');
  const events = await take(watch, 2);
  expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(['DELETED p', 'DELETED q']);
  expect((await pods.list()).items).toEqual([]);
});

it('a name is free once the recording has deleted its object, also after a trial of a write to it', async () => {
  await using server = await replayed();
  const { maps, pass } = server;
  await maps.list();
  await maps.patch('a', { data: { color: 'red' } }, { type: 'merge', dryRun: true });
  await pass(40_000); // a is gone
  expect(await maps.create(configMap('a', 'mine'))).toMatchObject({ data: { color: 'mine' } });
});

it('changes the owners of an object', async () => {
  const server = await recordedServer();
  const file = folder.file('owned.rec');
  const owner = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: `uid-${name}` });
  const owned = configMap('owned', 'blue');
  server.sandbox.apply({ ...owned, metadata: { ...owned.metadata, ownerReferences: [owner('p')] } });
  const run = await recording(server, ['v1/configmaps'], { file });
  await run.end();
  await using replay = await playing(file);
  const { maps, pass } = replay;
  expect((await maps.get('owned')).metadata.ownerReferences).toEqual([owner('p')]);
  await maps.patch('owned', { metadata: { ownerReferences: [owner('q')] } }, { type: 'merge' });
  await pass(1_000);
  expect((await maps.get('owned')).metadata.ownerReferences).toEqual([owner('q')]);
  await maps.patch('owned', { metadata: { ownerReferences: null } }, { type: 'merge' });
  expect((await maps.get('owned')).metadata.ownerReferences).toBeUndefined();
});

it('puts recorded and written versions in one order, and finds the recorded one back', () => {
  const versions = new WrittenVersions();
  expect([versions.shown('7'), versions.shown('x'), versions.ofList('7')]).toEqual(['7', 'x', '7']);
  expect([versions.next('5'), versions.next('5'), versions.next('9')]).toEqual(['6', '7', '12']);
  expect(['5', '6', '9', '10', '11'].map((each) => versions.shown(each))).toEqual(['5', '8', '11', '13', '14']);
  expect(['5', '6', '7', '8', '11', '12', '13'].map((each) => versions.recordedBefore(each))).toEqual(['5', '5', '5', '6', '9', '9', '10']); // biome-ignore format: one line
  expect([versions.ofList('9'), versions.ofList('10')]).toEqual(['12', '13']);
});

it('versions never go back, also when a version of the recording does', () => {
  const versions = new WrittenVersions();
  expect([versions.next('9'), versions.next('5')]).toEqual(['10', '11']);
  expect(['9', '10'].map((each) => versions.shown(each))).toEqual(['9', '12']);
});

it('keeps the last ten thousand written changes at least, and says when others are asked for', () => {
  const changes = new WrittenChanges();
  const change = { namespace: '', before: undefined, after: { object: {}, cells: undefined }, isGone: false };
  for (let i = 1; i <= 20_000; i++) changes.add({ ...change, version: String(i) });
  expect(changes.after('1')).toHaveLength(19_999);
  changes.add({ ...change, version: '20001' });
  expect(changes.after('10000')).toBeUndefined();
  expect(changes.after('10001')).toHaveLength(10_000);
  expect(changes.after('20000')?.map(({ version }) => version)).toEqual(['20001']);
  expect(changes.after('x')).toEqual([]);
});
