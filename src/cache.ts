// The parts of an informer, each usable alone over a ListerWatcher of your own:
// `import {…} from 'kubectl-informer/cache'`.

export type { InformerMetrics } from './informer/metrics.ts';
export {
  type HandlerOptions,
  type Registration,
  type ScopedSource,
  SharedInformer,
  type SharedInformerOptions,
} from './informer/shared-informer.ts';
export type { Delta, ObjectDelta } from './informer/store/delta.ts';
export { DeltaFifo, type DeltaFifoOptions } from './informer/store/delta-fifo.ts';
export {
  Indexer,
  type IndexerOptions,
  type Indexers,
  type IndexFn,
  indexByNamespace,
  NAMESPACE_INDEX,
} from './informer/store/indexer.ts';
export { createLister, type Lister, type ListFilter, type NamespaceLister } from './informer/store/lister.ts';
export type { ValueRange } from './informer/store/value-range.ts';
export type {
  ConnectionState,
  Continuity,
  ContinuityEvent,
  Gap,
  OrderedContinuity,
  Reconnection,
  Stretch,
} from './informer/watch/continuity-ledger.ts';
export type { SyncMode } from './informer/watch/list-plan.ts';
export type { CallContext, ListerWatcher } from './informer/watch/lister-watcher.ts';
export { Reflector, type ReflectorOptions } from './informer/watch/reflector.ts';
export type { ReflectorStore } from './informer/watch/reflector-store.ts';
export { type RetryWatchOptions, retryWatch } from './informer/watch/retry-watcher.ts';
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
export type { MutableWire, MutableWireValue, Wire, WireValue } from './model/wire.ts';
