// The library: `import {…} from 'kubectl-informer'`, by topic. The parts of an informer are in ./cache, the types of hooks in
// ./hooks, the API server for tests in ./sandbox, and every further type that a declaration names in ./types.

// # Connecting and requests

export { type Client, type ClientOptions, createClient } from './client/client.ts';
export { type ClusterConfig, createConfig } from './client/config/cluster-config.ts';
export { fencedTransport } from './client/http/fenced-transport.ts';
export type { Transport } from './client/http/transport.ts';
export { loadConfig } from './client/kubeconfig.ts';
export type { ResourceApi } from './client/resource-api.ts';

// # Informers and their caches

export { createFilteringHandler } from './informer/handlers/filtering-handler.ts';
export type { InformerHandler } from './informer/handlers/notification.ts';
export type { Registration } from './informer/handlers/registration.ts';
export {
  dynamicInformerFactory,
  type InformerFactory,
  type InformerFactoryOptions,
  type InformerHandle,
} from './informer/informer-factory.ts';
export { SharedInformer } from './informer/shared-informer.ts';
export type { Lister } from './informer/store/lister.ts';
export { SyncResult, waitForSync } from './informer/sync-result.ts';
export type { Continuity } from './informer/watch/continuity-ledger.ts';
export { keepYoungGenerationSmall } from './kit/young-generation.ts';
export { Tombstone } from './model/object.ts';

// # Objects, their types, names and numbers

export { compileJsonPath } from './expr/jsonpath/jsonpath.ts';
export { HugeNumber, jsonText, parseJson } from './kit/exact-json.ts';
export { FieldSelector } from './model/field-selector.ts';
export { formatGroupResource, formatGvr, type GroupVersionResource, parseGvr, type TypedGvr } from './model/gvr.ts';
export { keyOf, type ObjectKey, splitKey } from './model/key.ts';
export { LabelSelector } from './model/label-selector.ts';
export type {
  DeepReadonly,
  KubeObject,
  ObjectMeta,
  OwnerReference,
  ReadonlyKubeObject,
  ReadonlyObject,
  UnknownObject,
} from './model/object.ts';
export { parseQuantity } from './model/quantity.ts';
export type { ResourceType } from './model/resource-type.ts';
export type { MutableWire, Wire, WithMetadata } from './model/wire.ts';

// # Controllers

export { type ControllerBuilder, controllerFor } from './controller/builder/controller-builder.ts';
export { controllerForKeys, type KeyedControllerBuilder } from './controller/builder/keyed-builder.ts';
export { clusterKey, recordKey } from './controller/builder/typed-keys.ts';
export { type Controller, createController } from './controller/controller.ts';
export type { ControllerOptions } from './controller/controller-options.ts';
export { OwnWrites } from './controller/history/own-writes.ts';
export { createManager, type Manager, type ManagerOptions } from './controller/manager/manager.ts';
export type { Runnable } from './controller/manager/runnable.ts';
export {
  createObjectReconciler,
  type ReconcileContext,
  type ReconcileRequest,
  type Reconciler,
  type Result as ReconcileResult,
  StopError,
  TerminalError,
} from './controller/reconciler.ts';
export type { ResourceEvent } from './controller/resource-event.ts';
export { type Enqueuer, enqueueMapped, enqueueOwner, enqueueSelf } from './controller/sources/enqueue.ts';
export { createInformerSource } from './controller/sources/informer-source.ts';
export { createEventSource, createTimerSource, type Source as KeySource } from './controller/sources/source.ts';

// # Predicates

export {
  andPredicate,
  annotationsChanged,
  changedPredicate,
  finalizersChanged,
  generationChanged,
  labelledPredicate,
  labelSelectorPredicate,
  labelsChanged,
  notPredicate,
  objectPredicate,
  orPredicate,
  type Predicate,
  predicateOf,
  resourceVersionChanged,
  specChanged,
  statusChanged,
  updatePredicate,
} from './controller/sources/predicate.ts';

// # Writes

export { createFinalizerReconciler } from './controller/finalizer-reconciler.ts';
export { ApplyConflictError } from './controller/writes/apply-conflict.ts';
export {
  type Condition,
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
} from './controller/writes/conditions.ts';
export { createOrPatch, createOrUpdate } from './controller/writes/create-or-update.ts';
export {
  addFinalizer,
  addFinalizerPatch,
  containsFinalizer,
  finalizerStep,
  removeFinalizer,
  removeFinalizerPatch,
} from './controller/writes/finalizer.ts';
export {
  AlreadyOwnedError,
  controllerOf,
  ownerReference,
  removeControllerReference,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './controller/writes/owner-references.ts';
export { DEFAULT_BACKOFF, DEFAULT_RETRY, retryOnConflict, retryOnError } from './controller/writes/retry.ts';
export { serverSideApply } from './controller/writes/server-side-apply.ts';
export { updateStatus } from './controller/writes/update-status.ts';
export type { ApplyConfiguration } from './model/write-body.ts';

// # Leader election, sharding and Events

export type { LeaderElectorOptions } from './controller/election/elector-options.ts';
export { LeaderElector } from './controller/election/leader-elector.ts';
export { EventRecorder, type EventRecorderOptions } from './controller/events/event-recorder.ts';
export { ShardElector } from './controller/sharding/shard-elector.ts';
export type { ShardElectorOptions } from './controller/sharding/shard-options.ts';
export { ShardSet } from './model/shard-set.ts';

// # Waits

export {
  exists,
  hasCondition,
  isCurrent,
  isDeleted,
  ObjectCondition,
  rolledOut,
} from './stream/until/object-condition.ts';
export { type UntilOptions, untilCondition } from './stream/until/until-condition.ts';

// # The work queue

export {
  BucketRateLimiter,
  createControllerRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  WithMaxWaitRateLimiter,
} from './workqueue/rate-limiter.ts';
export { LOW_PRIORITY, type WorkItem, WorkQueue, type WorkQueueOptions } from './workqueue/work-queue.ts';

// # Errors

export { InformerError, isInformerError } from './kit/error.ts';
export {
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isThrottled,
  isUnauthorized,
  type Status,
  StatusError,
} from './model/status.ts';

// # Logs, metrics, health and time

export { type Clock, systemClock } from './kit/clock.ts';
export { consoleLogger, createLogger, type Logger, silentLogger } from './kit/logger.ts';
export type { MetricsProvider } from './kit/metrics.ts';
export { createOpsServer } from './ops/ops-server.ts';
export { createPrometheusMetrics } from './ops/prometheus.ts';

// # Records of watch -o json

export type { EventEnvelope } from './stream/envelope.ts';
