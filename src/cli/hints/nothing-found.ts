import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { OutputFormat } from '../../output/formats.ts';
import type { CollectionPart } from '../../query/answer/collection-part.ts';
import { isFiltered } from '../../query/answer/object-filters.ts';
import type { ScopedQuery } from '../../query/answer/query.ts';
import type { Sample } from '../../query/answer/samples.ts';
import { missingOf } from '../session/missing-names.ts';
import { countText, filled } from './count-text.ts';
import type { Facts } from './hint.ts';

/** kubectl's words for an empty answer. */
export function nothingFound({
  namespaces,
  selections,
  part,
}: {
  namespaces: readonly string[];
  selections: readonly ResourceSelection[];
  part?: Pick<CollectionPart, 'text'> | undefined;
}): string {
  const isScoped = selections.some(({ type }) => type.namespaced) && !namespaces.includes('');
  const ofPart = part ? ` (${part.text})` : '';
  return isScoped
    ? `No resources found in ${namespaces.join(', ')} namespace${namespaces.length > 1 ? 's' : ''}${ofPart}.`
    : `No resources found${ofPart}`;
}

/** Says that there are objects, and that nothing of them was asked for. */
export const noneMatches = (samples: readonly Sample[]): string => `none of ${countText(filled(samples))} matches`;

/** A query, and the format of its answer. */
type RequestedQuery = ScopedQuery & { readonly format: OutputFormat };

export interface QueryFacts {
  readonly plan: RequestedQuery;
}

/** Why an answer is empty: kubectl says it of tables alone; or there are objects, and nothing of them was asked for. */
export function emptyText(plan: RequestedQuery, samples: readonly Sample[]): string | undefined {
  const some = filled(samples);
  if (some.length > 0 && plan.values !== undefined)
    return `none of ${countText(some)} ${isFiltered(plan) ? 'matches and ' : ''}has a value in the index ${plan.values}`;
  if (some.length > 0 && (plan.lookups.length > 0 || isFiltered(plan))) return noneMatches(some);
  return plan.format.traits.forPeople && !plan.ignoreNotFound ? nothingFound(plan) : undefined;
}

/** Says why the first result of a query that goes on is empty. */
export async function emptyResult({ plan, targets, samples, isEmpty, isReportedElsewhere }: Facts & QueryFacts) {
  if (!isEmpty || isReportedElsewhere) return [];
  if (!plan.ignoreNotFound && targets.some((target) => missingOf(target).length > 0)) return [];
  const text = emptyText(plan, samples);
  return text === undefined ? [] : [`${text.replace(/\.$/, '')}; what comes is shown`];
}
