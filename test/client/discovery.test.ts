import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Discovery } from '../../src/client/discovery.ts';
import { diskDiscoveryStore } from '../../src/client/discovery-store.ts';
import { formatGvr } from '../../src/model/gvr.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { fakeTransport, recorded } from './fake-transport.ts';

const pods = {
  resource: 'pods',
  responseKind: { group: '', version: '', kind: 'Pod' },
  scope: 'Namespaced',
  singularResource: 'pod',
  verbs: ['list', 'watch'],
  shortNames: ['po'],
  categories: ['all'],
  subresources: [{ subresource: 'status' }],
};
const aggregated: Record<string, unknown> = {
  '/api': { kind: 'APIGroupDiscoveryList', items: [{ metadata: {}, versions: [{ version: 'v1', resources: [pods] }] }] },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'autoscaling' },
        versions: [
          {
            version: 'v2',
            resources: [{ resource: 'hpas', responseKind: { kind: 'Hpa' }, scope: 'Namespaced', verbs: [] }],
            freshness: 'Current',
          },
          {
            version: 'v1',
            resources: [
              { resource: 'hpas', responseKind: { kind: 'Hpa' }, verbs: null },
              { resource: 'old', responseKind: { kind: 'Old' } },
            ],
          },
        ],
      },
    ],
  },
};
const legacy: Record<string, unknown> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/api/v1': {
    kind: 'APIResourceList',
    resources: [
      { name: 'pods', singularName: '', namespaced: true, kind: 'Pod', verbs: ['list', 'watch'], shortNames: ['po'], categories: ['all'] },
      { name: 'pods/status', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] },
    ],
  },
  '/apis': {
    kind: 'APIGroupList',
    groups: [{ name: 'autoscaling', versions: [{ version: 'v1' }, { version: 'v2' }], preferredVersion: { version: 'v2' } }],
  },
  '/apis/autoscaling/v2': { resources: [{ name: 'hpas', kind: 'Hpa', namespaced: true }] },
  '/apis/autoscaling/v1': {
    resources: [
      { name: 'hpas', kind: 'Hpa' },
      { name: 'old', kind: 'Old' },
    ],
  },
};

const serving = (answers: Record<string, unknown>) => fakeTransport(({ path }) => (path in answers ? { body: answers[path] } : undefined));

