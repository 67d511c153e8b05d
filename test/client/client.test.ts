import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { staticConfig } from '../../src/client/cluster-config.ts';
import type { ListerWatcher } from '../../src/informer/lister-watcher.ts';
import { InformerError } from '../../src/kit/error.ts';
import { type FakeAnswer, fakeTransport } from './fake-transport.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const over = (answers: Record<string, FakeAnswer>) => {
  const transport = fakeTransport(({ path }) => answers[path.split('?', 1)[0] as string]);
  return { transport, client: createClient(transport) };
};

interface Pod {
  metadata: { name: string };
  spec: { nodeName?: string };
}

describe('createClient', () => {
  it('works over a config or over a transport of the caller’s own', () => {
    const config = staticConfig({ server: 'https://one' });
    expect(createClient(config).config).toBe(config);
    const { client, transport } = over({});
    expect(client.config).toBeUndefined();
    expect(client.transport).toBe(transport);
  });

  it('gives apis that fit the informer’s port by their shape alone', async () => {
    const { client } = over({
      '/api/v1/namespaces/shop/pods': { body: { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '5' }, items: [] } },
    });
    const port: ListerWatcher<Pod> = client.resource<Pod>(PODS, { namespace: 'shop' });
    expect(await port.list({}, { signal: new AbortController().signal })).toEqual({ items: [], resourceVersion: '5' });
  });

  it('hands its settings on to every api', async () => {
    const item = { kind: 'Pod', metadata: { name: 'a', managedFields: [] } };
    const transport = fakeTransport(() => ({ body: item }));
    const client = createClient(transport, { dropManagedFields: true });
    expect(await client.resource(PODS, { namespace: 'x' }).get('a')).toEqual({ kind: 'Pod', metadata: { name: 'a' } });
    expect(await client.resource(PODS, { namespace: 'x', dropManagedFields: false }).get('a')).toEqual(item);
  });

  it('tells the version, and gives any path as text', async () => {
    const { client } = over({ '/version': { body: { major: '1', minor: '36', gitVersion: 'v1.36.2' } }, '/readyz': { body: 'ok' } });
    expect(await client.version()).toMatchObject({ gitVersion: 'v1.36.2' });
    expect(await client.raw('/readyz')).toBe('ok');
    await expect(client.raw('/nope')).rejects.toMatchObject({ reason: 'NotFound' });
    await expect(over({ '/version': { body: '<html>' } }).client.version()).rejects.toMatchObject({ code: 'decode' });
  });

  it.each([
    ['1', '36', 'v1.36.2', true],
    ['1', '31+', 'v1.31.0-eks-1', true],
    ['1', '30', 'v1.30.2', false],
    ['1', '30+', 'v1.30.2-gke.5', false],
    ['', '', 'v1.31.4+k3s1', true],
    ['', '', 'v1.30.2-gke', false],
    ['', '', '1.40', true],
    ['2', '0', 'v2.0.0', true],
    ['', '', '', false],
    ['x', 'y', 'unknown', false],
  ])(
    'knows whether a server of version %j.%j (%s) lists from memory consistently: %s, asking once',
    async (major, minor, gitVersion, expected) => {
      const { client, transport } = over({ '/version': { body: { major, minor, gitVersion } } });
      expect(await client.resource(PODS).consistentUnpagedList()).toBe(expected);
      expect(await client.resource(PODS).consistentUnpagedList()).toBe(expected);
      expect(transport.requests).toHaveLength(1);
    },
  );

  it.each<[string, FakeAnswer]>([
    ['may not be asked for', { status: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' } }],
    ['is not served', { status: 404, body: '404 page not found' }],
    ['is a login page', { body: '<html>' }],
    ['is empty', { body: {} }],
  ])('takes a server whose version %s for one that needs pages', async (_, answer) => {
    expect(await over({ '/version': answer }).client.resource(PODS).consistentUnpagedList()).toBe(false);
  });

  it('passes on that no answer came when it asked for the version', async () => {
    const down = { request: () => Promise.reject(new InformerError('transport', 'down')), close: async () => {} };
    await expect(createClient(down).resource(PODS).consistentUnpagedList()).rejects.toThrow('down');
  });
});

describe('what requests cost', () => {
  const list = JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '5' }, items: [] });
  const event = (type: string) => `${JSON.stringify({ type, object: { kind: 'Pod', metadata: { name: 'a' } } })}\n`;
  const events = event('ADDED') + event('BOOKMARK');

  it('is counted by each api: requests, bytes, events', async () => {
    const transport = fakeTransport(({ path }) => (path.includes('watch=') ? { chunks: [events] } : { body: list }));
    const api = createClient(transport).resource(PODS, { namespace: 'shop' });
    expect(JSON.parse(JSON.stringify(api.stats))).toEqual({ requests: 0, bytes: 0, events: 0, objects: 0 });
    await api.list();
    for await (const _ of await api.watch());
    await api.get('a');
    expect(JSON.parse(JSON.stringify(api.stats))).toEqual({ requests: 3, bytes: 2 * list.length + events.length, events: 2, objects: 0 });
  });

  it('is found at the client by type and namespace, however many apis there were', async () => {
    const client = createClient(fakeTransport(() => ({ body: list })));
    for (const namespace of ['shop', 'shop', undefined]) await client.resource(PODS, { namespace }).list();
    const bytes = list.length;
    expect(client.stats()).toEqual([
      { gvr: PODS, namespace: 'shop', requests: 2, bytes: 2 * bytes, events: 0, objects: 0, remaining: undefined },
      { gvr: PODS, namespace: undefined, requests: 1, bytes, events: 0, objects: 0, remaining: undefined },
    ]);
  });

  it('counts a list’s objects while they arrive, and says how many are left where the server does', async () => {
    const pods = { metadata: { remainingItemCount: 7 }, items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }] };
    const body = JSON.stringify({ kind: 'PodList', apiVersion: 'v1', ...pods });
    const seen: number[] = [];
    const api = createClient(fakeTransport(() => ({ chunks: [body.slice(0, -25), body.slice(-25)] }))).resource(PODS);
    await api.list({ limit: 2 }, { alive: () => seen.push(api.stats.objects) });
    expect(seen).toEqual([0, 1]);
    expect(api.stats).toMatchObject({ objects: 2, remaining: 7 });
  });

  it('of a refused request is its answer', async () => {
    const api = over({}).client.resource(PODS);
    await expect(api.list()).rejects.toThrow('could not find');
    expect(api.stats.requests).toBe(1);
    expect(api.stats.bytes).toBe('404 page not found\n'.length);
  });
});
