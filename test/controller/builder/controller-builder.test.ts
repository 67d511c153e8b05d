import { describe, expect, it } from 'vitest';
import { controllerFor } from '../../../src/controller/builder/controller-builder.ts';
import type { Controller } from '../../../src/controller/controller.ts';
import { generationChanged, objectPredicate } from '../../../src/controller/sources/predicate.ts';
import { createTimerSource } from '../../../src/controller/sources/source.ts';
import { setControllerReference, setOwnerReference } from '../../../src/controller/writes/owner-references.ts';
import { dynamicInformerFactory, InformerFactory } from '../../../src/informer/informer-factory.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { type ConfigMap, type InProcess, inProcess, readsOf } from '../../support/in-process.ts';

interface Shop extends KubeObject {
  spec: { colour: string };
}
const SHOPS = parseGvr<Shop>('example.com/v1/shops');
const MAPS = parseGvr<ConfigMap>('v1/configmaps');
const SECRETS = parseGvr<ConfigMap>('v1/secrets');

/** The definition of a kind, in the same group; Shop has a namespace, Fleet has none. */
function defined(kind: 'Shop' | 'Fleet'): object {
  const singular = kind.toLowerCase();
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.example.com` },
    spec: {
      group: 'example.com',
      scope: kind === 'Shop' ? 'Namespaced' : 'Cluster',
      names: { kind, plural: `${singular}s`, singular },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

const shop = (name: string, colour = 'red') => ({
  apiVersion: 'example.com/v1',
  kind: 'Shop',
  metadata: { name, namespace: 'eu-west' },
  spec: { colour },
});

const map = (name: string, metadata: object = {}, kind = 'ConfigMap') => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'eu-west', ...metadata },
});

const cluster = (objects: readonly object[] = [], seed = 1) =>
  inProcess({ objects: [defined('Shop'), defined('Fleet'), ...objects], seed });

/** Runs a controller over its factories. */
async function run(controller: Controller, ...factories: readonly InformerFactory[]) {
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  for (const factory of factories) factory.start(stop.signal);
  await settled();
  return async () => {
    stop.abort();
    await running;
    await Promise.all(factories.map((factory) => factory.shutdown()));
  };
}

const owned = (name: string, owner: object, reference = setControllerReference) => {
  const child = map(name) as ConfigMap;
  reference(owner as KubeObject, child);
  return child;
};

it('reconciles the objects of a kind, with the object, and the owners and targets of the others', async () => {
  await using server = await cluster([shop('a'), shop('b'), map('settings', {}, 'Secret')]);
  const factory = dynamicInformerFactory(server.client);
  const runs: string[] = [];
  const controller = await controllerFor(factory, SHOPS)
    .owns(MAPS)
    .watches(SECRETS, (secret) => [`${secret.metadata.namespace}/b`, { namespace: 'eu-west', name: 'none' }])
    .reconcile(async ({ spec }, { key, causes }) => {
      runs.push(`${key} ${spec.colour} ${causes.map(({ source }) => source).sort()}`);
    });
  expect(controller.name).toBe('shops');
  const end = await run(controller, factory);
  expect(runs.splice(0).sort()).toEqual(['eu-west/a red shop', 'eu-west/b red secret,shop']);

  const [stored] = server.sandbox.list(SHOPS);
  server.sandbox.apply(owned('child', stored as object));
  await settled();
  expect(runs.splice(0)).toEqual(['eu-west/a red configmap']);
  server.sandbox.apply(owned('other', stored as object, setOwnerReference as never));
  await settled();
  expect(runs.splice(0)).toEqual([]); // that owner is not the controller
  server.sandbox.apply({ ...map('settings', {}, 'Secret'), data: { a: 'MQ==' } });
  await settled();
  expect(runs).toEqual(['eu-west/b red secret']);
  await end();
});

it('counts every owner with everyOwner, and gives cluster-scoped owners keys without a namespace', async () => {
  const fleet = { apiVersion: 'example.com/v1', kind: 'Fleet', metadata: { name: 'all' } };
  await using server = await cluster([fleet]);
  const factory = dynamicInformerFactory(server.client);
  const runs: string[] = [];
  const builder = controllerFor(factory, 'Fleet').owns('configmap', { everyOwner: true, name: 'maps' });
  const end = await run(await builder.reconcile((_, { key }) => void runs.push(key)), factory);
  const [stored] = server.sandbox.list({ ...SHOPS, resource: 'fleets' });
  runs.length = 0;
  server.sandbox.apply(owned('child', stored as object, setOwnerReference as never));
  await settled();
  expect(runs).toEqual(['all']);
  await end();
});

it('has a predicate for each kind, with its name and its type', async () => {
  await using server = await cluster([shop('a'), shop('b', 'blue')]);
  const factory = dynamicInformerFactory(server.client);
  const runs: string[] = [];
  const controller = await controllerFor(factory, SHOPS, {
    predicate: objectPredicate(({ spec }) => spec.colour === 'blue'),
  })
    .watches(MAPS, ({ data }) => [`eu-west/${data?.shop}`], { name: 'wish', predicate: generationChanged })
    .reconcile((_, { key, causes }) => void runs.push(`${key} ${causes[0]?.source}`), { name: 'blue' });
  const end = await run(controller, factory);
  server.sandbox.apply({ ...map('a'), data: { shop: 'a' } });
  await settled();
  expect(runs.splice(0)).toEqual(['eu-west/b shop', 'eu-west/a wish']);
  server.sandbox.apply({ ...map('a'), data: { shop: 'b' } });
  await settled();
  expect(runs).toEqual([]); // a ConfigMap has no generation
  expect(controller.explain('eu-west/b').skippedElsewhere).toMatchObject([{ by: 'generation' }]);
  await end();
});

it.each([
  ['a kind', 'Shpo', /doesn't have a resource type "Shpo"/, 'Did you mean "shop"'],
  ['a plural', parseGvr('example.com/v1/shopss'), /"shopss"/, 'Did you mean "shops"'],
  ['another version', parseGvr('example.com/v2/shops'), /"shops"/, 'write shops.v1.example.com'],
  ['a singular', parseGvr('v1/configmap'), /does not serve v1\/configmap/, 'did you mean v1/configmaps?'],
])('%s that the server does not serve is named before anything starts', async (_, kind, message, hint) => {
  await using server = await cluster();
  const factory = dynamicInformerFactory(server.client);
  const before = server.sent.length;
  for (const builder of [controllerFor(factory, kind), controllerFor(factory, SHOPS).owns(kind)]) {
    const error = await builder.reconcile(() => {}).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'discovery', message: expect.stringMatching(message) });
    expect(error.hint).toContain(hint);
  }
  const paths = server.sent.slice(before).map(({ path }) => path);
  expect(new Set(paths.map((path) => path.split('?')[0]))).toEqual(new Set(['/api', '/apis']));
});

it('refuses what can never be: an owner with a namespace of an object without one, and kinds that cannot be watched', async () => {
  await using server = await cluster();
  const factory = dynamicInformerFactory(server.client);
  await expect(
    controllerFor(factory, SHOPS)
      .owns('Namespace')
      .reconcile(() => {}),
  ).rejects.toThrow('owns: a Namespace has no namespace, so no Shop can own it');
  await expect(controllerFor(factory, 'authentication.k8s.io/v1/tokenreviews').reconcile(() => {})).rejects.toThrow(
    'authentication.k8s.io/v1/tokenreviews cannot be watched',
  );
  const bare = new InformerFactory({ resource: (gvr, options) => server.client.resource(gvr, options) as never });
  await expect(controllerFor(bare, SHOPS).reconcile(() => {})).rejects.toThrow('does not say which types');
});

it.each([
  () => controllerFor({} as never, SHOPS),
  () => controllerFor({ 'a/b': dynamicInformerFactory({} as never) }, SHOPS),
  () => controllerFor({ a: 1 } as never, SHOPS),
  () => controllerFor(dynamicInformerFactory({} as never), 7 as never),
  () => controllerFor(dynamicInformerFactory({} as never), SHOPS, { predicates: [] } as never),
  () => controllerFor(dynamicInformerFactory({} as never), SHOPS).owns(MAPS, { from: {} } as never),
  () => controllerFor(dynamicInformerFactory({} as never), SHOPS).watches(MAPS, 'a' as never),
  () => controllerFor(dynamicInformerFactory({} as never), SHOPS).source({} as never),
])('refuses arguments of another form at once: %#', (wrong) => {
  expect(wrong).toThrow(expect.objectContaining({ code: 'argument' }));
});

it('two controllers on one factory share one watch of a kind', async () => {
  await using server = await cluster([shop('a')]);
  const factory = dynamicInformerFactory(server.client);
  const runs: string[] = [];
  const one = await controllerFor(factory, SHOPS)
    .owns(MAPS)
    .reconcile(() => void runs.push('one'));
  const two = await controllerFor(factory, SHOPS)
    .owns(MAPS)
    .reconcile(() => void runs.push('two'), { name: 'two' });
  const ends = [await run(one, factory), await run(two, factory)];
  expect(runs.sort()).toEqual(['one', 'two']);
  expect(readsOf(server.sandbox, 'shops').length).toBe(1);
  expect(readsOf(server.sandbox, 'configmaps').length).toBe(1);
  for (const end of ends) await end();
});

it('adds a finalizer, and cleans up before the object is deleted', async () => {
  await using server = await cluster();
  const factory = dynamicInformerFactory(server.client);
  const steps: string[] = [];
  const controller = await controllerFor(factory, SHOPS)
    .finalizer('example.com/dns', ({ spec }) => void steps.push(`clean ${spec.colour}`))
    .reconcile(({ metadata }) => void steps.push(`reconcile ${metadata.finalizers}`), {
      gone: ({ key, gone }) => void steps.push(`gone ${key} ${gone?.spec.colour}`),
    });
  const end = await run(controller, factory);
  server.sandbox.apply(shop('a'));
  await settled();
  expect(steps.splice(0)[0]).toBe('reconcile example.com/dns');
  server.sandbox.delete(SHOPS, 'eu-west/a');
  await settled();
  expect(steps).toEqual(['clean red', 'gone eu-west/a red']);
  expect(server.sandbox.list(SHOPS)).toEqual([]);
  await end();
});

it('takes other sources of keys, and the options of a controller', async () => {
  await using server = await cluster([shop('a')]);
  const factory = dynamicInformerFactory(server.client);
  const runs: number[] = [];
  const controller = await controllerFor(factory, SHOPS)
    .source(createTimerSource({ everyMs: 60_000, keys: () => ['eu-west/a'] }))
    .reconcile((_, { causes }) => void runs.push(causes.length), { workers: 3 });
  const end = await run(controller, factory);
  await server.clock.advance(60_000);
  expect(runs).toEqual([1, 1]);
  expect(controller.snapshot().controller.workers).toBe(3);
  await end();
});

it.each<[unknown, unknown]>([
  ['reconcile', {}],
  [() => {}, 7],
  [() => {}, { gone: 7 }],
  [() => {}, { workers: 0 }],
  [() => {}, { workerz: 1 }],
])('refuses a reconciler and options of another form before it asks a server: %#', async (reconcile, options) => {
  await using server = await cluster();
  const before = server.sent.length;
  const builder = controllerFor(dynamicInformerFactory(server.client), SHOPS);
  await expect(builder.reconcile(reconcile as never, options as never)).rejects.toMatchObject({ code: 'argument' });
  expect(server.sent.length).toBe(before);
});

it('is named after its kind, and a request for an object of one cluster has no cluster', async () => {
  await using server = await cluster([shop('a')]);
  const factory = dynamicInformerFactory(server.client);
  const requests: object[] = [];
  const controller = await controllerFor(factory, SHOPS).reconcile((_, request) => void requests.push(request));
  const end = await run(controller, factory);
  expect(controller.snapshot().controller.name).toBe('shops');
  expect(requests.map((request) => 'cluster' in request)).toEqual([false]);
  await end();
});

describe('a controller of several clusters', () => {
  const both = async () => {
    const [eu, us] = [await cluster([shop('a', 'red')]), await cluster([shop('a', 'blue')], 2)];
    const factories = { eu: dynamicInformerFactory(eu.client), us: dynamicInformerFactory(us.client) };
    const close = async (servers: readonly InProcess[]) => {
      for (const server of servers) await server[Symbol.asyncDispose]();
    };
    return { eu, us, factories, [Symbol.asyncDispose]: () => close([eu, us]) };
  };

  it('has keys with the cluster, and gets each object from the cache of its own', async () => {
    await using servers = await both();
    const { eu, us, factories } = servers;
    const runs: string[] = [];
    const controller = await controllerFor(factories, SHOPS)
      .owns(MAPS)
      .watches(SECRETS, (_, { cluster }) => [
        'eu-west/a',
        { cluster: cluster === 'eu' ? 'us' : 'eu', namespace: 'eu-west', name: 'a' },
      ])
      .reconcile(({ spec }, { key, cluster, namespace, name, causes, before }) => {
        const from = causes.map(({ source }) => source).join();
        runs.push(`${key}|${cluster}|${namespace}|${name}|${spec.colour}|${from}|${before?.spec.colour ?? ''}`);
      });
    const end = await run(controller, ...Object.values(factories));
    expect(runs.splice(0).sort()).toEqual([
      'eu/eu-west/a|eu|eu-west|a|red|eu/shop|',
      'us/eu-west/a|us|eu-west|a|blue|us/shop|',
    ]);

    us.sandbox.apply(shop('a', 'green'));
    await settled();
    expect(runs.splice(0)).toEqual(['us/eu-west/a|us|eu-west|a|green|us/shop|blue']);
    us.sandbox.apply(owned('child', us.sandbox.list(SHOPS)[0] as object));
    await settled();
    expect(runs.splice(0)).toEqual(['us/eu-west/a|us|eu-west|a|green|us/configmap|']);
    eu.sandbox.apply(map('settings', {}, 'Secret'));
    await settled();
    expect(
      runs
        .splice(0)
        .sort()
        .map((line) => line.split('|')[0]),
    ).toEqual(['eu/eu-west/a', 'us/eu-west/a']);
    await end();
  });

  it('says in each request of which cluster the object is', async () => {
    await using two = await both();
    const clusters: string[] = [];
    const controller = await controllerFor(two.factories, SHOPS).reconcile(
      (_, { cluster: of, name }) => void clusters.push(`${of} ${name}`),
    );
    const end = await run(controller, ...Object.values(two.factories));
    expect(clusters.sort()).toEqual(['eu a', 'us a']);
    await end();
  });

  it('writes finalizers to the cluster of the object, takes keys by hand, and explains them', async () => {
    await using servers = await both();
    const { us, eu, factories } = servers;
    const steps: string[] = [];
    const controller = await controllerFor(factories, SHOPS, { predicate: generationChanged })
      .finalizer('example.com/dns', (_, request) => void steps.push(`clean ${request.key}`))
      .reconcile((_, { cluster }) => void steps.push(cluster));
    const end = await run(controller, ...Object.values(factories));
    expect(us.sandbox.list(SHOPS)[0]?.metadata.finalizers).toEqual(['example.com/dns']);
    steps.length = 0;
    us.sandbox.delete(SHOPS, 'eu-west/a');
    await settled();
    expect(steps.splice(0)).toEqual(['clean us/eu-west/a']);
    expect([us.sandbox.list(SHOPS).length, eu.sandbox.list(SHOPS).length]).toEqual([0, 1]);

    controller.enqueue('eu/eu-west/a');
    await settled();
    expect(steps).toEqual(['eu']);
    expect(controller.explain('eu/eu-west/a')).toMatchObject({ state: 'idle', key: 'eu/eu-west/a' });
    for (const wrong of ['eu-west/a', 'asia/eu-west/a', 'eu/eu-west/', 'a/b/c/d'])
      expect(() => controller.enqueue(wrong)).toThrow(expect.objectContaining({ code: 'argument' }));
    await end();
  });

  it('takes no write to one cluster for its own in another, where the key has the same version', async () => {
    await using servers = await both();
    const { us, eu, factories } = servers;
    let runs = 0;
    const controller = await controllerFor(factories, SHOPS).reconcile(
      async ({ spec: { colour }, metadata: { annotations } }, { cluster, before }) => {
        if (cluster === 'us') runs++;
        if (cluster === 'us' || !before || annotations?.seen === colour) return;
        const patch = { metadata: { annotations: { seen: colour } } };
        await eu.client.resource(SHOPS, { namespace: 'eu-west' }).patch('a', patch, { type: 'merge' });
      },
      { hotLoopRuns: 3 },
    );
    const end = await run(controller, ...Object.values(factories));
    const version = (server: InProcess) => server.sandbox.list(SHOPS)[0]?.metadata.resourceVersion;
    for (let change = 1; change <= 6; change++) {
      eu.sandbox.apply(shop('a', `red-${change}`)); // written once more by the controller
      await settled();
      us.sandbox.apply(map('settings', { labels: { change: String(change) } }));
      us.sandbox.apply(shop('a', `blue-${change}`));
      await settled();
      expect(version(us)).toBe(version(eu));
    }
    expect(controller.parked).toEqual([]);
    expect(runs).toBe(7);
    await end();
  });

  it('waits in no cluster for a write to another', async () => {
    await using servers = await both();
    const { eu, us, factories } = servers;
    for (let i = 0; i < 20; i++) eu.sandbox.apply(map(`filler-${i}`)); // the versions of eu are ahead
    const runs: string[] = [];
    const controller = await controllerFor(factories, SHOPS)
      .owns(MAPS)
      .reconcile(async (shop, { cluster }) => {
        runs.push(cluster);
        const server = cluster === 'eu' ? eu : us;
        const child = owned(`child-${runs.length}`, shop as never);
        if (runs.length < 3) await server.client.resource(MAPS, { namespace: 'eu-west' }).create(child);
      });
    const end = await run(controller, ...Object.values(factories));
    runs.length = 3;
    controller.enqueue('eu/eu-west/a');
    controller.enqueue('us/eu-west/a');
    await settled();
    expect(runs.slice(3).sort()).toEqual(['eu', 'us']);
    expect(controller.snapshot().delayed).toEqual([]);
    await end();
  });

  it('can watch what another factory has, for all clusters', async () => {
    await using servers = await both();
    await using hub = await cluster();
    const from = dynamicInformerFactory(hub.client);
    const runs: string[] = [];
    const controller = await controllerFor(servers.factories, SHOPS)
      .watches(MAPS, ({ data }, { cluster }) => (data?.not === cluster ? [] : ['eu-west/a']), { from })
      .reconcile((_, { key }) => void runs.push(key));
    const end = await run(controller, ...Object.values(servers.factories), from);
    runs.length = 0;
    hub.sandbox.apply({ ...map('wish'), data: { not: 'eu' } });
    await settled();
    expect(runs.splice(0)).toEqual(['us/eu-west/a']);
    hub.sandbox.apply({ ...map('other') });
    await settled();
    expect(runs.sort()).toEqual(['eu/eu-west/a', 'us/eu-west/a']);
    await end();
  });
});