describe('Discovery', () => {
  it.each([
    ['aggregated', aggregated, 2],
    ['legacy', legacy, 5],
  ])('by the %s form finds every type, the preferred version first', async (_, answers, requests) => {
    const transport = serving(answers);
    const { types, failures } = await new Discovery(transport).snapshot();
    expect(transport.requests).toHaveLength(requests);
    expect(transport.requests[0]?.headers?.accept).toMatch(/^application\/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,/);
    expect(failures).toEqual([]);
    expect(types.map((t) => `${formatGvr(t.gvr)}${t.preferred ? '!' : ''}`)).toEqual([
      'v1/pods!',
      'autoscaling/v2/hpas!',
      'autoscaling/v1/hpas',
      'autoscaling/v1/old!',
    ]);
    expect(types[0]).toEqual({
      gvr: { group: '', version: 'v1', resource: 'pods' },
      kind: 'Pod',
      singular: 'pod',
      shortNames: ['po'],
      categories: ['all'],
      namespaced: true,
      verbs: ['list', 'watch'],
      subresources: ['status'],
      preferred: true,
    });
  });

  it.skipIf(!recorded('01-discovery.json'))('finds the same of a real server by either form', async () => {
    const wire = recorded('01-discovery.json') ?? [];
    const byForm = (form: 'legacy' | 'aggregated') =>
      fakeTransport(({ path }) => {
        const found = wire.find(
          (e) => e.request.path === path && (e.request.headers.accept ?? '').includes('apidiscovery') === (form === 'aggregated'),
        );
        return found && { status: found.response.status, headers: found.response.headers, body: found.response.body };
      });
    const both = await Promise.all([new Discovery(byForm('aggregated')).snapshot(), new Discovery(byForm('legacy')).snapshot()]);
    // Only core/v1 and apps/v1 were recorded one by one.
    const [a, b] = both.map(({ types }) => types.filter(({ gvr }) => ['', 'apps'].includes(gvr.group)));
    const inOrder = (types: typeof a) => types?.map((t) => ({ ...t, subresources: [...t.subresources].sort() }));
    expect(inOrder(b)).toEqual(inOrder(a));
    expect(a?.length).toBeGreaterThan(20);
  });

  it('is content with part of the groups, and names the rest', async () => {
    const { '/apis/autoscaling/v2': _, ...answers } = legacy;
    const { types, failures } = await new Discovery(serving(answers)).snapshot();
    expect(types.map((t) => formatGvr(t.gvr))).toEqual(['v1/pods', 'autoscaling/v1/hpas', 'autoscaling/v1/old']);
    expect(failures).toEqual([{ group: 'autoscaling/v2', message: 'the server could not find the requested resource' }]);
    const stale = {
      kind: 'APIGroupDiscoveryList',
      items: [{ metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1beta1', resources: [], freshness: 'Stale' }] }],
    };
    const snapshot = await new Discovery(serving({ ...aggregated, '/apis': stale })).snapshot();
    expect(snapshot.failures.map((f) => f.group)).toEqual(['metrics.k8s.io/v1beta1']);
    expect(snapshot.types).toHaveLength(1);
  });

  it.each([
    [401, 'Unauthorized', 'credentials', /^You must be logged in to the server \(Unauthorized\)$/, /log in again/],
    [403, 'Forbidden', 'transport', /^cannot find out what the server has: /, /whoami/],
  ])('fails when nothing could be found out: %i', async (code, reason, errorCode, message, hint) => {
    const refused = fakeTransport(() => ({ status: code, body: { kind: 'Status', message: reason, reason, code } }));
    await expect(new Discovery(refused).snapshot()).rejects.toMatchObject({
      code: errorCode,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });

  it('fetches once for callers at the same time and for later ones, until invalidated, and recovers from a failure', async () => {
    let up = false;
    const transport = fakeTransport(({ path }) => (up ? { body: aggregated[path] } : { status: 503, body: 'down' }));
    const discovery = new Discovery(transport);
    await expect(discovery.snapshot()).rejects.toThrow('currently unable');
    up = true;
    await Promise.all([discovery.snapshot(), discovery.snapshot()]);
    await discovery.snapshot();
    expect(transport.requests).toHaveLength(4);
    await discovery.invalidate();
    await discovery.snapshot();
    expect(transport.requests).toHaveLength(6);
  });

  it('takes what it fetched as fresh for ten seconds', async () => {
    const clock = new FakeClock();
    const discovery = new Discovery(serving(aggregated), { clock });
    expect(discovery.isFresh()).toBe(false);
    await discovery.snapshot();
    expect(discovery.isFresh()).toBe(true);
    clock.tick(10_000);
    expect(discovery.isFresh()).toBe(false);
  });
});

describe('the discovery cache on disk', () => {
  let directory: string;
  const clock = new FakeClock();
  const open = (server = 'https://one:6443/k8s/c-1') => diskDiscoveryStore({ directory: path.join(directory, 'cache'), server, clock });

  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'discovery-'));
  });
  afterEach(async () => {
    await (await import('node:fs/promises')).rm(directory, { recursive: true });
  });

  it('spares the next run its requests, is not taken as fresh, and is for its owner and server alone', async () => {
    await new Discovery(serving(aggregated), { store: open() }).snapshot();
    const transport = serving(aggregated);
    const discovery = new Discovery(transport, { store: open() });
    expect((await discovery.snapshot()).types).toHaveLength(4);
    expect(transport.requests).toHaveLength(0);
    expect(discovery.isFresh()).toBe(false);
    expect(await open('https://two:6443').load()).toBeUndefined();
    const files = path.join(directory, 'cache', 'discovery');
    expect(await readdir(files)).toEqual(['one_6443_k8s_c-1.json']);
    if (process.platform !== 'win32') {
      expect((await stat(files)).mode & 0o777).toBe(0o700);
      expect((await stat(path.join(files, 'one_6443_k8s_c-1.json'))).mode & 0o777).toBe(0o600);
    }
  });

  it('ends after six hours, when invalidated, and when it is not what was written', async () => {
    const store = open();
    await store.save({ types: [], failures: [] });
    clock.tick(6 * 3600_000 - 1);
    expect(await store.load()).toEqual({ types: [], failures: [] });
    clock.tick(1);
    expect(await store.load()).toBeUndefined();
    await store.save({ types: [], failures: [] });
    await store.clear();
    expect(await store.load()).toBeUndefined();
    const file = path.join(directory, 'cache', 'discovery', 'one_6443_k8s_c-1.json');
    for (const text of ['not json', '{"form":0}', 'null']) {
      await writeFile(file, text);
      expect(await store.load(), text).toBeUndefined();
    }
  });

  it('does not keep half an answer', async () => {
    const { '/apis': _, ...answers } = aggregated;
    const discovery = new Discovery(serving(answers), { store: open() });
    expect((await discovery.snapshot()).failures).toHaveLength(1);
    expect(await open().load()).toBeUndefined();
  });

  it('does not get in the way when it cannot write', async () => {
    await writeFile(path.join(directory, 'cache'), 'a file where the directory should be');
    const discovery = new Discovery(serving(aggregated), { store: open() });
    expect((await discovery.snapshot()).types).toHaveLength(4);
    expect(await readFile(path.join(directory, 'cache'), 'utf8')).toContain('a file');
  });
});
