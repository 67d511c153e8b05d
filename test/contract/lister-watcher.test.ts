import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import { loadConfig } from '../../src/client/kubeconfig.ts';
import type { ResourceApi } from '../../src/client/resource-api.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { isAlreadyExists, isConflict, isExpired, isGone, isNotFound, StatusError } from '../../src/model/status.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../../src/model/watch-event.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { eventually } from '../../src/testing/eventually.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

interface Place extends AsyncDisposable {
  readonly client: Client;
  /** Makes the server forget its history; undefined for a server that the test cannot control. */
  compact?(): void;
}

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };
const LABELS = { suite: 'contract' };

async function onSandbox(socket: boolean): Promise<Place> {
  const sandbox = await Sandbox.start({ socket });
  const config = createConfig({ server: sandbox.url, token: sandbox.token, tls: { ca: sandbox.caPem } });
  const client = createClient(socket ? config : sandbox.transport());
  return {
    client,
    compact: () => sandbox.compact(),
    async [Symbol.asyncDispose]() {
      await client.close();
      await sandbox.stop();
    },
  };
}

async function onCluster(kubeconfig: string): Promise<Place> {
  const client = createClient(await loadConfig({ kubeconfig }));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

const PLACES: [string, () => Promise<Place>][] = [
  ['the sandbox in-process', () => onSandbox(false)],
  ['the sandbox over TLS', () => onSandbox(true)],
];
const kubeconfig = process.env.TEST_KUBECONFIG;
if (kubeconfig) PLACES.push(['the cluster of TEST_KUBECONFIG', () => onCluster(kubeconfig)]);

describe.each(PLACES)('a collection on %s', (_, open) => {
  let place: Place;
  let api: ResourceApi<ConfigMap>;
  let namespace: string;
  let count = 0;

  beforeAll(async () => {
    place = await open();
  });
  afterAll(() => place[Symbol.asyncDispose]());
  beforeEach(async () => {
    namespace = `contract-${process.pid}-${Date.now().toString(36)}-${count++}`;
    await place.client
      .resource(NAMESPACES)
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    api = place.client.resource<ConfigMap>(CONFIG_MAPS, { namespace });
  });
  afterEach(async () => {
    await place.client.resource(NAMESPACES).delete(namespace);
  });

  const make = (name: string, data: Record<string, string> = {}) =>
    api.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: LABELS }, data });
  const ours = { labelSelector: 'suite=contract' };

  it('lists all objects, with kinds filled in and a version to watch from', async () => {
    await make('a');
    await make('b');
    const page = await api.list(ours);
    expect(page.items.map((o) => [o.apiVersion, o.kind, o.metadata.name])).toEqual([
      ['v1', 'ConfigMap', 'a'],
      ['v1', 'ConfigMap', 'b'],
    ]);
    expect(page.resourceVersion).toMatch(/^\d+$/);
    expect(page.continue).toBeUndefined();
  });

  it('pages through one snapshot', async () => {
    for (const name of ['a', 'b', 'c']) await make(name);
    const first = await api.list({ ...ours, limit: 2 });
    await make('d');
    expect(first.items.map((o) => o.metadata.name)).toEqual(['a', 'b']);
    const rest = await api.list({ ...ours, limit: 2, continue: first.continue });
    expect(rest.items.map((o) => o.metadata.name)).toEqual(['c']);
    expect(rest.continue).toBeUndefined();
  });

  it('watches from a list without a gap and in order', async () => {
    const { resourceVersion } = await api.list(ours);
    await make('a');
    await api.patch('a', { data: { x: '1' } }, { type: 'merge' });
    await api.delete('a');
    const events = await take(await api.watch({ ...ours, resourceVersion }), 3);
    expect(events.map((e) => e.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    const versions = events.map((e) => BigInt((e.object as KubeObject).metadata.resourceVersion ?? 0));
    expect([...versions].sort((a, b) => (a < b ? -1 : 1))).toEqual(versions);
  });

  it('streams a list that ends with a bookmark, and continues as a watch', async () => {
    await make('a');
    const stream = await api.watch({
      ...ours,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
      timeoutSeconds: 30,
    });
    const [added, bookmark] = await take(stream, 2);
    expect(added?.type).toBe('ADDED');
    expect(bookmark?.type).toBe('BOOKMARK');
    const ended = bookmark?.object as KubeObject | undefined;
    expect(ended?.metadata.annotations).toEqual({ [INITIAL_EVENTS_END]: 'true' });
  });

  it('shows in a watch with a selector that an object no longer matches', async () => {
    await make('a');
    const { resourceVersion } = await api.list(ours);
    await api.patch('a', { metadata: { labels: { suite: 'other' } } }, { type: 'merge' });
    const [event] = await take(await api.watch({ ...ours, resourceVersion }), 1);
    expect(event?.type).toBe('DELETED');
  });

  it('refuses with Statuses that differ by cause', async () => {
    const made = await make('a');
    await expect(api.get('none')).rejects.toSatisfy(isNotFound);
    await expect(make('a')).rejects.toSatisfy(isAlreadyExists);
    await api.patch('a', [{ op: 'add', path: '/data', value: { x: '1' } }], { type: 'json' });
    await expect(api.update({ ...made, data: { y: '2' } })).rejects.toSatisfy(isConflict);
    await expect(api.list({ resourceVersion: 'abc' })).rejects.toBeInstanceOf(StatusError);
  });

  it('answers a watch from a version older than the history with an ERROR event', async ({ skip }) => {
    if (!place.compact) return skip('only a sandbox can be made to forget');
    const { resourceVersion } = await api.list();
    for (const name of ['a', 'b', 'c']) await make(name);
    place.compact();
    const [event] = await take(await api.watch({ resourceVersion }), 1);
    expect(event?.type).toBe('ERROR');
    const error = new StatusError(event?.object as never);
    expect(isGone(error) || isExpired(error)).toBe(true);
  });

  it.each(['stream', 'list', 'pages', 'auto'] as const)(
    'keeps an informer’s cache equal to it in sync mode %s',
    async (sync) => {
      await make('before');
      const informer = new SharedInformer<ConfigMap>(api, { sync, selectors: ours, freeze: true });
      const stop = new AbortController();
      const running = informer.run(stop.signal);
      await informer.whenSynced(AbortSignal.timeout(20_000));
      for (let i = 0; i < 5; i++) await make(`m-${i}`, { i: String(i) });
      await api.patch('m-1', { data: { i: 'changed' } }, { type: 'merge' });
      await api.delete('m-2');
      const server = await api.list(ours);
      const seen = () =>
        informer.lister
          .list()
          .map((o) => `${o.metadata.name} ${o.metadata.resourceVersion}`)
          .sort();
      const there = server.items.map((o) => `${o.metadata.name} ${o.metadata.resourceVersion}`).sort();
      await eventually(() => JSON.stringify(seen()) === JSON.stringify(there));
      stop.abort();
      await running;
      expect(informer.isStopped).toBe(true);
    },
  );
});

/** The first events of a watch; the watch is closed then. */
async function take<T>(stream: AsyncIterable<readonly WatchEvent<T>[]>, many: number): Promise<WatchEvent<T>[]> {
  const events: WatchEvent<T>[] = [];
  for await (const batch of stream) {
    events.push(...batch);
    if (events.length >= many) break;
  }
  return events;
}
