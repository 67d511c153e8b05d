// The parts of an informer, each usable alone over a ListerWatcher of your own: `import {…} from 'kubectl-informer/cache'`.
export type { Delta, ObjectDelta } from './informer/delta.ts';
export { DeltaFifo, type DeltaFifoOptions } from './informer/delta-fifo.ts';
export { Indexer, type IndexerOptions, type Indexers, type IndexFn, indexByNamespace, NAMESPACE_INDEX } from './informer/indexer.ts';
export type { ConnectionState, Continuity, ContinuityEvent, Gap, OrderedContinuity, Reconnection, Stretch } from './informer/ledger.ts';
export type { SyncMode } from './informer/list-plan.ts';
export { createLister, type Lister, type ListFilter, type NamespaceLister } from './informer/lister.ts';
export type { CallContext, ListerWatcher } from './informer/lister-watcher.ts';
export type { InformerMetrics } from './informer/metrics.ts';
export { Reflector, type ReflectorOptions } from './informer/reflector.ts';
export type { ReflectorStore } from './informer/reflector-store.ts';
export { type RetryWatchOptions, retryWatch } from './informer/retry-watcher.ts';
export {
  type HandlerOptions,
  type Registration,
  type ScopedSource,
  SharedInformer,
  type SharedInformerOptions,
} from './informer/shared-informer.ts';
export type { ValueRange } from './informer/value-range.ts';
export { type Clock, systemClock, type Timer } from './kit/clock.ts';
export { type ErrorCode, InformerError, isInformerError } from './kit/error.ts';
export { ExplicitKey, joinKey, keyOf, type ObjectKey, splitKey } from './model/key.ts';
export type { ListOptions, Selectors, WatchOptions } from './model/list-options.ts';
export {
  type DeepReadonly,
  type KubeObject,
  type ListPage,
  type ObjectMeta,
  type OwnerReference,
  type ReadonlyObject,
  Tombstone,
  type UnknownObject,
} from './model/object.ts';
export type { ResourceVersion } from './model/resource-version.ts';
export { INITIAL_EVENTS_END, type WatchEvent } from './model/watch-event.ts';
export type { Wire } from './model/wire.ts';
