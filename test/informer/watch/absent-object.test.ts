import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import type { Representation } from '../../../src/client/resource-api.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import type { Selectors } from '../../../src/model/list-options.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../../src/testing/recording-handler.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

const pod = (name: string, labels: Record<string, string> = { app: 'web' }, phase = 'Running') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', labels },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
  status: { phase },
});

interface Way {
  readonly selectors?: Selectors;
  readonly namespace?: string;
  readonly as?: Representation;
}

/** An informer of pods over a sandbox, synced; `newest` is the object that was changed last. */
async function start({ selectors, namespace, as }: Way = {}) {
  const clock = new FakeClock();
  const sandbox = await Sandbox.start({ socket: false, clock, seed: 5 });
  sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  sandbox.apply([pod('old'), pod('other')]);
  const before = sandbox.snapshot();
  sandbox.apply(pod('newest'));
  const client = createClient(sandbox.transport(), { clock });
  const source = client.resource(PODS, { namespace, as });
  const informer = new SharedInformer<UnknownObject>(source, { clock, selectors, sync: 'list', random: () => 0 });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await clock.advance(1000);
  return {
    clock,
    sandbox,
    informer,
    before,
    keys: () => [...informer.lister.keys()].sort(),
    async [Symbol.asyncDispose]() {
      controller.abort();
      await running;
      await client.close();
      await sandbox.stop();
    },
  };
}

/** The changes that come from a watch, as a handler is given them from now on. */
function watchedBy(informer: SharedInformer<UnknownObject>): () => string[] {
  const recording = createRecordingHandler<UnknownObject>();
  informer.addHandler(recording);
  return () =>
    recording.notifications.filter(({ cause }) => cause === 'watch').map(({ kind, key }) => `${kind} ${key}`);
}

const WAYS: [string, Way][] = [
  ['all', {}],
  ['a namespace', { namespace: 'shop' }],
  ['labels', { selectors: { labelSelector: 'app=web' } }],
  ['fields', { selectors: { fieldSelector: 'status.phase=Running' } }],
  ['a name', { namespace: 'shop', selectors: { fieldSelector: 'metadata.name=newest' } }],
  ['metadata alone', { as: 'metadata' }],
  ['rows of a table', { as: { table: 'Metadata' } }],
];

