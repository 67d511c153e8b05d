// For tests: `import {…} from 'kubectl-informer/testing'`.

export type {
  AddedDetails,
  DeletedDetails,
  InformerHandler,
  InformerNotification,
  NotificationCause,
  NotificationPlace,
  UpdatedDetails,
} from '../informer/handlers/notification.ts';
export type {
  ContinuityEvent,
  OrderedContinuity,
  Reconnection,
  StoreRefusal,
} from '../informer/watch/continuity-ledger.ts';
export type { WatchFault } from '../informer/watch/watch-fault.ts';
export type { WatchEnding } from '../informer/watch/watch-machine.ts';
export type { Clock, Timer } from '../kit/clock.ts';
export type { ObjectKey } from '../model/key.ts';
export type { DeepReadonly } from '../model/object.ts';
export type { ResourceVersion } from '../model/resource-version.ts';
export { type EventuallyOptions, eventually } from './eventually.ts';
export { FakeClock, settled } from './fake-clock.ts';
export { createRecordingHandler, type RecordingHandler } from './recording-handler.ts';
export { startTestCluster, type TestCluster, type TestClusterOptions } from './test-cluster.ts';
