import type { FieldReads } from '../../model/field-path.ts';
import type { CachedObjects } from '../../query/answer/cached-objects.ts';
import { samplesOf, unfilteredSamples } from '../../query/answer/samples.ts';
import { filled } from '../hints/count-text.ts';
import { giveHints } from '../hints/hint.ts';
import { WATCH, WATCH_OBJECTS } from '../hints/lists.ts';
import type { WatchedPart } from './watched-part.ts';

/** The findings of `watch` at its start. */
export interface WatchFindings {
  /** The number of events shown. */
  readonly shown: () => number;
  readonly isReportedElsewhere: boolean;
  /** The objects of the initial lists. Default: those of the caches. */
  readonly targets?: readonly CachedObjects[];
  /** The fields that hints are about. Default: those of the plan. */
  readonly reads?: readonly FieldReads[];
}

/**
 * Gives the hints of `watch` on the initial lists, once they are complete and shown. After an empty start the hints that
 * need objects wait for the first one. Never rejects.
 */
export async function giveWatchHints(
  cluster: WatchedPart,
  { shown, isReportedElsewhere, targets = cluster.targets, reads = cluster.plan.reads }: WatchFindings,
): Promise<void> {
  const { session, plan } = cluster;
  const { conditions = [], name, excludeName } = plan.rules;
  const { filters, wheres } = plan.judging;
  const isPushedDown = targets.some(({ type }) => {
    const { labelSelector, fieldSelector } = plan.pushedDown?.get(type) ?? {};
    return labelSelector !== undefined || fieldSelector !== undefined;
  });
  const finding = {
    plan: { ...plan, conditions, name, excludeName, filters, wheres, reads },
    targets,
    isReportedElsewhere,
    areNamesReported: plan.once || isReportedElsewhere || isPushedDown,
    nothingFound: () => cluster.nothingFound(),
    isTerminal: session.io.stderr.isTerminal,
  };
  const as = filters.length > 0 ? 'object' : 'metadata';
  const samples =
    hasObjects(targets) || !isPushedDown ? undefined : await unfilteredSamples(targets, { ...plan, as }, session);
  const isEmpty = samples ? filled(samples).length === 0 : !hasObjects(targets);
  await giveHints(WATCH, { ...finding, samples, shown: shown() }, session);
  if (isEmpty && !plan.once && !session.signal.aborted)
    onFirstObject(cluster, () => void giveHints(WATCH_OBJECTS, { ...finding, targets: cluster.targets }, session));
}

const hasObjects = (targets: readonly CachedObjects[]) => filled(targets.map(samplesOf)).length > 0;

function onFirstObject(cluster: WatchedPart, act: () => void): void {
  const added = () => {
    if (!hasObjects(cluster.targets)) return;
    for (const each of registrations) each.remove();
    act();
  };
  const registrations = cluster.targets.map(({ informer }) => informer.addHandler({ added }));
}
