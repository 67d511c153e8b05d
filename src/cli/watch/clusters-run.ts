import type { WatchFlags } from '../args/watch-flags.ts';
import type { Edges } from '../base-command.ts';
import { type ClusterSession, openClusters } from '../session/clusters.ts';
import type { ServeUse } from '../session/serve-transport.ts';
import { errorTexts } from '../terminal/error-text.ts';
import { type ExitCode, SeveralErrors } from '../terminal/exit-codes.ts';
import { ClusterStart } from './late-cluster.ts';
import { type CheckedWatch, type PlanPart, planPartOf, sharedPlanOf } from './read-watch.ts';
import { goesOnWithout, type WatchPlan } from './watch-plan.ts';
import { watchParts } from './watch-run.ts';

/** The command line of a `watch`, read and checked. */
export interface CheckedLine {
  readonly words: readonly string[];
  readonly flags: WatchFlags;
  readonly checked: CheckedWatch;
}

/**
 * Streams several clusters as one. Clusters that do not answer at the start join later. With `--once` and `--strict`
 * each is tried once: what `--once` cannot show is an error at its end, and `--strict` begins with all of them or not
 * at all. A wait needs all of them too.
 */
export async function watchClusters(line: CheckedLine, edges: Edges, serve: ServeUse | undefined): Promise<ExitCode> {
  const { words, flags, checked } = line;
  const timeout = checked.timeoutMs;
  await using clusters = await openClusters({ ...flags, timeout }, edges, { once: checked.once, serve });
  const { clock, signal } = clusters;
  const start = new ClusterStart<PlanPart>({
    clusters: clusters.all,
    broken: clusters.broken,
    prepare: (session) => planPartOf(words, flags, checked, session),
    isPatient: !checked.once && !flags.strict,
    clock,
    signal,
  });
  const parts = await start.first();
  refuseUnknownTypes(
    start,
    parts.map(([, part]) => part),
  );
  const shared = await sharedPlanOf(
    parts.map(([, part]) => part),
    flags,
    checked,
    clusters,
  );
  const begun = parts.map(([session, part]): [ClusterSession, WatchPlan] => [session, { ...shared, ...part }]);
  const [[, plan] = [undefined, undefined]] = begun;
  if (plan && !checked.once && !goesOnWithout(plan)) refuseWithout(start, begun, flags.strict);
  for (const { error } of start.absent.filter(({ isFinal }) => isFinal))
    if (!checked.once && error !== undefined && clusters.broken.some((each) => each.error === error))
      clusters.notice(`error: ${errorTexts(error).message}; not in this stream`);
  for (const [, { unserved = [] }] of begun)
    for (const error of checked.once ? [] : unserved)
      clusters.notice(`error: ${errorTexts(error).message}; not in this stream`);
  return await watchParts(clusters, begun, {
    get absent() {
      return start.absent;
    },
    get isComplete() {
      return start.isComplete;
    },
    onReady: (take) => start.onReady((session, part) => take(session, { ...shared, ...part })),
  });
}

/** Throws the error of a type that no cluster has: it is a typing error. */
function refuseUnknownTypes({ isComplete }: ClusterStart<PlanPart>, parts: readonly PlanPart[]): void {
  const textOf = (error: unknown) => errorTexts((error as Error).cause).message;
  const nowhere = parts[0]?.unserved?.find((error) =>
    parts.every(({ unserved = [] }) => unserved.some((each) => textOf(each) === textOf(error))),
  );
  if (nowhere !== undefined && isComplete) throw (nowhere as Error).cause;
}

/** Throws what is wrong with a cluster that the stream needs: all of them with `--strict`, those that answer with a wait. */
function refuseWithout(
  start: ClusterStart<PlanPart>,
  begun: readonly [ClusterSession, WatchPlan][],
  isStrict: boolean,
): void {
  const absent = start.absent.filter(({ isFinal }) => isStrict || isFinal).map(({ error }) => error);
  const unserved = begun.flatMap(([, plan]) => plan.unserved ?? []);
  const error = SeveralErrors.of([...absent, ...unserved]);
  if (error !== undefined) throw error;
}
