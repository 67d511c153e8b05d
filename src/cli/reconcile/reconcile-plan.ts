import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { ActionMode } from '../../hooks/actions/action-client.ts';
import type { WriteLimit } from '../../hooks/manifest.ts';
import type { CronSchedule } from '../../hooks/triggers/cron-schedule.ts';
import type { RetryLimits } from '../../hooks/triggers/retry-limits.ts';
import type { Logger } from '../../kit/logger.ts';
import type { Painter } from '../../output/painter.ts';
import type { IndexDefinition } from '../../query/index/index-definition.ts';
import type { RunRecording } from '../record/run-recording.ts';
import type { SelectedObjects } from '../session/informers.ts';
import type { StreamFilters } from '../session/stream-filters.ts';
import type { LoadedHook } from './hook-loading.ts';
import type { MappedType } from './key-map.ts';
import type { LeasePlan } from './lease-plan.ts';
import type { Operations } from './operations.ts';
import type { SnapshotPlan } from './snapshots.ts';

/** A `reconcile` with everything read, resolved and checked. */
export interface ReconcilePlan extends SelectedObjects {
  readonly hook: LoadedHook;
  readonly primary: ResourceSelection;
  readonly owns: readonly ResourceSelection[];
  readonly watches: readonly MappedType[];
  readonly snapshots: readonly SnapshotPlan[];
  /** Which events and objects of the reconciled type lead to runs. */
  readonly filters: StreamFilters;
  readonly indexes: readonly IndexDefinition[];
  readonly everyMs: number | undefined;
  readonly schedules: readonly CronSchedule[];
  /** Silence after which a watch is taken for dead, ms. */
  readonly idleMs: number | undefined;
  /** The lease without which the hook does not run; undefined where every process works. */
  readonly lease: LeasePlan | undefined;
  readonly workers: number;
  readonly maxRetries: number | undefined;
  readonly retries: RetryLimits;
  readonly hookTimeoutMs: number | undefined;
  readonly finalizer: string | undefined;
  readonly mode: ActionMode;
  readonly maxWrites: WriteLimit | undefined;
  /** The folder of the journal of actions. */
  readonly journal: string | undefined;
  /** The runs in a row by own writes that park a key; 0 = never, undefined = the default of a controller. */
  readonly hotLoopRuns: number | undefined;
  /** `none`: runs do not wait until the caches show own writes. */
  readonly consistency?: 'none' | undefined;
  readonly passCredentials: boolean;
  readonly showSecrets: boolean;
  readonly logger: Logger;
  /** How long runs that are under way may take when the program is asked to end, ms. */
  readonly graceMs: number;
  readonly operations: Operations;
  /** The recording in place of a cluster. It goes on when the reader is not busy. */
  readonly replay?: { follow(isBusy: () => boolean): void } | undefined;
  /** Records the runs of the hook, and what the caches see. */
  readonly recording?: RunRecording | undefined;
  /** The colours of what is printed on stdout. */
  readonly painter: Painter;
}
