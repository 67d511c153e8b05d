import type { Cached } from '../../src/informer/compact/packed-object.ts';
import { type PipelineOptions, SourcePipeline } from '../../src/informer/source-pipeline.ts';
import { applyDeltas } from '../../src/informer/store/apply-deltas.ts';
import type { ListerWatcher } from '../../src/informer/watch/lister-watcher.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import type { FakeClock } from '../../src/testing/fake-clock.ts';
import type { Pod } from './objects.ts';
import { Indexer } from './store-under-test.ts';

/** A lane over pods that is not started, with a store of its own. */
export function laneOver(
  source: ListerWatcher<Pod>,
  clock: FakeClock,
  { reflector, ...options }: Partial<PipelineOptions<Cached<Pod>>> = {},
) {
  const store = new Indexer<Pod>();
  return new SourcePipeline<Cached<Pod>>(source, {
    namespace: undefined,
    clock,
    logger: silentLogger,
    reflector: {
      name: 'v1/pods',
      clock,
      sync: 'list',
      random: () => 0,
      logger: silentLogger,
      idleMs: 1e9,
      ...reflector,
    },
    atStart: () => ({ transform: undefined, resyncMs: 0 }),
    apply: async (deltas, context) => void applyDeltas(deltas, store, context),
    onOrderedContinuity: () => {},
    cache: store,
    verifyEveryMs: 0,
    room: () => undefined,
    onSynced: () => {},
    ...options,
  });
}
