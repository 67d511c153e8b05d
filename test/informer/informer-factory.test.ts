import { describe, expect, it } from 'vitest';
import type { InformerFactoryOptions } from '../../src/informer/informer-factory.ts';
import { familyOf } from '../../src/informer/informer-family.ts';
import { createLogger, silentLogger } from '../../src/kit/logger.ts';
import { surroundingsOf, withSurroundings } from '../../src/kit/surroundings.ts';
import type { GroupVersionResource } from '../../src/model/gvr.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { type ServedTypes, servedTypesOf, withServedTypes } from '../../src/model/served-types.ts';
import { ShardSet } from '../../src/model/shard-set.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../src/testing/recording-handler.ts';
import { CONFIG_MAPS, ConfigMaps, type InProcessSetup, inProcess, readsOf } from '../support/in-process.ts';
import { dynamicInformerFactory } from '../support/store-under-test.ts';

const deployments: GroupVersionResource = { group: 'apps', version: 'v1', resource: 'deployments' };

async function factory(options: InformerFactoryOptions = {}, setup: InProcessSetup = {}) {
  const { sandbox, clock, client } = await inProcess(setup);
  const made = dynamicInformerFactory(client, { clock, random: () => 0, ...options });
  const controller = new AbortController();
  const stop = async () => {
    controller.abort();
    await made.shutdown();
    await sandbox.stop();
  };
  return { factory: made, sandbox, maps: new ConfigMaps(sandbox), clock, controller, stop };
}

it('gives one informer for each type, and starts each once, later ones at the next start [FAC-01]', async () => {
  const { factory: informers, sandbox, controller, stop } = await factory();
  const first = informers.forResource(CONFIG_MAPS);
  expect(informers.forResource(CONFIG_MAPS)).toEqual(first);
  expect(informers.forResource(CONFIG_MAPS).informer).toBe(first.informer);
  informers.start(controller.signal);
  informers.start(controller.signal);
  const second = informers.forResource(deployments);
  await settled();
  expect([readsOf(sandbox), readsOf(sandbox, 'deployments')]).toEqual([['stream'], []]);
  expect([first.informer.isStarted, second.informer.isStarted]).toEqual([true, false]);
  informers.start(controller.signal);
  await settled();
  expect(second.informer.hasSynced).toBe(true);
  expect(readsOf(sandbox)).toEqual(['stream']);
  await stop();
});

it('waits for the informers that were started and no others [FAC-02]', async () => {
  const { factory: informers, controller, stop } = await factory();
  informers.forResource(CONFIG_MAPS);
  informers.start(controller.signal);
  informers.forResource(deployments);
  const result = await informers.waitForSync();
  expect([...result.synced]).toEqual([['v1/configmaps', true]]);
  expect([result.isComplete, result.notStarted, result.asError()?.message]).toEqual([
    false,
    ['apps/v1/deployments'],
    'not started: apps/v1/deployments',
  ]);
  await stop();
});

it('of one namespace gets no events of another [FAC-04]', async () => {
  const { factory: informers, maps, controller, stop } = await factory({ namespaces: ['ns-foo'] });
  const { informer } = informers.forResource(CONFIG_MAPS);
  const handler = createRecordingHandler<never>();
  informer.addHandler(handler as never);
  informers.start(controller.signal);
  await settled();
  maps.put('ns-bar/x');
  await settled();
  expect(handler.notifications).toEqual([]);
  const version = maps.put('ns-foo/x');
  await settled();
  expect(handler.lines).toEqual(['synced', `added ns-foo/x@${version}`]);
  await stop();
});

it('of several namespaces watches each separately, behind one lister', async () => {
  const { factory: informers, maps, sandbox, controller, stop } = await factory({ namespaces: ['a', 'b', 'a'] });
  for (const key of ['a/x', 'b/y', 'c/z']) maps.put(key);
  const { lister } = informers.forResource(CONFIG_MAPS);
  informers.start(controller.signal);
  await informers.waitForSync(controller.signal);
  expect(sandbox.requests.matching('configmaps').map(({ path }) => path.split('?')[0])).toEqual([
    '/api/v1/namespaces/a/configmaps',
    '/api/v1/namespaces/b/configmaps',
  ]);
  expect([...lister.keys()].sort()).toEqual(['a/x', 'b/y']);
  await stop();
});

