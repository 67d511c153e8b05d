import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { staticConfig } from '../../src/client/cluster-config.ts';
import type { ListerWatcher } from '../../src/informer/lister-watcher.ts';
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
    ['1', '36', true],
    ['1', '31+', true],
    ['1', '30', false],
  ])('knows that a server of version %s.%s lists from memory consistently: %s, asking once', async (major, minor, expected) => {
    const { client, transport } = over({ '/version': { body: { major, minor, gitVersion: '' } } });
    expect(await client.resource(PODS).consistentUnpagedList()).toBe(expected);
    expect(await client.resource(PODS).consistentUnpagedList()).toBe(expected);
    expect(transport.requests).toHaveLength(1);
  });
});
