import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { createTransport } from '../../../src/client/http/http-transport.ts';
import { loadConfig } from '../../../src/client/kubeconfig.ts';
import { dynamicInformerFactory } from '../../../src/informer/informer-factory.ts';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { CONFIG_MAPS, ConfigMaps, through } from '../../support/in-process.ts';

/** An informer by a streaming list over TLS, and how the server has encoded its watches: `streaming gzip`. */
async function streaming(featureGates: Record<string, boolean>) {
  const sandbox = await Sandbox.start({ featureGates });
  const maps = new ConfigMaps(sandbox);
  for (let i = 0; i < 300; i++) maps.put(`shop/map-${i}`);
  const encodings: string[] = [];
  const transport = createTransport(await loadConfig({ kubeconfigText: sandbox.kubeconfig(), env: {} }));
  const noted = through(transport, async (request, send) => {
    const response = await send(request);
    const how = request.path.includes('sendInitialEvents=true') ? 'streaming' : 'plain';
    if (request.stream) encodings.push(`${how} ${response.headers['content-encoding'] ?? 'identity'}`);
    return response;
  });
  const client = createClient(noted);
  const factory = dynamicInformerFactory(client, { namespaces: ['shop'] });
  const { informer, lister } = factory.forResource(CONFIG_MAPS);
  const end = new AbortController();
  factory.start(end.signal);
  await factory.waitForSync();
  return {
    sandbox,
    maps,
    informer,
    lister,
    encodings,
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await factory.shutdown();
      await transport.close();
      await sandbox.stop();
    },
  };
}

describe('a streaming list', () => {
  it('is compressed by a server that can, and no later event waits for the next one', async () => {
    await using given = await streaming({ WatchListCompression: true });
    expect([given.encodings, given.lister.size]).toEqual([['streaming gzip'], 300]);
    for (let i = 0; i < 5; i++) {
      const version = given.maps.put(`shop/new-${i}`);
      await eventually(() => given.lister.get(`shop/new-${i}`)?.metadata.resourceVersion === version);
    }
    given.maps.delete('shop/map-0');
    await eventually(() => given.lister.get('shop/map-0') === undefined);
    expect(given.informer.continuity[0]).toMatchObject({ relists: 0 });
  });

  it('is resumed without compression after it was cut in the middle of the compressed text', async () => {
    await using given = await streaming({ WatchListCompression: true });
    await given.sandbox.restart({ keepHistory: true }); // without the end of the gzip
    given.maps.put('shop/later');
    await eventually(() => given.lister.get('shop/later') !== undefined);
    expect(given.encodings.slice(0, 2)).toEqual(['streaming gzip', 'plain identity']);
    expect(given.informer.continuity[0]).toMatchObject({ relists: 0 });
  });

  it('is not compressed by a server that cannot', async () => {
    await using given = await streaming({});
    expect([given.encodings, given.lister.size]).toEqual([['streaming identity'], 300]);
  });
});
