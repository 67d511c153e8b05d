import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import type { SharedInformerOptions } from '../../src/informer/informer-options.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { ContinuityEvent } from '../../src/informer/watch/continuity-ledger.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { type RandomSource, seededRandom } from '../../src/kit/random.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { isNotFound } from '../../src/model/status.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../src/testing/recording-handler.ts';
import { APPLES, CONFIG_MAPS, type Collection } from './collections.ts';

let clock: FakeClock;
let sandbox: Sandbox;
let random: RandomSource;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  clock = new FakeClock();
  random = seededRandom(1);
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await sandbox.stop();
  expect(clock.pending).toBe(0);
});

async function follow(collection: Collection, options: SharedInformerOptions<UnknownObject> = {}) {
  const client = createClient(sandbox.transport(), { clock, random });
  const events: ContinuityEvent[] = [];
  const errors: unknown[] = [];
  const informer = new SharedInformer<UnknownObject>(client.resource(collection.gvr), {
    name: collection.gvr.resource,
    clock,
    random: () => 0.5,
    onContinuity: (event) => events.push(event),
    onWatchError: (error) => errors.push(error),
    ...options,
  });
  const handler = createRecordingHandler<UnknownObject>();
  informer.addHandler(handler);
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  stops.push(async () => {
    controller.abort();
    await running;
  });
  await clock.advance(1000);
  return { informer, handler, events, errors };
}

const configMap = (name: string, data = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});
const kinds = (events: readonly ContinuityEvent[]) =>
  events.map((e) => `${e.kind} ${'why' in e ? e.why : 'fault' in e ? e.fault : ''}`.trim());

describe('a stream that falls silent', () => {
  it('is noticed within 30 s and resumed at its version, without a relist or a missed change, and is an outage from its last byte on', async () => {
    const initialLines = sandbox.list(CONFIG_MAPS.gvr).length + 1; // and the bookmark
    sandbox.faults.add({ fault: { kind: 'stall', after: initialLines + 1 }, match: { watch: true } });
    const { informer, handler, events } = await follow(CONFIG_MAPS);
    sandbox.apply(configMap('seen'));
    const lastByteAt = clock.now();
    await clock.advance(1000);
    handler.clear();
    sandbox.apply(configMap('unseen'));
    const silentSince = clock.now();
    await clock.advance(17_000);
    expect(handler.lines).toEqual([]);
    await clock.advance(13_000);
    expect(kinds(events)).toEqual(['synced', 'disconnected idle', 'fault idle', 'connected idle', 'resumed idle']);
    expect(events[3]?.at).toBeLessThanOrEqual(silentSince + 30_000);
    for (const event of [events[1], events[3], events[4]]) expect(event).toMatchObject({ disconnectedAt: lastByteAt });
    expect(events[4]).toMatchObject({ downMs: (events[1]?.at ?? 0) - lastByteAt });
    expect(handler.lines.at(-1)).toMatch(/^added default\/unseen/);
    expect(informer.continuity[0]).toMatchObject({ relists: 0, gapCount: 0, resumes: 1 });
    expect(informer.continuity[0]?.stretches.map((s) => [s.by, s.ended])).toEqual([
      ['initial', undefined],
      ['stream', 'idle'],
      ['resumed', undefined],
    ]);
  });

  it('is not considered dead while bookmarks come, even without other events', async () => {
    const { informer, events } = await follow(CONFIG_MAPS);
    await clock.advance(6 * 3_600_000);
    // the server ends every watch after some minutes
    expect(new Set(kinds(events))).toEqual(new Set(['synced', 'resumed closed']));
    expect(informer.continuity[0]?.ageMs).toBeLessThanOrEqual(60_000);
  });

  it.each(['list', 'pages', 'auto'] as const)('is also noticed in the middle of a list (%s)', async (sync) => {
    sandbox.apply(['a', 'b', 'c'].map((name) => configMap(name, { text: 'x'.repeat(200_000) })));
    sandbox.faults.add({ fault: { kind: 'stall', after: 0 }, match: { path: '/configmaps', watch: false } });
    const { informer, errors } = await follow(CONFIG_MAPS, { sync });
    await clock.advance(148_000);
    expect([informer.hasSynced, errors.length]).toEqual([false, 0]);
    await clock.advance(3_000);
    expect(String(errors[0])).toContain('the list of configmaps was silent for 150s');
    await clock.advance(2_000);
    expect([informer.hasSynced, informer.lister.size]).toEqual([true, 3]);
  });

  it('does not cut a list that is slow but alive', async () => {
    sandbox.apply(Array.from({ length: 30 }, (_, i) => configMap(`o${i}`, { text: 'x'.repeat(50_000) })));
    sandbox.faults.add({ fault: { kind: 'delay', ms: 140_000 }, match: { path: '/configmaps', watch: false } });
    const { informer, errors } = await follow(CONFIG_MAPS, { sync: 'list' });
    await clock.advance(140_000);
    expect([informer.lister.size, errors]).toEqual([30, []]);
  });
});

