import { type Sample, samplesOf } from '../../query/answer/samples.ts';
import { giveHints } from '../hints/hint.ts';
import { RECONCILE } from '../hints/lists.ts';
import type { Session } from '../session/session.ts';
import type { ReconcilePlan } from './plan.ts';
import { isEmptySnapshot } from './snapshots.ts';
import type { ReconcileTargets } from './targets.ts';

/** Gives the hints on the initial lists, each as soon as its lists are complete. Never rejects. */
export async function giveStartHints(
  session: Session,
  plan: ReconcilePlan,
  { primary, watched, snapshots }: ReconcileTargets,
): Promise<void> {
  const found = (sample: Sample) => ({ cached: [sample], samples: [sample], session });
  const to = samplesOf(primary);
  const indexes = plan.indexes.map(({ name, reads = [] }) => ({ flag: `--index ${name}`, addresses: reads }));
  const reads = [...plan.filters.reads, ...indexes, ...(plan.hook.reads ? [plan.hook.reads] : [])];
  try {
    await primary.informer.whenSynced(session.signal);
    await giveHints(RECONCILE.objects, { ...found(to), plan: { namespaces: plan.namespaces, reads } }, session);
    const { lister } = primary.informer;
    for (const [i, { text, keysOf, index, reads = [] }] of plan.watches.entries()) {
      const target = watched[i] as ReconcileTargets['primary'];
      await target.informer.whenSynced(session.signal);
      const from = samplesOf(target);
      const facts = {
        ...found(from),
        plan: { reads: [{ flag: '--map', addresses: reads }] },
        map: {
          text,
          isIndex: index !== undefined,
          keysOf: (object: Sample['objects'][number]) => keysOf(object, lister),
        },
        from,
        to,
        isReconciled: (key: string) => lister.has(key),
      };
      await giveHints(RECONCILE.map, facts, session);
    }
    await Promise.all(snapshots.map(({ target }) => target.informer.whenSynced(session.signal)));
    const asked = snapshots.map((each) => ({ ...each, isEmpty: isEmptySnapshot(each) }));
    await giveHints(RECONCILE.snapshots, { snapshots: asked }, session);
  } catch {
    // the session ended before the initial lists were complete
  }
}
