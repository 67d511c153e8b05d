import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { createTargets, type InformerPlan, refuseUnsynced, type WatchTarget } from '../session/informers.ts';
import { refusalOf, runTargets } from '../session/refusals.ts';
import type { Session, Sessions } from '../session/session.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import { exitCodeOfEnd } from '../terminal/exit-code-of-end.ts';
import { type ExitCode, isReaderGone } from '../terminal/exit-codes.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';

/** The caches of one cluster, filled once. */
export interface FilledCaches {
  readonly targets: readonly WatchTarget[];
  /** The targets that may be read. None when the session has ended. */
  readonly readable: readonly WatchTarget[];
  /** The error of all that may not be read, with the name of the cluster. */
  readonly refusal: unknown;
  /** Resolves when the informers have ended. They end with the session. */
  readonly running: Promise<void>;
}

/** The caches of a cluster that does not know the types, or could not be asked. */
export const NO_CACHES: FilledCaches = { targets: [], readable: [], refusal: undefined, running: Promise.resolve() };

/** Lists the types of one cluster into caches. Rejects only for the one cluster of a command. */
export async function fillCaches(
  session: Session,
  selections: readonly ResourceSelection[],
  plan: Omit<InformerPlan, 'once' | 'onContinuity'>,
): Promise<FilledCaches> {
  const { cluster, signal } = session;
  let targets: readonly WatchTarget[] = [];
  let running = Promise.resolve();
  using _progress = cluster === undefined ? showSyncProgress(session, session.status) : undefined;
  try {
    targets = createTargets(session, selections, {
      ...plan,
      once: true,
      onContinuity: (event, type) => reporter.observe(event, type),
    });
    const reporter = new ContinuityReporter(session, () => targets, { isOneShot: true });
    running = runTargets(targets, session, { once: true }).finally(() => reporter[Symbol.dispose]());
    await Promise.all(targets.map((target) => target.settled(signal)));
    const refusal = session.named(await refusalOf(targets, session));
    return { targets, readable: targets.filter((target) => target.refusal === undefined), refusal, running };
  } catch (error) {
    if (cluster === undefined && !signal.aborted) throw error;
    return { targets, readable: [], refusal: session.named(signal.aborted ? signal.reason : error), running };
  }
}

/** Has filled caches used, and ends them. The command may end before they are filled, or used. */
export async function usingCaches(
  { all, signal }: Sessions,
  filled: readonly { readonly caches: FilledCaches }[],
  use: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    signal.throwIfAborted();
    return await use();
  } catch (error) {
    if (!signal.aborted) throw error;
    refuseUnsynced(signal.reason, filled.flatMap(({ caches }) => caches.targets)); // biome-ignore format: short
    return exitCodeOfEnd(signal.reason, { isSynced: false, isWaiting: !isReaderGone(signal.reason) });
  } finally {
    for (const session of all) session.end(new StreamEnd('done'));
    await Promise.all(filled.map(({ caches }) => caches.running));
  }
}
