import { afterEach, describe, expect, it } from 'vitest';
import type { Cached } from '../../src/informer/compact/packed-object.ts';
import type { SourcePipeline } from '../../src/informer/source-pipeline.ts';
import { applyDeltas } from '../../src/informer/store/apply-deltas.ts';
import { isObjectDelta } from '../../src/informer/store/delta-fifo.ts';
import type { ListPage } from '../../src/model/object.ts';
import type { WatchEvent } from '../../src/model/watch-event.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { laneOver } from '../support/lane.ts';
import { type Pod, pod } from '../support/objects.ts';
import {
  added,
  bookmark,
  deleted,
  modified,
  networkError,
  page,
  ScriptedListerWatcher,
  ScriptedStream,
  unreachable,
} from '../support/scripted-events.ts';
import { Indexer } from '../support/store-under-test.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Runs a lane until the test ends. */
function run(lane: SourcePipeline<Cached<Pod>>): void {
  const controller = new AbortController();
  const running = lane.run(controller.signal);
  ends.push(async () => {
    controller.abort();
    await running;
  });
}

/**
 * A lane over a pod shop/a at version 3 and a stream that brings `first` and ends, or breaks where the server has another
 * state `now`. The next one goes on from there, and brings `second`, each event by itself. It ends too if it `isShort`,
 * when the server is away for a moment. These events are applied afterwards. Returns the lists after the first one: one,
 * if they contradict the cache.
 */
async function resumed(
  first: WatchEvent<Pod>[],
  second: WatchEvent<Pod>[],
  {
    refused,
    isShort = false,
    now,
  }: { refused?: string; isShort?: boolean; now?: () => Promise<ListPage<unknown>> } = {},
) {
  const clock = new FakeClock();
  const [one, two] = [new ScriptedStream<Pod>(), new ScriptedStream<Pod>()];
  const source = new ScriptedListerWatcher<Pod>().onList(() => page('5', [pod('shop/a', 3)]));
  source.onWatch(one, two, unreachable(), new ScriptedStream<Pod>()).onProbe(now ?? unreachable());
  const store = new Indexer<Pod>();
  const versions: string[] = [];
  const changes: string[] = [];
  let gate: Promise<void> | undefined;
  const lane = laneOver(source, clock, {
    cache: store,
    apply: async (deltas, context) => {
      await gate;
      const { notifications, error } = applyDeltas(deltas, store, context);
      changes.push(...notifications.map(({ kind, key }) => `${kind} ${key}`));
      if (deltas.some((delta) => isObjectDelta(delta) && delta.key === refused))
        lane.refused(new Error('no'), 'dropped', 1);
      if (error) throw error;
    },
    onState: ({ resourceVersion }) => versions.push(resourceVersion),
  });
  run(lane);
  await clock.advance(2000);
  one.send(...first);
  await clock.advance(2000);
  if (now) one.break(networkError('ECONNRESET'));
  else one.close();
  await clock.advance(100);
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  for (const event of second) {
    two.send(event);
    await settled();
  }
  if (isShort) two.close();
  await settled();
  resolve();
  const seen = versions.length;
  await settled();
  const keys = [...store.keys()];
  const states = versions.slice(seen);
  await clock.advance(isShort ? 5000 : 10);
  return { lists: source.trace.filter((each) => each.startsWith('list')).slice(1), keys, states, changes };
}

describe('an event of a resumed stream', () => {
  const [a6, b7] = [modified(pod('shop/a', 6)), modified(pod('shop/b', 7))];

  it('contradicts the cache: nothing more is applied, and the state is listed', async () => {
    const { lists, changes, states } = await resumed([a6], [b7, added(pod('shop/c', 8))]);
    const expected = ['added shop/a', 'updated shop/a', 'updated shop/a'];
    expect([lists, changes, states]).toEqual([['list'], expected, ['5']]); // the state of the list
  });

  it('contradicts the cache after its stream has ended: the next one is closed, and the state is listed', async () => {
    const { lists, keys } = await resumed([a6], [b7], { isShort: true });
    expect([lists, keys]).toEqual([['list'], ['shop/a']]);
  });

  it.each<[string, WatchEvent<Pod>[]]>([
    ['at once', []],
    ['after a bookmark', [bookmark(6)]],
  ])('that comes twice is no contradiction, %s', async (_, between) => {
    const gone = deleted(pod('shop/a', 6));
    const { lists, keys } = await resumed([added(pod('shop/b', 5)), gone, ...between], [gone, added(pod('shop/c', 8))]);
    expect([lists, keys]).toEqual([[], ['shop/b', 'shop/c']]);
  });

  it('proves nothing where the cache refused a single change', async () => {
    const { lists, keys } = await resumed([a6], [b7], { refused: 'shop/a' });
    expect([lists, keys]).toEqual([[], ['shop/a', 'shop/b']]);
  });

  it.each([
    [undefined, ['list']],
    ['shop/a', []],
  ])(
    'is not looked for where the present state contradicts the cache, unless that refused %s',
    async (refused, expected) => {
      const now = async () => page('9', [pod('shop/z', 2)]);
      const { lists } = await resumed([a6], [], { now, ...(refused && { refused }) });
      expect(lists).toEqual(expected);
    },
  );

  it('contradicts nothing on a stream that follows a list', async () => {
    const { lists, keys } = await resumed([b7], []);
    expect([lists, keys]).toEqual([[], ['shop/a', 'shop/b']]);
  });

  it('at a version before that of the stream shows another history', async () => {
    const { lists } = await resumed([a6], [added(pod('shop/c', 5))]);
    expect(lists).toEqual(['list']);
  });
});
