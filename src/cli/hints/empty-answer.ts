import type { OutputFormat } from '../../output/formats.ts';
import { isFiltered } from '../../query/answer/object-filters.ts';
import { asksForObjects, type ScopedQuery } from '../../query/answer/query.ts';
import type { Sample } from '../../query/answer/samples.ts';
import { missingOf, type Named } from '../session/missing-names.ts';
import { countText, filled } from './count-text.ts';
import type { FoundFacts } from './hint.ts';
import { noneMatches, nothingFound } from './nothing-found.ts';

/** A query, and the format of its answer. */
type Asked = ScopedQuery & { readonly format: OutputFormat };

export interface EmptyFacts extends FoundFacts {
  readonly plan: Asked;
  readonly targets: readonly Named[];
  /** The objects, rows or values found. */
  readonly found: number;
  /** Some of what was asked for may not be read, which is reported elsewhere. */
  readonly isPartial: boolean;
}

/** Why an answer is empty: kubectl says it of tables alone; or there are objects, and nothing of them was asked for. */
export function emptyText(plan: Asked, samples: readonly Sample[]): string | undefined {
  const some = filled(samples);
  if (some.length > 0 && plan.values !== undefined)
    return `none of ${countText(some)} ${isFiltered(plan) ? 'matches and ' : ''}has a value in the index ${plan.values}`;
  if (some.length > 0 && (plan.lookups.length > 0 || isFiltered(plan))) return noneMatches(some);
  return plan.format.traits.forPeople && !plan.ignoreNotFound ? nothingFound(plan) : undefined;
}

/** Says why the first result of a query that goes on is empty. */
export async function emptyResult({ plan, targets, samples, found, isPartial }: EmptyFacts): Promise<string[]> {
  if (found > 0 || isPartial || !asksForObjects(plan)) return [];
  if (!plan.ignoreNotFound && targets.some((target) => missingOf(target).length > 0)) return [];
  const text = emptyText(plan, samples);
  return text === undefined ? [] : [`${text.replace(/\.$/, '')}; what comes is shown`];
}
