import type { AnswerSink } from '../../query/answer/answer-sink.ts';
import { findIn } from '../../query/answer/found.ts';
import type { Holding } from '../../query/answer/holding.ts';
import { asksForObjects } from '../../query/answer/query.ts';
import { samplesOf } from '../../query/answer/samples.ts';
import type { IndexCatalog } from '../../query/index/index-catalog.ts';
import { notThereYet } from '../session/missing-names.ts';
import { nearValues } from './near-values.ts';
import { emptyText } from './printed-answer.ts';
import type { QueryPlan } from './read-query.ts';

/**
 * What a person should know of the first result of a continuous query: how it was found, which names are not there yet,
 * and why it is empty.
 */
export function adviceOnFirst(
  plan: QueryPlan,
  holdings: readonly Holding[],
  { catalog, isPartial, clock }: { catalog: IndexCatalog; isPartial: boolean } & Pick<AnswerSink, 'clock'>,
): { readonly before: readonly string[]; after(shown: number): readonly string[] } {
  const before: string[] = [];
  const sink = { clock, notice: (text: string) => void before.push(text), write: () => Promise.resolve() };
  if (plan.explain) for (const holding of holdings) findIn(plan, holding, { catalog, matches: () => true, sink });
  return {
    before,
    after: (shown) => {
      const samples = holdings.map(samplesOf);
      const missing = plan.ignoreNotFound ? [] : notThereYet(holdings);
      if (shown > 0 || !asksForObjects(plan)) return missing;
      const empty = isPartial || missing.length > 0 ? undefined : emptyText(plan, samples);
      const near = plan.lookups.flatMap((lookup) => nearValues(lookup, samples, catalog));
      return [...missing, ...(empty === undefined ? [] : [`${empty.replace(/\.$/, '')}${LATER}`]), ...near];
    },
  };
}

const LATER = '; what comes is shown';