it('reaches sync on a bare end bookmark [FAC-06]', async () => {
  const { factory: informers, sandbox, controller, stop } = await factory();
  const { informer } = informers.forResource(CONFIG_MAPS);
  informers.start(controller.signal);
  await settled();
  expect([informer.hasSynced, informer.lister.size, readsOf(sandbox)]).toEqual([true, 0, ['stream']]);
  await stop();
});

it.each([
  ['list', ['list', 'watch']],
  ['stream', ['stream']],
] as const)(
  'sends its selectors with every request, and only matching objects are reported: mode %s [FAC-05]',
  async (sync, reads) => {
    const listOptions = { labelSelector: 'app=web', fieldSelector: 'metadata.name!=b' };
    const { factory: informers, maps, sandbox, clock, controller, stop } = await factory({ sync, listOptions });
    const putThree = (label: string) => {
      for (const name of ['a', 'b']) maps.put(`shop/${name}`, label, { app: 'web' });
      maps.put('shop/c', label, { app: 'db' });
    };
    putThree('first');
    const { informer, lister } = informers.forResource(CONFIG_MAPS);
    const handler = createRecordingHandler<never>();
    informer.addHandler(handler as never);
    informers.start(controller.signal);
    await clock.advance(1000);
    putThree('second');
    maps.put('shop/d', 'n1', { app: 'web' });
    maps.put('shop/e', 'n1', { app: 'db' });
    await settled();
    const requests = sandbox.requests.matching('configmaps');
    expect(readsOf(sandbox).map((read) => read.split(' ')[0])).toEqual(reads);
    for (const { path } of requests)
      expect(Object.fromEntries(new URL(path, 'http://x').searchParams)).toMatchObject(listOptions);
    expect(handler.notifications.map((n) => `${n.kind} ${n.key}`)).toEqual([
      'added shop/a',
      'updated shop/a',
      'added shop/d',
    ]);
    expect([...lister.keys()]).toEqual(['shop/a', 'shop/d']);
    await stop();
  },
);

describe('waiting for sync', () => {
  it('names the late informer and the cause at the timeout [SHI-31]', async () => {
    const nobody = { user: 'nobody' };
    const {
      factory: informers,
      clock,
      controller,
      stop,
    } = await factory({ sync: 'list' }, { rbac: true, token: (sandbox) => sandbox.tokenFor(nobody) });
    informers.forResource(CONFIG_MAPS);
    informers.start(controller.signal);
    const waiting = informers.waitForSync(controller.signal, { timeoutMs: 5000 });
    await clock.advance(5000);
    const error = (await waiting).asError();
    expect(error?.message).toBe('failed to sync all caches: v1/configmaps: no sync within 5s');
    expect(error?.hint).toBe(
      'v1/configmaps: failed to list v1/configmaps: configmaps is forbidden: User "nobody" cannot list resource "configmaps" in API group "" at the cluster scope',
    );
    await stop();
  });

  it('leaves no timer behind after success', async () => {
    const { factory: informers, clock, controller, stop } = await factory();
    informers.forResource(CONFIG_MAPS);
    informers.start(controller.signal);
    const before = clock.pending;
    expect((await informers.waitForSync(controller.signal, { timeoutMs: 60_000 })).isComplete).toBe(true);
    await stop();
    expect([before > 0, clock.pending]).toEqual([true, 0]);
  });
});

it('starts nothing after its shutdown, which waits for the informers to end', async () => {
  const { factory: informers, sandbox, controller } = await factory();
  informers.forResource(CONFIG_MAPS);
  informers.start(controller.signal);
  await settled();
  let isDown = false;
  const down = informers.shutdown().then(() => (isDown = true));
  await settled();
  expect(isDown).toBe(false);
  controller.abort();
  await Promise.all([down, informers.shutdown()]);
  informers.forResource(deployments);
  informers.start(new AbortController().signal);
  await settled();
  expect([...sandbox.requests]).toHaveLength(1);
});

