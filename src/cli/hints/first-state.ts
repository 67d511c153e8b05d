import type { GateRules } from '../../stream/change-gate.ts';
import { countText, filled } from './count-text.ts';
import { misspeltValues, type ValueFacts } from './misspelt-values.ts';
import { noneMatches } from './nothing-found.ts';

export interface FirstStateFacts extends ValueFacts {
  readonly plan: {
    readonly rules: Pick<GateRules, 'conditions' | 'name' | 'excludeName'>;
    readonly once: boolean;
  };
  /** The events shown so far. */
  readonly shown: number;
  /** Says that there are no objects at all; undefined where that goes without saying. */
  readonly nothingFound: () => string | undefined;
  /** Another line reports the state. */
  readonly isReportedElsewhere: boolean;
  /** Someone reads stderr. */
  readonly isTerminal: boolean;
}

/** Says of a stream that shows nothing at its start whether there is nothing, nothing matches, or nothing is shown yet. */
export async function firstState(facts: FirstStateFacts): Promise<string[]> {
  const { plan, samples, cached, nothingFound, shown, isReportedElsewhere, isTerminal } = facts;
  if (filled(samples).length === 0) return [nothingFound() ?? []].flat();
  if (shown > 0 || isReportedElsewhere) return [];
  const { conditions = [], name, excludeName } = plan.rules;
  if (conditions.length > 0 || name !== undefined || excludeName !== undefined) {
    const misspelt = await misspeltValues(facts);
    const isSaid = plan.once || filled(cached).length === 0 || misspelt.length > 0 || isTerminal;
    return [...(isSaid ? [noneMatches(samples)] : []), ...misspelt];
  }
  return plan.once || !isTerminal ? [] : [`${countText(filled(samples))}; changes are shown as they come`];
}
