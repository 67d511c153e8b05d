import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ContinuityEvent } from '../../src/informer/ledger.ts';
import { SharedInformer, type SharedInformerOptions } from '../../src/informer/shared-informer.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../src/testing/recording-handler.ts';
import { type Pod, pod } from '../support/objects.ts';
import { added, deleted, modified, page, ScriptedListerWatcher, ScriptedStream } from '../support/scripted-lister-watcher.ts';
import { VersionedSource } from '../support/versioned-source.ts';

const NOTHING = { missing: [], extra: [], stale: [] };

/** An informer over a collection of a/p0, a/p1, b/p2. */
async function following(options: SharedInformerOptions<Pod> = {}, namespaces?: readonly string[]) {
  const clock = new FakeClock();
  const source = new VersionedSource();
  for (const key of ['a/p0', 'a/p1', 'b/p2']) source.put(key);
  const events: ContinuityEvent[] = [];
  const scopes = namespaces?.map((namespace) => ({ namespace, source: source.resource(namespace) })) ?? [{ source: source.resource() }];
  const informer = new SharedInformer<Pod>(scopes, {
    name: 'v1/pods',
    clock,
    random: () => 0,
    idleMs: Number.POSITIVE_INFINITY,
    onContinuity: (event) => events.push(event),
    ...options,
  });
  const handler = createRecordingHandler<Pod>();
  informer.addHandler(handler);
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await clock.advance(1000);
  handler.clear();
  const stop = async () => {
    controller.abort();
    await running;
    expect([clock.pending, getEventListeners(controller.signal, 'abort')]).toEqual([0, []]);
  };
  /** Changes the server in a way the stream never tells. */
  const driftAway = () => {
    source.disturb('stall');
    source.put('a/p0', 'n2');
    source.delete('a/p1');
    source.put('b/new');
  };
  const verify = async () => {
    const verifying = informer.verify(controller.signal);
    await clock.advance(20_000);
    return verifying;
  };
  return { clock, source, informer, handler, events, stop, driftAway, verify };
}

describe('a verification', () => {
  it('finds nothing where the cache is right, and costs one list', async () => {
    const { source, informer, verify, events, stop } = await following();
    const before = source.requests.length;
    expect(await verify()).toEqual(NOTHING);
    expect(source.requests.slice(before)).toEqual(['list']);
    expect(informer.continuity[0]).toMatchObject({ verifications: 1, drifts: 0, relists: 0 });
    expect(events.map((e) => e.kind)).toEqual(['synced']);
    await stop();
  });

  it('reports what a dead stream kept from us, tells the ledger, and mends it by a relist', async () => {
    const { informer, source, handler, verify, driftAway, events, stop } = await following();
    driftAway();
    expect(await verify()).toEqual({ missing: ['b/new'], extra: ['a/p1'], stale: ['a/p0'] });
    expect(events.slice(1).map((e) => [e.kind, 'why' in e ? e.why : 'fault' in e ? e.fault : ''])).toEqual([
      ['gap', 'drift'],
      ['fault', 'drift'],
      ['relisted', 'drift'],
    ]);
    expect(String(events[2]?.kind === 'fault' && events[2].error)).toContain(
      'the cache of v1/pods differs from the server: 1 missing (b/new), 1 extra (a/p1), 1 stale (a/p0)',
    );
    expect(informer.continuity[0]).toMatchObject({ verifications: 1, drifts: 1, relists: 1, gapCount: 1 });
    expect(handler.lines.filter((line) => !line.includes('b/p2'))).toEqual([
      'deleted a/p1@3 (unknown)',
      'updated a/p0@2->5',
      'added b/new@7',
    ]);
    expect([...informer.lister.keys()].sort()).toEqual(source.state.map((s) => s.split('@')[0]));
    expect(await verify()).toEqual(NOTHING);
    await stop();
  });

  it('is confined to its namespace when each has its own source', async () => {
    const { informer, verify, driftAway, stop } = await following({}, ['a', 'b']);
    driftAway();
    expect(await verify()).toEqual({ missing: ['b/new'], extra: ['a/p1'], stale: ['a/p0'] });
    expect(informer.continuity.map((c) => c.relists)).toEqual([1, 1]);
    await stop();
  });

  it('compares what a transform leaves of the objects', async () => {
    const { verify, stop } = await following({
      transform: (o) => ({ metadata: { name: `x-${o.metadata.name}`, uid: o.metadata.uid ?? '' } }),
    });
    expect(await verify()).toEqual(NOTHING);
    await stop();
  });

  it('rejects before the first sync, and when the list fails', async () => {
    const informer = new SharedInformer<Pod>(new VersionedSource().resource(), { clock: new FakeClock() });
    await expect(informer.verify()).rejects.toMatchObject({ code: 'closed' });
    const { source, informer: other, stop } = await following();
    source.faults.push(() => new Error('no'));
    await expect(other.verify()).rejects.toMatchObject({ code: 'list', message: 'failed to list v1/pods: no' });
    await stop();
  });

  it('comes again and again when asked for, and survives a list that fails', async () => {
    const { clock, source, informer, driftAway, stop } = await following({ verifyEveryMs: 60_000 });
    source.faults.push(() => new Error('no'));
    await clock.advance(61_000);
    expect(informer.continuity[0]?.verifications).toBe(0);
    driftAway();
    await clock.advance(75_000);
    expect(informer.continuity[0]).toMatchObject({ verifications: 1, drifts: 1, relists: 1 });
    expect(source.state.map((s) => s.split('@')[0])).toEqual([...informer.lister.keys()].sort());
    await clock.advance(140_000);
    expect(informer.continuity[0]).toMatchObject({ verifications: 3, drifts: 1 });
    await stop();
  });

  it('refuses a period below 0', () => {
    expect(() => new SharedInformer<Pod>(new VersionedSource().resource(), { verifyEveryMs: -1 })).toThrow(
      'verifyEveryMs must be a number',
    );
  });
});

/** The first list has a/p0 at 1; the verifying lists show something else; what the stream brings is up to the test. */
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

describe('a difference that is none', () => {
  it('is a stream that lags', async () => {
    const { clock, stream, verifying, source, stop } = await lagging([[pod('a/p0', 2), pod('a/p1', 3)]]);
    await clock.advance(5000);
    stream.send(modified(pod('a/p0', 2)), added(pod('a/p1', 3)));
    await clock.advance(20_000);
    expect(await verifying).toEqual(NOTHING);
    expect(source.lists).toHaveLength(2);
    await stop();
  });

  it('is a cache that is ahead of the list', async () => {
    const { clock, stream, verifying, stop } = await lagging([[pod('a/p0', 1), pod('a/p1', 2)]]);
    stream.send(deleted(pod('a/p0', 5)), added(pod('a/p1', 2)));
    await clock.advance(20_000);
    expect(await verifying).toEqual(NOTHING);
    await stop();
  });

  it('is an object that came and went while we looked', async () => {
    const { clock, verifying, source, stop } = await lagging([[pod('a/p0', 1), pod('a/p1', 2)], [pod('a/p0', 1)]]);
    await clock.advance(20_000);
    expect(await verifying).toEqual(NOTHING);
    expect(source.lists).toHaveLength(3);
    await stop();
  });
});