describe('the newest cached object, absent after a break', () => {
  it.each(WAYS)('was deleted meanwhile: no gap is reported (%s)', async (_, way) => {
    await using world = await start(way);
    const { sandbox, clock, informer } = world;
    const restarting = sandbox.restart({ keepHistory: true, downMs: 500 });
    sandbox.delete(PODS, 'shop/newest', { gracePeriodSeconds: 0 });
    await clock.advance(3000);
    await restarting;
    for (let i = 0; i < 24; i++) await clock.advance(5000);
    expect(world.keys()).not.toContain('shop/newest');
    expect(informer.continuity[0]).toMatchObject({ gapCount: 0, relists: 0, resumes: expect.any(Number) });
    expect(informer.continuity[0]?.resumes).toBeGreaterThan(0);
  });

  it('was deleted and created again before the break, and others came after it: no gap is reported', async () => {
    await using world = await start();
    const { sandbox, clock, informer } = world;
    sandbox.delete(PODS, 'shop/newest', { gracePeriodSeconds: 0 });
    sandbox.apply(pod('newest'));
    await clock.advance(1000);
    const restarting = sandbox.restart({ keepHistory: true, downMs: 500 });
    await clock.advance(3000);
    await restarting;
    for (let i = 0; i < 24; i++) await clock.advance(5000);
    expect(world.keys()).toContain('shop/newest');
    expect(informer.continuity[0]).toMatchObject({ gapCount: 0, relists: 0 });
    expect(informer.continuity[0]?.resumes).toBeGreaterThan(0);
  });

  it.each<[string, Way, object]>([
    ['labels', { selectors: { labelSelector: 'app=web' } }, pod('newest', { app: 'db' })],
    ['fields', { selectors: { fieldSelector: 'status.phase=Running' } }, pod('newest', { app: 'web' }, 'Failed')],
  ])('only ceased to match the %s: no gap is reported', async (_, way, changed) => {
    await using world = await start(way);
    const { sandbox, clock, informer } = world;
    const restarting = sandbox.restart({ keepHistory: true, downMs: 500 });
    sandbox.apply(changed);
    await clock.advance(3000);
    await restarting;
    for (let i = 0; i < 24; i++) await clock.advance(5000);
    expect(world.keys()).toEqual(['shop/old', 'shop/other']);
    expect(informer.continuity[0]).toMatchObject({ gapCount: 0, relists: 0 });
  });

  it('its deletion arrives 20 s late, as from a server that lags: no gap is reported', async () => {
    await using world = await start();
    const { sandbox, clock, informer } = world;
    sandbox.faults.add({
      fault: { kind: 'slow', ms: 20_000 },
      match: { watch: true, path: '/pods' },
      times: Number.POSITIVE_INFINITY,
    });
    const restarting = sandbox.restart({ keepHistory: true, downMs: 500 });
    sandbox.delete(PODS, 'shop/newest', { gracePeriodSeconds: 0 });
    await clock.advance(3000);
    await restarting;
    await clock.advance(10_000);
    expect(world.keys()).toContain('shop/newest');
    for (let i = 0; i < 24; i++) await clock.advance(5000);
    expect(world.keys()).toEqual(['shop/old', 'shop/other']);
    expect(informer.continuity[0]).toMatchObject({ gapCount: 0, relists: 0 });
  });

  it.each(WAYS)(
    'never existed in the restored history, whose versions are already higher: it is relisted (%s)',
    async (_, way) => {
      await using world = await start(way);
      const { sandbox, clock, informer, before } = world;
      const restoring = sandbox.restore(before);
      await restoring;
      for (let i = 0; i < 5; i++) sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `n${i}` } });
      for (let i = 0; i < 24; i++) await clock.advance(5000);
      expect(world.keys()).not.toContain('shop/newest');
      expect(informer.continuity[0]).toMatchObject({ gapCount: 1, relists: 1 });
    },
  );

  it('never existed in the restored history of a server that does not say what it had: the doubt ends with a relist', async () => {
    await using world = await start();
    const { sandbox, clock, informer, before } = world;
    sandbox.faults.add({
      fault: { kind: 'status', code: 500 },
      match: { watch: false, path: 'resourceVersionMatch=Exact' },
      times: Number.POSITIVE_INFINITY,
    });
    await sandbox.restore(before);
    for (let i = 0; i < 5; i++) sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `n${i}` } });
    await clock.advance(3000);
    expect(world.keys()).toContain('shop/newest');
    for (let i = 0; i < 24; i++) await clock.advance(5000);
    expect(world.keys()).toEqual(['shop/old', 'shop/other']);
    expect(informer.continuity[0]).toMatchObject({ gapCount: 1, relists: 1 });
  });

  it('is another one in the restored history, whose versions are already higher: it is noticed before an event is shown', async () => {
    await using world = await start();
    const { sandbox, clock, informer, before } = world;
    const watched = watchedBy(informer);
    await sandbox.restore(before);
    for (let i = 0; i < 5; i++) sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `n${i}` } });
    sandbox.apply([pod('another'), pod('newest')]);
    await clock.advance(30_000);
    expect(watched()).toEqual([]);
    expect(informer.continuity[0]).toMatchObject({ gapCount: 1, relists: 1 });
    expect(world.keys()).toEqual(['shop/another', 'shop/newest', 'shop/old', 'shop/other']);
  });

  it('contradicts an event of a history that looked the same: neither this nor a later event is shown', async () => {
    await using world = await start();
    const { sandbox, clock, informer, before } = world;
    const watched = watchedBy(informer);
    await sandbox.restore(before);
    for (let i = 0; i < 5; i++) sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `n${i}` } });
    sandbox.apply([pod('newest'), pod('another')]);
    // the server does not say what it had at an older version
    sandbox.faults.add({
      fault: { kind: 'status', code: 500 },
      match: { watch: false, path: 'resourceVersionMatch=Exact' },
      times: Number.POSITIVE_INFINITY,
    });
    await clock.advance(30_000);
    expect(watched()).toEqual([]);
    expect(informer.continuity[0]).toMatchObject({ gapCount: 1, relists: 1 });
    expect(world.keys()).toEqual(['shop/another', 'shop/newest', 'shop/old', 'shop/other']);
  });
});
