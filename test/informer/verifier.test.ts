import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { SharedInformerOptions } from '../../src/informer/informer-options.ts';
import { driftError, isDrift, unreadableError, unverifiedError } from '../../src/informer/verifier.ts';
import type { ContinuityEvent } from '../../src/informer/watch/continuity-ledger.ts';
import type { FaultRule } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../src/testing/recording-handler.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess, readsOf } from '../support/in-process.ts';
import { type Pod, pod } from '../support/objects.ts';
import { added, deleted, modified, page, ScriptedListerWatcher, ScriptedStream } from '../support/scripted-events.ts';
import { SharedInformer } from '../support/store-under-test.ts';

const NOTHING = { missing: [], extra: [], stale: [] };

/** An informer over the config maps a/p0, a/p1, b/p2. With `deaf`, its first streams are silent after these objects. */
async function following(
  options: SharedInformerOptions<ConfigMap> = {},
  namespaces: readonly string[] = [''],
  { deaf = false } = {},
) {
  const { sandbox, clock, client } = await inProcess();
  const maps = new ConfigMaps(sandbox);
  for (const key of ['a/p0', 'a/p1', 'b/p2']) maps.put(key);
  if (deaf) {
    for (const namespace of namespaces) {
      // the bookmark at the end of the list counts as one
      const events = maps.keys.filter((key) => key.startsWith(namespace)).length + 1;
      const path = namespace === '' ? '/v1/configmaps' : `/${namespace}/configmaps`;
      sandbox.faults.add({ fault: { kind: 'stall', after: events }, match: { watch: true, path } });
    }
  }
  const scopes = namespaces.map((name) => {
    const namespace = name === '' ? undefined : name;
    return { namespace, source: client.resource<ConfigMap>(CONFIG_MAPS, { namespace }) };
  });
  const events: ContinuityEvent[] = [];
  const informer = new SharedInformer<ConfigMap>(scopes, {
    name: 'v1/configmaps',
    clock,
    random: () => 0,
    idleMs: Number.POSITIVE_INFINITY,
    sync: 'stream',
    onContinuity: (event) => events.push(event),
    ...options,
  });
  const handler = createRecordingHandler<ConfigMap>();
  informer.addHandler(handler);
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await clock.advance(1000);
  handler.clear();
  const stop = async () => {
    controller.abort();
    await running;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await sandbox.stop();
    expect(clock.pending).toBe(0);
  };
  /** Changes the server while the streams are silent. */
  const driftAway = () => {
    maps.put('a/p0', 'n2');
    maps.delete('a/p1');
    maps.put('b/new');
  };
  const verify = async () => {
    const verifying = informer.verify(controller.signal);
    await clock.advance(20_000);
    return verifying;
  };
  return { clock, sandbox, maps, informer, handler, events, stop, driftAway, verify };
}

const LIST_FAILS: FaultRule = { fault: { kind: 'status', code: 500 }, match: { watch: false } };
const DEAF = { deaf: true };

describe('a verification', () => {
  it('finds nothing where the cache is right, and costs one list', async () => {
    const { sandbox, informer, verify, events, stop } = await following();
    const before = readsOf(sandbox).length;
    expect(await verify()).toEqual(NOTHING);
    expect(readsOf(sandbox).slice(before)).toEqual(['list']);
    expect(informer.continuity[0]).toMatchObject({ verifications: 1, drifts: 0, relists: 0 });
    expect(events.map((e) => e.kind)).toEqual(['synced']);
    await stop();
  });

  it('reports the changes that a dead stream did not bring, records them in the ledger, and repairs the cache by a relist', async () => {
    const { informer, maps, handler, verify, driftAway, events, stop } = await following({}, [''], DEAF);
    const [before] = maps.state;
    driftAway();
    expect(await verify()).toEqual({ missing: ['b/new'], extra: ['a/p1'], stale: ['a/p0'] });
    expect(events.slice(1).map((e) => [e.kind, 'why' in e ? e.why : 'fault' in e ? e.fault : ''])).toEqual([
      ['gap', 'drift'],
      ['fault', 'drift'],
      ['relisted', 'drift'],
    ]);
    expect(String(events[2]?.kind === 'fault' && events[2].error)).toContain(
      'the cache of v1/configmaps differs from the server: 1 missing (b/new), 1 extra (a/p1), 1 stale (a/p0)',
    );
    expect(informer.continuity[0]).toMatchObject({ verifications: 1, drifts: 1, relists: 1, gapCount: 1 });
    const [p0, added] = maps.state;
    const told = handler.lines.filter((line) => !line.includes('b/p2'));
    expect(told).toEqual([
      expect.stringMatching(/^deleted a\/p1@\d+ \(unknown\)$/),
      `updated ${before}->${p0?.split('@')[1]}`,
      `added ${added}`,
    ]);
    expect([...informer.lister.keys()].sort()).toEqual(maps.keys);
    expect(await verify()).toEqual(NOTHING);
    await stop();
  });

  it('is limited to its namespace when each has its own source', async () => {
    const { informer, verify, driftAway, stop } = await following({}, ['a', 'b'], DEAF);
    driftAway();
    expect(await verify()).toEqual({ missing: ['b/new'], extra: ['a/p1'], stale: ['a/p0'] });
    expect(informer.continuity.map((c) => c.relists)).toEqual([1, 1]);
    await stop();
  });

  it('compares objects after their transform', async () => {
    const { verify, stop } = await following({
      transform: (o) => ({ metadata: { name: `x-${o.metadata.name}`, uid: o.metadata.uid ?? '' } }),
    });
    expect(await verify()).toEqual(NOTHING);
    await stop();
  });

  it('rejects before the initial sync, and when the list fails', async () => {
    const { client } = await inProcess();
    const informer = new SharedInformer(client.resource(CONFIG_MAPS), { clock: new FakeClock() });
    await expect(informer.verify()).rejects.toMatchObject({ code: 'closed' });
    const { sandbox, informer: other, stop } = await following();
    sandbox.faults.add(LIST_FAILS);
    await expect(other.verify()).rejects.toMatchObject({
      code: 'list',
      message: expect.stringMatching(/^failed to list v1\/configmaps: /),
    });
    await stop();
  });

  it('is repeated when asked for, and continues after a list that fails', async () => {
    const { clock, sandbox, maps, informer, driftAway, stop } = await following({ verifyEveryMs: 60_000 }, [''], DEAF);
    sandbox.faults.add(LIST_FAILS);
    await clock.advance(61_000);
    expect(informer.continuity[0]?.verifications).toBe(0);
    driftAway();
    await clock.advance(75_000);
    expect(informer.continuity[0]).toMatchObject({ verifications: 1, drifts: 1, relists: 1 });
    expect([...informer.lister.keys()].sort()).toEqual(maps.keys);
    await clock.advance(140_000);
    expect(informer.continuity[0]).toMatchObject({ verifications: 3, drifts: 1 });
    await stop();
  });

  it('refuses a period below 0', async () => {
    const { client } = await inProcess();
    expect(() => new SharedInformer(client.resource(CONFIG_MAPS), { verifyEveryMs: -1 })).toThrow(
      'verifyEveryMs must be a number',
    );
    expect(() => new SharedInformer(client.resource(CONFIG_MAPS), { verifyEveryMs: 0, resyncMs: 0 })).not.toThrow();
  });
});

