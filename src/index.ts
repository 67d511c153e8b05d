// The library: `import {…} from 'kubectl-informer'`. Its parts on their own are in ./cache, the API server for tests in
// ./sandbox.

export * from './cache.ts';
export { type Client, type ClientOptions, createClient, type RawOptions, type ResourceStats } from './client/client.ts';
export {
  type ClusterConfig,
  type CredentialHeaders,
  type CredentialRequest,
  type Credentials,
  createConfig,
  type LoginMethod,
  type StaticConfigOptions,
  type TlsMaterial,
} from './client/config/cluster-config.ts';
export type { ConnectionFlags } from './client/config/connection-flags.ts';
export type { IncludeObject } from './client/decode/table.ts';
export type { Discovery, DiscoveryOptions } from './client/discovery/discovery.ts';
export type { DiscoveryFailure, DiscoverySnapshot } from './client/discovery/discovery-snapshot.ts';
export type { DiscoveryStore } from './client/discovery/discovery-store.ts';
export type { DiscoverySource, RestMapper } from './client/discovery/rest-mapper.ts';
export type { ServerVersion } from './client/discovery/server-version.ts';
export { fencedTransport } from './client/http/fenced-transport.ts';
export type { ThrottledWait, TransportOptions } from './client/http/http-transport.ts';
export type { ExchangeObserver } from './client/http/one-shot-silence.ts';
export type { WatchTurns } from './client/http/refused-watches.ts';
export type { TrafficCounter, TrafficStats } from './client/http/traffic.ts';
export type { Transport, TransportRequest, TransportResponse } from './client/http/transport.ts';
export { type LoadConfigOptions, loadConfig } from './client/kubeconfig.ts';
export type {
  CallOptions,
  CollectionSelection,
  DeleteOptions,
  NamedWriteOptions,
  PatchOptions,
  ReadContext,
  Representation,
  ResourceApi,
  ResourceApiOptions,
  WriteOptions,
} from './client/resource-api.ts';
export type { IsNamespaced } from './client/scope-error.ts';
export { type Controller, createController } from './controller/controller.ts';
export type { ControllerOptions } from './controller/controller-options.ts';
export type { ControllerSnapshot, WithFailures } from './controller/controller-snapshot.ts';
export type { ElectionRecorder, LeaderElectorOptions } from './controller/election/elector-options.ts';
export { LeaderElector } from './controller/election/leader-elector.ts';
export type { LeaseCall, LeaseClient, LeaseResource } from './controller/election/lease-lock.ts';
export {
  type EventClient,
  type EventCounts,
  type EventOptions,
  EventRecorder,
  type EventRecorderOptions,
  type EventResource,
} from './controller/events/event-recorder.ts';
export type { EventSubject, RecordedType } from './controller/events/kube-event.ts';
export type {
  ControllerFacts,
  ControllerPhase,
  KeyExplanation,
  KeyState,
  LastChange,
} from './controller/explanation.ts';
export {
  type Cleanup,
  createFinalizerReconciler,
  type FinalizerClient,
  type FinalizerReconcilerOptions,
  type FinalizerResource,
} from './controller/finalizer-reconciler.ts';
export type { EventOrigin, Note as CauseNote, ReconcileCause } from './controller/history/causes.ts';
export { OwnWrites } from './controller/history/own-writes.ts';
export type { Parked } from './controller/history/parked.ts';
export type {
  DelayReason,
  EventEffect,
  EventEntry,
  HotLoopEntry,
  ManualEntry,
  RunEntry,
  RunOutcome,
  SkippedEntry,
  SkippedEvent,
  SkipReason,
  TrailEntry,
} from './controller/history/trail.ts';
export type { ManagerCheck, ManagerCheckResult } from './controller/manager/checks.ts';
export {
  type AddRunnableOptions,
  createManager,
  type HealthReport,
  type Manager,
  type ManagerElection,
  type ManagerOptions,
} from './controller/manager/manager.ts';
export type { Runnable, RunnableGroup } from './controller/manager/runnable.ts';
export {
  createObjectReconciler,
  type ReconcileContext,
  type ReconcileRequest,
  type Reconciler,
  type Result as ReconcileResult,
  StopError,
  TerminalError,
} from './controller/reconciler.ts';
export type { CachedObject, ResourceEvent } from './controller/resource-event.ts';
export { ShardElector } from './controller/sharding/shard-elector.ts';
export type { HeldShard, ShardElectorOptions, ShardOverview } from './controller/sharding/shard-options.ts';
export {
  type Enqueuer,
  enqueueMapped,
  enqueueOwner,
  enqueueSelf,
  type OwnerType,
} from './controller/sources/enqueue.ts';
export { createInformerSource, type WatchedInformer } from './controller/sources/informer-source.ts';
export {
  andPredicate,
  annotationsChanged,
  changedPredicate,
  finalizersChanged,
  type GeneralPredicate,
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
export {
  createEventSource,
  createTimerSource,
  type Emit as EmitKey,
  type EventFeed,
  type Source as KeySource,
  type SourceContext,
  type SourceOptions,
  type Subscription as FeedSubscription,
  type TimerSourceOptions,
} from './controller/sources/source.ts';
export type { SourceReport } from './controller/sources/source-report.ts';
export { ApplyConflictError, type FieldConflict } from './controller/writes/apply-conflict.ts';
export {
  type AnyCondition,
  type Condition,
  findCondition,
  isConditionTrue,
  type NewCondition,
  removeCondition,
  setCondition,
} from './controller/writes/conditions.ts';
export {
  createOrPatch,
  createOrUpdate,
  type OperationResult,
  type Patchable,
  type PatchResult,
  type Upsertable,
} from './controller/writes/create-or-update.ts';
export {
  addFinalizer,
  addFinalizerPatch,
  containsFinalizer,
  type FinalizerStep,
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
export type { NamedObject, ObjectReader } from './controller/writes/present-object.ts';
export {
  DEFAULT_BACKOFF,
  DEFAULT_RETRY,
  type RetryBackoff,
  type RetryOptions,
  retryOnConflict,
  retryOnError,
} from './controller/writes/retry.ts';
export {
  type Appliable,
  type AppliedObject,
  type ApplyOptions,
  type ObjectVersion,
  serverSideApply,
} from './controller/writes/server-side-apply.ts';
export {
  type StatusUpdate,
  type StatusWriter,
  type UpdateStatusOptions,
  updateStatus,
} from './controller/writes/update-status.ts';
export { compileJsonPath, type JsonPath } from './expr/jsonpath/jsonpath.ts';
export type { ActionPatchOptions, ActionWriteOptions } from './hooks/actions/action-client.ts';
export type { HookCallOptions, HookClient, HookResource } from './hooks/guarded-client.ts';
export { HOOK_REQUEST_VERSION, type HookRequest } from './hooks/hook.ts';
export type {
  HookAction,
  HookContext,
  HookFunction,
  HookLogLine,
  HookReply,
  HookServices,
  HookTarget,
} from './hooks/run/module.ts';
export { createFilteringHandler } from './informer/handlers/filtering-handler.ts';
export {
  dynamicInformerFactory,
  type ForResourceOptions,
  type InformerFactory,
  type InformerFactoryOptions,
  type InformerHandle,
  type ResourceSource,
} from './informer/informer-factory.ts';
export type { StateChange } from './informer/state-change.ts';
export { SyncResult, type WaitOptions, waitForSync } from './informer/sync-result.ts';
export type { StoredState } from './informer/watch/stored-state.ts';
export { HugeNumber, jsonText, parseJson } from './kit/exact-json.ts';
export { type ConsoleLoggerOptions, consoleLogger, createLogger, type LogLevel, silentLogger } from './kit/logger.ts';
export { keepYoungGenerationSmall } from './kit/young-generation.ts';
export { type FieldRequirement, FieldSelector } from './model/field-selector.ts';
export { formatGroupResource, formatGvr, parseGvr } from './model/gvr.ts';
export { parseQuantity, type Quantity, type QuantityFormat } from './model/quantity.ts';
export type { ResourceType } from './model/resource-type.ts';
export type { Shard, ShardedBy, ShardedKey, ShardedObject, Sharding, UnwantedObjects } from './model/shard.ts';
export { type ShardParts, ShardSet, type ShardSetOptions } from './model/shard-set.ts';
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
  StatusError,
} from './model/status.ts';
export type {
  AppliedFields,
  ApplyConfiguration,
  ApplyConfigurationPart,
  JsonPatchOperation,
  MergePatch,
  MergePatchPart,
  NewObject,
  NewObjectPart,
  OfSubresource,
  PatchBodies,
  PatchKind,
  StrategicPatch,
  StrategicPatchDirectives,
  StrategicPatchPart,
  UndefinedIfOptional,
  WriteBody,
  WriteBodyPart,
} from './model/write-body.ts';
export type { InspectedInformer } from './ops/health.ts';
export type { InspectedController } from './ops/inspected.ts';
export { createOpsServer, type OpsServer, type OpsServerOptions } from './ops/ops-server.ts';
export {
  createPrometheusMetrics,
  type PrometheusMetrics,
  type PrometheusOptions,
  type PrometheusRegistry,
} from './ops/prometheus.ts';
export type { EventEnvelope, EventType, ValueChange } from './stream/envelope.ts';
export {
  type ConditionParts,
  exists,
  hasCondition,
  isDeleted,
  ObjectCondition,
  rolledOut,
} from './stream/until/object-condition.ts';
export { type Until, type UntilClient, type UntilOptions, untilCondition } from './stream/until/until-condition.ts';
export type { DelayDecider } from './workqueue/rate-limiter.ts';
export {
  BucketRateLimiter,
  type ControllerRateLimiterOptions,
  createControllerRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  WithMaxWaitRateLimiter,
} from './workqueue/rate-limiter.ts';
export type { KeyPlace } from './workqueue/work-queue.ts';
export {
  type AddOptions,
  LOW_PRIORITY,
  type QueueSnapshot,
  type ShutDownOptions,
  type WorkItem,
  WorkQueue,
  type WorkQueueOptions,
} from './workqueue/work-queue.ts';
