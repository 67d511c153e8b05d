// The parts of an informer, each usable alone over a ListerWatcher of your own:
// `import {…} from 'kubectl-informer/cache'`.

export type { StoreKind, StoreMemory } from './informer/compact/compact-store.ts';
export type { InformerEvent } from './informer/handlers/event-iterator.ts';
export type { QueuePolicy } from './informer/handlers/listener.ts';
export type {
  AddedDetails,
  DeletedDetails,
  InformerHandler,
  InformerNotification,
  NotificationCause,
  NotificationPlace,
  UpdatedDetails,
} from './informer/handlers/notification.ts';
export type { HandlerOptions, Registration } from './informer/handlers/registration.ts';
export type { ScopedSource, SharedInformerOptions } from './informer/informer-options.ts';
export type { InformerMetrics } from './informer/metrics.ts';
export { SharedInformer } from './informer/shared-informer.ts';
export type { StateChange } from './informer/state-change.ts';
export type { Delta, ObjectDelta } from './informer/store/delta-fifo.ts';
export { DeltaFifo, type DeltaFifoOptions, type ProcessDeltas } from './informer/store/delta-fifo.ts';
export {
  Indexer,
  type IndexerOptions,
  type ScanOptions,
  type StoreOperation,
  type TransactionResult,
} from './informer/store/indexer.ts';
export { createLister, type Lister, type ListFilter, type NamespaceLister } from './informer/store/lister.ts';
export {
  type Indexers,
  type IndexFn,
  indexByNamespace,
  NAMESPACE_INDEX,
} from './informer/store/object-index.ts';
export type { ReplaceObserver, ReplaceOptions } from './informer/store/replacement.ts';
export type { ValueRange } from './informer/store/value-range.ts';
export type { Syncable } from './informer/sync-result.ts';
export type { Drift } from './informer/verifier.ts';
export type {
  ConnectionState,
  Continuity,
  ContinuityEvent,
  ContinuityLedger,
  Gap,
  LedgerOptions,
  OrderedContinuity,
  Reconnection,
  SourceFault,
  StoreRefusal,
  Stretch,
  StretchOrigin,
} from './informer/watch/continuity-ledger.ts';
export type { CacheView } from './informer/watch/history-check.ts';
export type { SyncMode } from './informer/watch/list-plan.ts';
export type { CallContext, CollectionChange, ListerWatcher } from './informer/watch/lister-watcher.ts';
export type { ListProgress } from './informer/watch/pager.ts';
export { Reflector } from './informer/watch/reflector.ts';
export type { ReflectorOptions } from './informer/watch/reflector-options.ts';
export type { ReflectorStore } from './informer/watch/reflector-store.ts';
export { type RetryWatchOptions, retryWatch } from './informer/watch/retry-watcher.ts';
export { ShardedSource, type ShardedSourceOptions, shardingOf } from './informer/watch/sharded-source.ts';
export type { StoredState } from './informer/watch/stored-state.ts';
export type { WatchFault } from './informer/watch/watch-fault.ts';
export type { WatchEnding } from './informer/watch/watch-machine.ts';
export type { BackoffOptions } from './kit/backoff.ts';
export { type Clock, systemClock, type Timer } from './kit/clock.ts';
export { type ErrorCode, InformerError, type InformerErrorOptions, isInformerError } from './kit/error.ts';
export type { LogFields, Logger } from './kit/logger.ts';
export type { Counter, Gauge, Histogram, MetricLabels, MetricsProvider } from './kit/metrics.ts';
export type { RandomSource } from './kit/random.ts';
export type { GroupResource, GroupVersionKind, GroupVersionResource } from './model/gvr.ts';
export { ExplicitKey, joinKey, keyOf, type ObjectKey, splitKey } from './model/key.ts';
export { type LabelOperator, type LabelRequirement, LabelSelector } from './model/label-selector.ts';
export type { ListOptions, PartSelector, Selectors, WatchOptions } from './model/list-options.ts';
export {
  type DeepReadonly,
  type KubeObject,
  type ListPage,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
  type ReadonlyKubeObject,
  type ReadonlyObject,
  Tombstone,
  type UnknownObject,
} from './model/object.ts';
export type { ResourceVersion } from './model/resource-version.ts';
export type { Shard, ShardedBy, ShardedKey, ShardedObject, Sharding } from './model/shard.ts';
export { type ShardParts, ShardSet, type ShardSetOptions } from './model/shard-set.ts';
export type { Status, StatusCause } from './model/status.ts';
export type { UnwantedObjects } from './model/unwanted-objects.ts';
export { INITIAL_EVENTS_END, type WatchEvent } from './model/watch-event.ts';
export type {
  DashedName,
  MutableWire,
  MutableWireValue,
  Wire,
  WireName,
  WireValue,
  WithMetadata,
} from './model/wire.ts';
