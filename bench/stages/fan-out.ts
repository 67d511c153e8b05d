import { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { ListerWatcher } from '../../src/informer/watch/lister-watcher.ts';
import { aborted } from '../../src/kit/abort.ts';
import type { WatchEvent } from '../../src/model/watch-event.ts';
import type { Shape } from '../generator.ts';
import type { Stage } from '../harness.ts';
import { changed, type Pod, pods } from './bodies.ts';

/** About as many events as one chunk from the network has. */
const BATCH = 10;

/** Events, decoded already, through an informer to its handlers: queue, store and delivery together. */
export function fanOut(count: number, shape: Shape): Stage {
  const objects = pods(Math.min(1000, count), shape);
  const events: WatchEvent<Pod>[] = Array.from({ length: count }, (_, i) => ({
    type: 'MODIFIED',
    object: changed(objects[i % objects.length] as Pod, i),
  }));
  return {
    unit: 'event',
    count,
    rows: [
      { name: 'baseline: a Map, and one call', run: () => direct(objects, events) },
      ...[1, 3, 10].map((handlers) => ({
        name: `an informer, ${handlers} handler${handlers > 1 ? 's' : ''}`,
        run: () => delivered(objects, events, handlers),
      })),
    ],
  };
}

function direct(objects: readonly Pod[], events: readonly WatchEvent<Pod>[]): number {
  const keyOf = ({ metadata }: Pod) => `${metadata.namespace}/${metadata.name}`;
  const store = new Map(objects.map((pod) => [keyOf(pod), pod]));
  let told = 0;
  const handler = (before: Pod | undefined, after: Pod) => {
    if (before !== after) told++;
  };
  for (const { object } of events) {
    const pod = object as Pod;
    const key = keyOf(pod);
    const before = store.get(key);
    store.set(key, pod);
    handler(before, pod);
  }
  return told;
}

async function delivered(
  objects: readonly Pod[],
  events: readonly WatchEvent<Pod>[],
  handlers: number,
): Promise<number> {
  const informer = new SharedInformer<Pod>(sourceOf(objects, events), { sync: 'list' });
  const stop = new AbortController();
  let told = 0;
  const all = new Promise<void>((resolve) => {
    const updated = () => {
      if (++told === events.length * handlers) resolve();
    };
    for (let h = 0; h < handlers; h++) informer.addHandler({ updated });
  });
  const running = informer.run(stop.signal);
  await all;
  stop.abort();
  await running;
  return told / handlers;
}

function sourceOf(objects: readonly Pod[], events: readonly WatchEvent<Pod>[]): ListerWatcher<Pod> {
  return {
    list: async () => ({ items: [...objects], resourceVersion: '1' }),
    watch: async (_, { signal }) => batches(events, signal as AbortSignal),
  };
}

async function* batches(
  events: readonly WatchEvent<Pod>[],
  signal: AbortSignal,
): AsyncGenerator<readonly WatchEvent<Pod>[]> {
  for (let at = 0; at < events.length; at += BATCH) yield events.slice(at, at + BATCH);
  await aborted(signal);
}
