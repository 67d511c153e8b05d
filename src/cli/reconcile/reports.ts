import type { Controller, Parked } from '../../controller/controller.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import { framedTable } from '../../output/tables/framed-table.ts';
import type { WatchTarget } from '../session/informers.ts';
import { samplesOf } from '../session/initial-list-advice.ts';
import { pathAdvice } from '../session/path-advice.ts';
import type { Session } from '../session/session.ts';
import { Interrupted } from '../terminal/signals.ts';
import type { ReconcilePlan } from './plan.ts';
import type { ReconcileTargets } from './targets.ts';

/** Says what a user may expect of the hook and these flags do not allow. */
export function sayWhatIsNotDone(session: Session, { hook, mode, passCredentials }: ReconcilePlan): void {
  if (hook.clusterTool !== undefined && !passCredentials) {
    session.notice(
      `--exec runs ${hook.clusterTool} without a way to the cluster (its KUBECONFIG is empty): --pass-credentials gives it one`,
    );
  }
  if (mode === 'describe')
    session.notice('actions are shown, not sent; --allow-write sends them, --dry-run lets the server check them');
}

/** Says after the first states which fields of `--map` and `--index` are in none of the objects. Never rejects. */
export async function adviseOnPaths(
  session: Session,
  plan: ReconcilePlan,
  { primary, watched }: ReconcileTargets,
): Promise<void> {
  const indexes = plan.indexes.map(({ name, reads = [] }) => ({ flag: `--index ${name}`, addresses: reads }));
  const asked = [
    { target: primary, reads: indexes },
    ...watched.map((target, i) => ({ target, reads: [{ flag: '--map', addresses: plan.watches[i]?.reads ?? [] }] })),
  ];
  try {
    for (const { target, reads } of asked) {
      await target.informer.whenSynced(session.signal);
      for (const line of await pathAdvice(reads, [samplesOf(target)], session))
        if (!session.signal.aborted) session.notice(line);
    }
  } catch {
    // the session ended before the first states were there
  }
}

/** `7 namespaces, hook guard.ts, 1 worker`: that it runs is seen also where nothing calls for a run. */
export function startText({ hook, workers }: ReconcilePlan, { type, informer, names }: WatchTarget): string {
  const { size } = informer.lister;
  const count = names
    ? [...informer.lister.keys()].filter((key) => names.has(key.slice(key.indexOf('/') + 1))).length
    : size;
  const what = count === 1 ? type.singular || type.gvr.resource : formatGroupResource(type.gvr);
  return `${count} ${what}, hook ${hook.name}, ${workers} worker${workers === 1 ? '' : 's'}`;
}

/** Keys named of those that the shutdown waits for. */
const MOST_DRAINING = 3;

export function reportDraining(controller: Controller, session: Session): void {
  const keys = controller.snapshot().processing.map(({ key }) => key);
  if (keys.length === 0 || !(session.signal.reason instanceof Interrupted)) return;
  const more = keys.length > MOST_DRAINING ? ` and ${keys.length - MOST_DRAINING} more` : '';
  session.notice(
    `waiting for the hook to finish ${keys.slice(0, MOST_DRAINING).join(', ')}${more}; a second signal (Ctrl-C again) ends it at once`,
  );
}

/** Rows shown of the keys that were given up. */
const MOST_PARKED = 50;

export async function parkedTable(parked: readonly Parked[]): Promise<string> {
  const rows = parked.slice(0, MOST_PARKED).map(({ key, attempts, error }) => [key, String(attempts), error]);
  const more = parked.length > MOST_PARKED ? `and ${parked.length - MOST_PARKED} more\n` : '';
  return `${await framedTable(['KEY', 'ATTEMPTS', 'LAST ERROR'], rows)}${more}`;
}