it('close ends its informers, whatever the signal of start says, and waits for them; await using calls it', async () => {
  const { factory: informers, sandbox, controller } = await factory();
  const { informer } = informers.forResource(CONFIG_MAPS);
  {
    await using owned = informers;
    owned.start(controller.signal);
    await owned.waitForSync();
    expect(informer.isStopped).toBe(false);
  }
  expect([informer.isStopped, controller.signal.aborted]).toEqual([true, false]);
  const before = [...sandbox.requests].length;
  informers.forResource(deployments);
  informers.start(controller.signal);
  await settled();
  expect([...sandbox.requests]).toHaveLength(before);
});

it('applies its transform to objects of every type', async () => {
  const {
    factory: informers,
    maps,
    controller,
    stop,
  } = await factory({
    transform: (object) => {
      object.metadata.labels = { seen: 'yes' };
      return object;
    },
  });
  maps.put('a/x');
  const { lister } = informers.forResource(CONFIG_MAPS);
  informers.start(controller.signal);
  await informers.waitForSync();
  expect(lister.list({ selector: 'seen=yes' })).toHaveLength(1);
  await stop();
});

describe('a transform for one type', () => {
  const slim = ({ metadata, data }: ConfigMap) => ({ metadata, keys: Object.keys(data ?? {}) });
  interface ConfigMap extends KubeObject {
    data?: Record<string, string>;
  }

  it("makes the cached objects of that type, in place of the factory's transform", async () => {
    const place = await factory({
      transform: ({ kind, metadata }) => ({ kind: kind ?? '', metadata }),
    });
    const { lister } = place.factory.forResource(CONFIG_MAPS, { transform: slim });
    place.maps.put('a/x');
    place.factory.start(place.controller.signal);
    await place.factory.waitForSync();
    expect(Object.keys(lister.require('a/x'))).toEqual(['metadata', 'keys']);
    await place.stop();
  });

  it('is refused if the informer exists already with another one', async () => {
    const { factory: informers, stop } = await factory({});
    informers.forResource(CONFIG_MAPS, { transform: slim });
    expect(informers.forResource(CONFIG_MAPS).informer.name).toBe('v1/configmaps');
    informers.forResource(CONFIG_MAPS, { transform: slim });
    expect(() => informers.forResource<KubeObject>(CONFIG_MAPS, { transform: (object) => object })).toThrow(
      'the informer of v1/configmaps exists already, without this transform',
    );
    await stop();
  });
});

it('refuses all namespaces together with others', async () => {
  await expect(factory({ namespaces: ['', 'a'] })).rejects.toThrow(
    'namespaces must not contain "" (all namespaces) together with others',
  );
});

describe('a wait for the factory’s informers', () => {
  it('is reported with the cause of the delay, and less and less often', async () => {
    const { client, sandbox, clock } = await inProcess();
    sandbox.faults.add({
      fault: { kind: 'status', code: 403 },
      match: { path: 'configmaps' },
      times: Number.POSITIVE_INFINITY,
    });
    const lines: string[] = [];
    const at: number[] = [];
    const logger = createLogger((level, message, fields) => {
      if (message === 'still waiting for the initial sync') at.push(clock.monotonic());
      lines.push(`${level} ${message} ${String(fields.cache)} ${String(fields.because)}`);
    });
    const factory = dynamicInformerFactory(client, { clock, logger });
    factory.forResource(CONFIG_MAPS);
    const running = new AbortController();
    factory.start(running.signal);
    const waiting = factory.waitForSync(running.signal, { timeoutMs: 100_000 });
    await clock.advance(100_000);
    const result = await waiting;
    expect(result.asError()).toMatchObject({
      code: 'sync',
      hint: expect.stringMatching(/^v1\/configmaps: .*forbidden/i),
    });
    const reminders = lines.filter((line) => line.startsWith('warn still waiting for the initial sync'));
    expect([reminders.length, at]).toEqual([3, [10_000, 30_000, 70_000]]);
    expect(reminders[0]).toMatch(/^warn still waiting for the initial sync v1\/configmaps .*forbidden/i);
    running.abort();
    await factory.shutdown();
  });

  it('names an informer that was never started, also next to one that was', async () => {
    const { client, sandbox, clock } = await inProcess();
    new ConfigMaps(sandbox).put('shop/a');
    const factory = dynamicInformerFactory(client, { clock });
    factory.forResource(CONFIG_MAPS);
    const hint = expect.stringContaining('start(signal)');
    expect((await factory.waitForSync()).asError()).toMatchObject({
      code: 'sync',
      message: 'not started: v1/configmaps',
      hint,
    });
    const running = new AbortController();
    factory.start(running.signal);
    factory.forResource({ ...CONFIG_MAPS, resource: 'pods' });
    const result = await factory.waitForSync(running.signal);
    expect([result.isComplete, result.notStarted, [...result.synced]]).toEqual([
      false,
      ['v1/pods'],
      [['v1/configmaps', true]],
    ]);
    factory.start(running.signal);
    expect((await factory.waitForSync(running.signal)).isComplete).toBe(true);
    running.abort();
    await factory.shutdown();
  });
});