/** The first list has a/p0 at 1. The verifying lists show another state. The test decides what the stream brings. */
async function lagging(lists: Pod[][]) {
  const clock = new FakeClock();
  const stream = new ScriptedStream<Pod>();
  const source = new ScriptedListerWatcher<Pod>()
    .onList(() => page('1', [pod('a/p0', 1)]), ...lists.map((items) => () => page('9', items)))
    .onWatch(stream);
  const informer = new SharedInformer<Pod>(source, { clock, sync: 'list', random: () => 0 });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await clock.advance(1000);
  const stop = async () => {
    controller.abort();
    await running;
  };
  return { clock, stream, informer, source, verifying: informer.verify(controller.signal), stop };
}

describe('a difference that does not count', () => {
  it('comes from a stream that lags', async () => {
    const { clock, stream, verifying, source, stop } = await lagging([[pod('a/p0', 2), pod('a/p1', 3)]]);
    await clock.advance(5000);
    stream.send(modified(pod('a/p0', 2)), added(pod('a/p1', 3)));
    await clock.advance(20_000);
    expect(await verifying).toEqual(NOTHING);
    expect(source.lists).toHaveLength(2);
    await stop();
  });

  it('comes from a cache that is ahead of the list', async () => {
    const { clock, stream, verifying, stop } = await lagging([[pod('a/p0', 1), pod('a/p1', 2)]]);
    stream.send(deleted(pod('a/p0', 5)), added(pod('a/p1', 2)));
    await clock.advance(20_000);
    expect(await verifying).toEqual(NOTHING);
    await stop();
  });

  it('comes from an object that came and went during the check', async () => {
    const { clock, verifying, source, stop } = await lagging([[pod('a/p0', 1), pod('a/p1', 2)], [pod('a/p0', 1)]]);
    await clock.advance(20_000);
    expect(await verifying).toEqual(NOTHING);
    expect(source.lists).toHaveLength(3);
    await stop();
  });
});

it('an error of drift names three keys of each kind, and shows that there are more', () => {
  const text = (count: number) => {
    const missing = Array.from({ length: count }, (_, i) => `k${i}`);
    return driftError('v1/pods', { missing, extra: [], stale: [] }).message;
  };
  expect([text(3), text(4)]).toEqual([
    'the cache of v1/pods differs from the server: 3 missing (k0, k1, k2)',
    'the cache of v1/pods differs from the server: 4 missing (k0, k1, k2 …)',
  ]);
});

it('a cache that cannot be read or compared is named with the cause, and is listed again', () => {
  const cause = new Error('damaged');
  const hint = 'the informer lists it again';
  expect(unreadableError('pods', cause)).toMatchObject({
    message: 'the cache of pods cannot be read: damaged',
    cause,
    hint,
  });
  expect(unverifiedError('pods', cause)).toMatchObject({
    message: 'the stored state of pods could not be compared with the server: damaged',
    cause,
    hint,
  });
  for (const error of [unreadableError('pods', cause), unverifiedError('pods', cause)])
    expect(isDrift(error)).toBe(true);
});