describe('watches that a ready server refuses', () => {
  it.each([403, 500, 503, 504] as const)(
    'are open within 2 s after it accepts them again, and ask about once a second in all until then (%s)',
    async (code) => {
      const client = createClient(sandbox.transport(), { clock, random });
      const types = ['configmaps', 'secrets', 'pods', 'services', 'nodes', 'namespaces', 'events', 'endpoints'];
      const informers = types.map((resource) => {
        const source = client.resource<UnknownObject>({ group: '', version: 'v1', resource });
        return new SharedInformer<UnknownObject>(source, { name: resource, clock, random, logger: silentLogger });
      });
      const controller = new AbortController();
      const running = informers.map((informer) => informer.run(controller.signal));
      stops.push(async () => {
        controller.abort();
        await Promise.all(running);
      });
      await clock.advance(10_000);
      const refusal = sandbox.faults.add({
        fault: { kind: 'status', code },
        times: Number.POSITIVE_INFINITY,
        match: { watch: true },
      });
      await sandbox.restart({ keepHistory: true });
      await clock.advance(20_000);
      const asked = sandbox.requests.size;
      await clock.advance(40_000);
      expect(sandbox.requests.size - asked).toBeGreaterThan(25);
      // each pause is at least half a second, and /readyz may be asked too
      expect(sandbox.requests.size - asked).toBeLessThan(110);
      refusal[Symbol.dispose]();
      const { size } = sandbox.requests;
      await clock.advance(2_000);
      const opened = [...sandbox.requests]
        .slice(size)
        .filter(({ path, status }) => path.includes('watch=true') && status === 200);
      expect(opened.map(({ path }) => /\/(\w+)\?/.exec(path)?.[1]).sort()).toEqual(types.toSorted());
      await clock.advance(2_000);
      expect(informers.map((informer) => informer.continuity[0]?.connection.state)).toEqual(
        types.map(() => 'connected'),
      );
      expect(informers.map((informer) => informer.continuity[0]?.gapCount)).toEqual(types.map(() => 0));
    },
  );
});

describe('a type that comes and goes', () => {
  const apple = (name: string) => ({
    apiVersion: 'example.com/v1',
    kind: 'Apple',
    metadata: { name, namespace: 'default' },
  });
  const definition = APPLES.definition ?? {};
  const takeAway = () =>
    sandbox.delete(
      { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
      'apples.example.com',
    );

  it.each(['stream', 'list', 'pages', 'auto'] as const)(
    'is waited for with back-off, and each failure is reported (%s)',
    async (sync) => {
      const { informer, handler, errors } = await follow(APPLES, { sync });
      await clock.advance(119_000);
      expect(informer.hasSynced).toBe(false);
      expect(errors.length).toBeGreaterThan(3);
      expect(errors.length).toBeLessThan(10);
      expect(errors.every(isNotFound)).toBe(true);
      expect(isNotFound(informer.lastError)).toBe(true);
      sandbox.apply([definition, apple('fuji')]);
      await clock.advance(60_000);
      expect(informer.hasSynced).toBe(true);
      expect(handler.lines).toMatchObject([expect.stringMatching(/^added default\/fuji/), 'synced']);
      expect(informer.lastError).toBeUndefined();
    },
  );

  it('is deleted and created again: its objects vanish, the ledger has the gap, the new objects appear', async () => {
    sandbox.apply([definition, apple('fuji'), apple('gala')]);
    const { informer, handler, events } = await follow(APPLES);
    takeAway();
    await clock.advance(1000);
    expect(informer.lister.size).toBe(0);
    await clock.advance(300_000);
    expect(handler.lines.filter((line) => line.startsWith('deleted'))).toHaveLength(2);
    expect(kinds(events)).toContain('gap missing');
    expect(informer.continuity[0]?.gaps.at(-1)?.to).toBeUndefined();
    sandbox.apply([definition, apple('gala')]);
    await clock.advance(60_000);
    expect([...informer.lister.keys()]).toEqual(['default/gala']);
    expect(informer.continuity[0]?.gaps.at(-1)?.to).toBe(informer.lastSyncResourceVersion);
    expect(events.slice(-2)).toMatchObject([
      { kind: 'relisted', objects: 1 },
      { kind: 'connected', by: 'relist' },
    ]);
  });
});

it('an informer of metadata only keeps no spec and no data, and reports every change', async () => {
  const client = createClient(sandbox.transport(), { clock, random });
  const factory = dynamicInformerFactory(client, { metadataOnly: true, clock, random });
  const { informer, lister } = factory.forResource(CONFIG_MAPS.gvr);
  const handler = createRecordingHandler<UnknownObject>();
  informer.addHandler(handler);
  const controller = new AbortController();
  factory.start(controller.signal);
  await clock.advance(1000);
  sandbox.apply(configMap('x', { text: '1' }));
  await clock.advance(1000);
  sandbox.apply(configMap('x', { text: '2' }));
  await clock.advance(1000);
  expect(lister.get('default/x')).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'x' } });
  expect(lister.list().some((o) => 'data' in o)).toBe(false);
  expect(handler.lines.slice(-2)).toEqual([
    expect.stringMatching('added default/x'),
    expect.stringMatching('updated default/x'),
  ]);
  controller.abort();
  await factory.shutdown();
});
