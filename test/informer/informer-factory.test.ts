import { describe, expect, it } from 'vitest';
import { dynamicInformerFactory, type InformerFactoryOptions, type ResourceSource } from '../../src/informer/informer-factory.ts';
import type { ListerWatcher } from '../../src/informer/lister-watcher.ts';
import type { GroupVersionResource } from '../../src/model/gvr.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../src/testing/recording-handler.ts';
import { initialEnd, ScriptedListerWatcher, ScriptedStream } from '../support/scripted-lister-watcher.ts';
import { VersionedSource } from '../support/versioned-source.ts';

const pods: GroupVersionResource = { group: '', version: 'v1', resource: 'pods' };
const deployments: GroupVersionResource = { group: 'apps', version: 'v1', resource: 'deployments' };

/** Every type is served by the same source; what was asked for is written down. */
function factory(options: InformerFactoryOptions = {}, source = new VersionedSource()) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const resources: ResourceSource = {
    resource: (gvr, { namespace }) => {
      asked.push(`${gvr.resource} ${namespace ?? '*'}`);
      return source.resource(namespace) as unknown as ListerWatcher<never>;
    },
  };
  const made = dynamicInformerFactory(resources, { clock, random: () => 0, ...options });
  const controller = new AbortController();
  return { factory: made, source, clock, asked, controller };
}

it('gives one informer per type, starts each once, and those asked for later at the next start [FAC-01]', async () => {
  const { factory: informers, source, controller } = factory();
  const first = informers.forResource(pods);
  expect(informers.forResource(pods)).toEqual(first);
  expect(informers.forResource(pods).informer).toBe(first.informer);
  informers.start(controller.signal);
  informers.start(controller.signal);
  const second = informers.forResource(deployments);
  await settled();
  expect(source.requests).toEqual(['stream']);
  expect([first.informer.isStarted, second.informer.isStarted]).toEqual([true, false]);
  informers.start(controller.signal);
  await settled();
  expect(second.informer.hasSynced).toBe(true);
  controller.abort();
  await informers.shutdown();
});

it('waits for those that were started and no others [FAC-02]', async () => {
  const { factory: informers, controller } = factory();
  informers.forResource(pods);
  informers.start(controller.signal);
  informers.forResource(deployments);
  const result = await informers.waitForSync();
  expect([...result.synced]).toEqual([['v1/pods', true]]);
  expect(result.asError()).toBeUndefined();
  controller.abort();
  await informers.shutdown();
});

it('of one namespace hears nothing of another [FAC-04]', async () => {
  const { factory: informers, source, controller } = factory({ namespaces: ['ns-foo'] });
  const { informer } = informers.forResource(pods);
  const handler = createRecordingHandler<never>();
  informer.addHandler(handler as never);
  informers.start(controller.signal);
  await settled();
  source.put('ns-bar/x');
  await settled();
  expect(handler.notifications).toEqual([]);
  source.put('ns-foo/x');
  await settled();
  expect(handler.lines).toEqual(['synced', 'added ns-foo/x@3']);
  controller.abort();
  await informers.shutdown();
});

it('of several namespaces watches each by itself behind one lister', async () => {
  const { factory: informers, source, asked, controller } = factory({ namespaces: ['a', 'b', 'a'] });
  for (const key of ['a/x', 'b/y', 'c/z']) source.put(key);
  const { lister } = informers.forResource(pods);
  informers.start(controller.signal);
  await informers.waitForSync(controller.signal);
  expect(asked).toEqual(['pods a', 'pods b']);
  expect([...lister.keys()].sort()).toEqual(['a/x', 'b/y']);
  controller.abort();
  await informers.shutdown();
});

it('reaches sync on a bare end bookmark [FAC-06]', async () => {
  const source = new ScriptedListerWatcher<never>().onWatch(new ScriptedStream<never>().send(initialEnd(3)));
  const informers = dynamicInformerFactory({ resource: () => source }, { clock: new FakeClock() });
  const { informer } = informers.forResource(pods);
  const controller = new AbortController();
  informers.start(controller.signal);
  await settled();
  expect([informer.hasSynced, source.trace]).toEqual([true, ['stream']]);
  controller.abort();
  await informers.shutdown();
});

it('puts its selectors into every request [FAC-05]', async () => {
  const source = new ScriptedListerWatcher<never>();
  const informers = dynamicInformerFactory(
    { resource: () => source },
    { clock: new FakeClock(), listOptions: { labelSelector: 'app=web' } },
  );
  informers.forResource(pods);
  const controller = new AbortController();
  informers.start(controller.signal);
  await settled();
  expect(source.requests[0]).toMatchObject({ labelSelector: 'app=web' });
  controller.abort();
  await informers.shutdown();
});

describe('waiting for sync', () => {
  it('says which informer is late and why when time runs out [SHI-31]', async () => {
    const { factory: informers, source, clock, controller } = factory({ sync: 'list' });
    source.faults.push(...Array.from({ length: 50 }, () => () => new Error('pods is forbidden')));
    informers.forResource(pods);
    informers.start(controller.signal);
    const waiting = informers.waitForSync(controller.signal, { timeoutMs: 5000 });
    await clock.advance(5000);
    const error = (await waiting).asError();
    expect(error?.message).toBe('failed to sync all caches: v1/pods: no sync within 5s');
    expect(error?.hint).toBe('v1/pods: failed to list v1/pods: pods is forbidden');
    controller.abort();
    await informers.shutdown();
  });

  it('leaves no timer behind when all is well', async () => {
    const { factory: informers, clock, controller } = factory();
    informers.forResource(pods);
    informers.start(controller.signal);
    const before = clock.pending;
    expect((await informers.waitForSync(controller.signal, { timeoutMs: 60_000 })).isComplete).toBe(true);
    controller.abort();
    await informers.shutdown();
    expect([before > 0, clock.pending]).toEqual([true, 0]);
  });
});

it('starts nothing after its shutdown, which waits for the informers to end', async () => {
  const { factory: informers, source, controller } = factory();
  informers.forResource(pods);
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
  expect(source.requests).toHaveLength(1);
});

it('applies its transform to every type', async () => {
  const {
    factory: informers,
    source,
    controller,
  } = factory({
    transform: (object) => {
      object.metadata.labels = { seen: 'yes' };
      return object;
    },
  });
  source.put('a/x');
  const { lister } = informers.forResource(pods);
  informers.start(controller.signal);
  await informers.waitForSync();
  expect(lister.list({ selector: 'seen=yes' })).toHaveLength(1);
  controller.abort();
  await informers.shutdown();
});

it('refuses all namespaces beside others', () => {
  expect(() => factory({ namespaces: ['', 'a'] })).toThrow('namespaces must not name all namespaces');
});
