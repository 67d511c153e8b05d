import type { ReadonlyObject } from '../../model/object.ts';
import type { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { createTargets, type WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import type { ReconcilePlan } from './plan.ts';

/** The caches of a `reconcile`. */
export interface ReconcileTargets {
  /** The reconciled type. */
  readonly primary: WatchTarget;
  /** The types of `--owns`, in their order. */
  readonly owned: readonly WatchTarget[];
  /** The types of `--watches`, in their order. */
  readonly watched: readonly WatchTarget[];
  readonly all: readonly WatchTarget[];
}

export function targetsOf(session: Session, plan: ReconcilePlan, reporter: ContinuityReporter): ReconcileTargets {
  const { namespaces } = plan;
  const shared = {
    namespaces,
    as: 'object',
    keepManagedFields: false,
    idleMs: plan.idleMs,
    onContinuity: reporter.observe.bind(reporter),
  } as const;
  const indexes = [...plan.indexes, ...plan.watches.flatMap(({ index }) => index ?? [])];
  const indexers = Object.fromEntries(indexes.map((d) => [d.name, (object: ReadonlyObject) => d.valuesOf(object)]));
  const everything = { ...shared, selector: undefined, fieldSelector: undefined };
  const [primary] = createTargets(session, [plan.primary], {
    ...shared,
    as: plan.filters.wheres.length > 0 ? { table: 'Object' } : 'object',
    selector: plan.selector,
    fieldSelector: plan.fieldSelector,
    indexers: indexers as never,
  }) as [WatchTarget];
  const owned = createTargets(session, plan.owns, everything);
  const watched = createTargets(
    session,
    plan.watches.map(({ selection }) => selection),
    everything,
  );
  return { primary, owned, watched, all: [primary, ...owned, ...watched] };
}
