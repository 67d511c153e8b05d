import type { ReadonlyObject } from '../../model/object.ts';
import type { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { createTargets, type WatchTarget } from '../session/informers.ts';
import { readsManagedFields } from '../session/output.ts';
import type { Session } from '../session/session.ts';
import type { ReconcilePlan } from './reconcile-plan.ts';
import type { Sharing } from './sharing.ts';
import { type SnapshotTarget, snapshotTargets } from './snapshots.ts';

export interface ReconcileTargets {
  readonly primary: WatchTarget;
  /** The types of `--owns`, in their order. */
  readonly owned: readonly WatchTarget[];
  /** The types of `--watches`, in their order. */
  readonly watched: readonly WatchTarget[];
  /** The snapshots of `--with`, in their order. Several may share a cache, also with the types above. */
  readonly snapshots: readonly SnapshotTarget[];
  /** Each cache once. */
  readonly all: readonly WatchTarget[];
}

/**
 * Creates the caches. Those of the reconciled and of the owned objects have the parts of this process. All others are
 * whole: what they lead to, or are read for, may be anywhere.
 */
export function targetsOf(
  session: Session,
  plan: ReconcilePlan,
  reporter: ContinuityReporter,
  { part, ownedPart }: Partial<Sharing> = {},
): ReconcileTargets {
  const { namespaces } = plan;
  const isRecorded = plan.recording !== undefined;
  const shared = {
    namespaces,
    as: isRecorded ? ({ table: 'Object' } as const) : 'object',
    keepManagedFields: isRecorded,
    idleMs: plan.idleMs,
    metrics: plan.operations.metrics,
    onContinuity: reporter.observe.bind(reporter),
  } as const;
  const indexes = [...plan.indexes, ...plan.watches.flatMap(({ index }) => index ?? [])];
  const indexers = Object.fromEntries(indexes.map((d) => [d.name, (object: ReadonlyObject) => d.valuesOf(object)]));
  const everything = { ...shared, selector: undefined, fieldSelector: undefined };
  const [primary] = createTargets(session, [plan.primary], {
    ...shared,
    keepManagedFields:
      isRecorded ||
      readsManagedFields([
        ...plan.filters.reads,
        ...plan.indexes.map(({ name, reads = [] }) => ({ flag: `--index ${name}`, addresses: reads })),
      ]),
    as: isRecorded || plan.filters.wheres.length > 0 ? { table: 'Object' } : 'object',
    selector: plan.selector,
    fieldSelector: plan.fieldSelector,
    indexers: indexers as never,
    part,
  }) as [WatchTarget];
  const owned = createTargets(session, plan.owns, { ...everything, part: ownedPart });
  const watched = createTargets(
    session,
    plan.watches.map(({ selection }) => selection),
    {
      ...everything,
      keepManagedFields:
        isRecorded || readsManagedFields(plan.watches.map(({ reads = [] }) => ({ flag: '--map', addresses: reads }))),
    },
  );
  const isWhole = !plan.selector && !plan.fieldSelector && !part;
  const snapshots = snapshotTargets(
    plan.snapshots,
    [...(ownedPart ? [] : owned), ...watched, ...(isWhole ? [primary] : [])].filter(({ names }) => names === undefined),
    ({ selection, selector }) => createTargets(session, [selection], { ...everything, selector })[0] as WatchTarget,
  );
  const all = new Set([primary, ...owned, ...watched, ...snapshots.map(({ target }) => target)]);
  return { primary, owned, watched, snapshots, all: [...all] };
}
