import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { createConfig } from '../../../src/client/config/cluster-config.ts';
import { fencedTransport } from '../../../src/client/http/fenced-transport.ts';
import { createTransport } from '../../../src/client/http/http-transport.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, inProcess } from '../../support/in-process.ts';
import { socketScript } from '../../support/socket-script.ts';

const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });

describe('a fenced transport', () => {
  it('sends no write without a permit, and every read', async () => {
    const place = await inProcess({ objects: [map('a')] });
    let isPermitted = true;
    const permit = () => {
      if (!isPermitted) throw new Error('not leading');
    };
    const fenced = fencedTransport(place.client.transport, permit);
    const maps = createClient(fenced).resource(CONFIG_MAPS, { namespace: 'default' });
    await maps.create(map('b'));
    isPermitted = false;
    const before = place.sent.length;
    const writes = [
      () => maps.create(map('c')),
      () => maps.update(map('a')),
      () => maps.patch('a', {}, { type: 'merge' }),
      () => maps.delete('a'),
      () => maps.deleteCollection({ all: true }),
    ];
    for (const write of writes) await expect(write()).rejects.toThrow('not leading');
    expect(place.sent.length).toBe(before);
    expect((await maps.list()).items.map(({ metadata }) => metadata.name)).toContain('b');
    await maps.get('a');
    const watched = await fenced.request({ method: 'GET', path: '/api/v1/configmaps?watch=true&timeoutSeconds=1' });
    expect(watched.status).toBe(200);
    await fenced.request({ method: 'HEAD', path: '/version' });
    await fenced.request({ method: 'OPTIONS', path: '/version' });
    expect(place.sent.length).toBe(before + 5);
  });

  it('asks again before a write is repeated that the server asked to wait', async () => {
    await using server = await socketScript((_, response) => {
      response.writeHead(429, { 'retry-after': '3' }).end();
    });
    const clock = new FakeClock();
    const transport = createTransport(createConfig({ server: server.url }), { clock });
    let isPermitted = true;
    const fenced = fencedTransport(transport, () => {
      if (!isPermitted) throw new Error('not leading');
    });
    const written = fenced.request({ method: 'PUT', path: '/x', body: '{}' });
    const refused = expect(written).rejects.toThrow('not leading');
    while (clock.nextIn !== 3_000) await clock.yield();
    isPermitted = false;
    clock.tick(3_000);
    await refused;
    expect(server.seen.length).toBe(1);
    await transport.close();
  });

  it('asks again after a write has waited for the rate limit', async () => {
    await using server = await socketScript((_, response) => response.end('{}'));
    const clock = new FakeClock();
    const transport = createTransport(createConfig({ server: server.url }), { clock, qps: 1, burst: 1 });
    let isPermitted = true;
    const fenced = fencedTransport(transport, () => {
      if (!isPermitted) throw new Error('not leading');
    });
    await fenced.request({ method: 'PUT', path: '/1', body: '{}' });
    const refused = expect(fenced.request({ method: 'PUT', path: '/2', body: '{}' })).rejects.toThrow('not leading');
    while (!clock.nextIn || clock.nextIn > 1_000) await clock.yield();
    isPermitted = false;
    clock.tick(1_000);
    await refused;
    expect(server.seen.map(({ url }) => url)).toEqual(['/1']);
    await transport.close();
  });
});
