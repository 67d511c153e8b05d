import { isFiltered } from '../../query/answer/object-filters.ts';
import type { Server } from '../session/session.ts';
import { countText, filled } from './count-text.ts';
import type { Facts } from './hint.ts';
import { misspeltValues } from './misspelt-values.ts';
import { noneMatches } from './nothing-found.ts';

export interface StreamFacts {
  /** The events shown so far. */
  readonly shown: number;
  /** Says that there are no objects at all; undefined where that goes without saying. */
  readonly nothingFound: () => string | undefined;
  /** A person reads stderr. */
  readonly isTerminal: boolean;
}

/** Says of a stream that shows nothing at its start whether there is nothing, nothing matches, or nothing is shown yet. */
export async function firstState(facts: Facts & StreamFacts, server: Server): Promise<string[]> {
  const { plan, samples, cached, nothingFound, shown, isReportedElsewhere, isTerminal } = facts;
  if (filled(samples).length === 0) return [nothingFound() ?? []].flat();
  if (shown > 0 || isReportedElsewhere) return [];
  if (!isFiltered(plan))
    return plan.once || !isTerminal ? [] : [`${countText(filled(samples))}; changes are shown as they come`];
  const misspelt = await misspeltValues(facts, server);
  const isSaid = plan.once || filled(cached).length === 0 || misspelt.length > 0 || isTerminal;
  return isSaid ? [noneMatches(samples), ...misspelt] : [];
}
