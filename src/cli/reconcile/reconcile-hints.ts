import type { ReadonlyObject } from '../../model/object.ts';
import { giveHints } from '../hints/hint.ts';
import { RECONCILE, RECONCILE_MAP, RECONCILE_SNAPSHOTS } from '../hints/lists.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import type { ReconcilePlan } from './reconcile-plan.ts';
import { isEmptySnapshot } from './snapshots.ts';
import type { ReconcileTargets } from './targets.ts';

/** Gives the hints on the initial lists, each as soon as its lists are complete. Never rejects. */
export async function giveReconcileHints(
  session: Session,
  { namespaces, indexes, filters, hook, watches }: ReconcilePlan,
  { primary, watched, snapshots }: ReconcileTargets,
): Promise<void> {
  const { lister } = primary.informer;
  const ofIndexes = indexes.map(({ name, reads = [] }) => ({ flag: `--index ${name}`, addresses: reads }));
  try {
    await primary.informer.whenSynced(session.signal);
    const reads = [...filters.reads, ...ofIndexes, ...(hook.reads ? [hook.reads] : [])];
    await giveHints(RECONCILE, { plan: { namespaces, reads }, targets: [primary] }, session);
    for (const [i, { text, keysOf, index, reads = [] }] of watches.entries()) {
      const target = watched[i] as WatchTarget;
      await target.informer.whenSynced(session.signal);
      const plan = { namespaces, reads: [{ flag: '--map', addresses: reads }] };
      const map = { text, isIndex: index !== undefined, keysOf: (object: ReadonlyObject) => keysOf(object, lister) };
      const isReconciled = (key: string) => lister.has(key);
      await giveHints(RECONCILE_MAP, { plan, targets: [target], map, primary, isReconciled }, session);
    }
    const targets = snapshots.map(({ target }) => target);
    await Promise.all(targets.map(({ informer }) => informer.whenSynced(session.signal)));
    const empty = snapshots.filter(isEmptySnapshot);
    await giveHints(RECONCILE_SNAPSHOTS, { plan: { namespaces, reads: [] }, targets, empty }, session);
  } catch {
    // the session ended before the initial lists were complete
  }
}