describe('a factory over a source of its own', () => {
  const TYPES = { kindOf: () => undefined } as unknown as ServedTypes;

  /** A source of empty collections, and the options for which it was asked. */
  function empty() {
    const asked: unknown[] = [];
    const collection = {
      list: async () => ({ items: [], resourceVersion: '1', shardSelector: 'x' }),
      watch: () => Promise.reject(new Error('not watched')),
    };
    const clock = new FakeClock();
    const source = withSurroundings(
      {
        resource: (_: unknown, options: unknown) => {
          asked.push(options);
          return collection as never;
        },
      },
      { clock },
    );
    withServedTypes(source, TYPES);
    return { source, asked, clock };
  }

  it.each<[InformerFactoryOptions, unknown[]]>([
    [{}, [{}]],
    [{ namespaces: [] }, [{}]],
    [{ namespaces: [''] }, [{ namespace: '' }]],
    [{ namespaces: ['a', 'b', 'a'] }, [{ namespace: 'a' }, { namespace: 'b' }]],
    [{ metadataOnly: false }, [{}]],
    [{ metadataOnly: true }, [{ as: 'metadata' }]],
  ])('with the options %j reads the collections %j', (options, expected) => {
    const { source, asked } = empty();
    dynamicInformerFactory(source, options).forResource(CONFIG_MAPS);
    expect(asked).toEqual(expected);
  });

  it('has the clock and the types of its source, and so have its informers', () => {
    const { source, clock } = empty();
    const made = dynamicInformerFactory(source);
    expect([surroundingsOf(made).clock, servedTypesOf(made)]).toEqual([clock, TYPES]);
    const all = [CONFIG_MAPS, deployments].map((gvr) => made.forResource(gvr).informer);
    expect(all.map((informer) => [...familyOf(informer as never)])).toEqual([all, all]);
  });

  it('says who divides a type, and of which type', async () => {
    const { source } = empty();
    const found: unknown[] = [];
    const made = dynamicInformerFactory(source, {
      sync: 'list',
      logger: silentLogger,
      shard: { index: 0, of: 2 },
      onSharding: (by, gvr) => found.push([by, gvr]),
    });
    made.forResource(CONFIG_MAPS);
    made.start(new AbortController().signal);
    await settled();
    await made.close();
    expect(found).toEqual([['server', CONFIG_MAPS]]);
  });

  it('refuses options, shards, types and signals that are none', async () => {
    const { source } = empty();
    expect(() => dynamicInformerFactory(source, { nope: 1 } as never)).toThrow('nope');
    expect(() => dynamicInformerFactory(source, { shard: { index: 2, of: 2 } })).toThrow('shard');
    const shard = new ShardSet({ of: 2, indexes: [] });
    const made = dynamicInformerFactory(source, { shard });
    expect(() => made.forResource(CONFIG_MAPS, { nope: 1 } as never)).toThrow('nope');
    expect(() => made.forResource('pods' as never)).toThrow('forResource');
    expect(() => made.start({} as never)).toThrow('signal');
    await expect(made.waitForSync(undefined, { nope: 1 } as never)).rejects.toThrow('nope');
  });
});
