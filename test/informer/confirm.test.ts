import { describe, expect, it } from 'vitest';
import type { SharedInformerOptions } from '../../src/informer/informer-options.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../support/objects.ts';
import { page, refuse, ScriptedListerWatcher, ScriptedStream, throttled } from '../support/scripted-events.ts';
import { SharedInformer } from '../support/store-under-test.ts';

/** An informer over these pods at version 5. The next lists have `fresh`, at version 9. */
async function following(cached: Pod[], fresh: Pod[], options: SharedInformerOptions<Pod> = {}) {
  const clock = new FakeClock();
  const stream = new ScriptedStream<Pod>();
  const source = new ScriptedListerWatcher<Pod>().onList(() => page('5', cached)).onWatch(stream);
  source.onProbe(() => page('9', fresh));
  const informer = new SharedInformer<Pod>(source, { clock, sync: 'list', random: () => 0, ...options });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await clock.advance(1000);
  const confirm = async () => {
    const confirming = informer.confirm(controller.signal);
    confirming.catch(() => {}); // it is awaited below
    await clock.advance(1000);
    return await confirming;
  };
  const [continuity] = informer.continuity;
  const stop = async () => {
    controller.abort();
    await running;
  };
  return { clock, stream, source, informer, continuity, confirm, stop, signal: controller.signal };
}

const [a, b] = [pod('shop/a', 3), pod('shop/b', 4)];

describe('a cache is confirmed', () => {
  it('by a list with the same objects, at the version of that list, which counts as a sign of life', async () => {
    const { clock, source, confirm, continuity, stop } = await following([a, b], [b, a]);
    await clock.advance(7000);
    expect(await confirm()).toEqual([{ resourceVersion: '9', differing: 0 }]);
    expect([continuity?.verifications, continuity?.drifts]).toEqual([1, 0]);
    expect(continuity?.ageMs).toBe(1000);
    expect(source.trace).toEqual(['list 0', 'watch 5', 'probe']);
    await stop();
  });
});

describe('a cache is not confirmed', () => {
  it.each<[string, Pod[], Pod[], number]>([
    ['an object that it does not have', [a], [a, b], 1],
    ['an object less', [a, b], [a], 1],
    ['another version of an object', [a, b], [a, pod('shop/b', 8)], 1],
    ['three differences', [a, b], [pod('shop/a', 8), pod('shop/c', 8)], 3],
  ])('by a list with %s; nothing is repaired and nothing counts as proof', async (_, cached, fresh, differing) => {
    const { confirm, continuity, informer, source, stop } = await following(cached, fresh);
    const before = continuity?.lastSignOfLife;
    expect(await confirm()).toEqual([{ resourceVersion: '9', differing }]);
    expect([continuity?.verifications, continuity?.drifts, continuity?.gapCount]).toEqual([0, 0, 0]);
    expect(continuity?.lastSignOfLife).toBe(before);
    expect(informer.lister.list()).toHaveLength(cached.length);
    expect(source.lists).toHaveLength(1);
    await stop();
  });

  it('by another object of the same name and version', async () => {
    const other = { ...a, metadata: { ...a.metadata, uid: 'other' } };
    const { confirm, stop } = await following([a], [other]);
    expect(await confirm()).toEqual([{ resourceVersion: '9', differing: 1 }]);
    await stop();
  });

  it('by a list that fails, nor before the initial sync', async () => {
    const { source, confirm, continuity, stop, signal } = await following([a], [a]);
    source.onProbe(refuse(throttled()), refuse(throttled()));
    await confirm(); // the first answer is used up
    await expect(confirm()).rejects.toMatchObject({ code: 'list' });
    expect(continuity?.verifications).toBe(1);
    const early = new SharedInformer<Pod>(new ScriptedListerWatcher<Pod>(), { clock: new FakeClock() });
    expect(await early.confirm(signal).catch(({ code }) => code)).toBe('closed');
    await stop();
  });
});
