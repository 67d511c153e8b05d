import type { Client } from '../../client/client.ts';
import type { Clock } from '../../kit/clock.ts';
import { cellsOf, type TableColumn } from '../../model/cells.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { IndexCatalog } from '../../query/index-catalog.ts';
import { Redactor } from '../../stream/redact.ts';
import { samplesOf } from '../session/initial-list-advice.ts';
import { missingNames } from '../session/missing-names.ts';
import { nothingFound } from '../session/object-notices.ts';
import { countText, pathAdvice } from '../session/path-advice.ts';
import { checkWheres } from '../session/where-check.ts';
import type { AnswerSink } from './answer-sink.ts';
import { countsText, grouped, valueCountsOf } from './counts.ts';
import { arrange, findIn, printFound } from './found.ts';
import type { Holding } from './holding.ts';
import { matcherOf } from './matcher.ts';
import { nearValues } from './near-values.ts';
import { isFiltered } from './object-filters.ts';
import { ownerCatalog } from './owner-catalog.ts';
import { onlyNamespaceOf } from './plan.ts';
import type { QueryPlan } from './question.ts';
import { usedIndexes } from './representation.ts';

/** What an answer may ask a server for: owners that no holding has, and which fields a type has. */
export interface AnswerContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Answers from synced caches: writes the answer, then notices of what a person should know of it. Resolves with the
 * error that names what was asked for by name and is not there, or with undefined. `isPartial`: some of what was asked
 * for may not be read, which is reported elsewhere.
 */
export async function answer(
  plan: QueryPlan,
  holdings: readonly Holding[],
  { sink, isPartial, ...context }: AnswerContext & { sink: AnswerSink; isPartial: boolean },
): Promise<unknown> {
  if (!isPartial) {
    const types = holdings.map(({ type }) => type);
    const known = (type: ResourceType) => columnsIn(holdings.find((holding) => holding.type === type));
    await checkWheres(plan.wheres, types, onlyNamespaceOf(plan.namespaces), context, known);
  }
  const catalog = usedIndexes(plan).includes('owner')
    ? await ownerCatalog(context, plan, holdings)
    : new IndexCatalog(plan.declared);
  const missing = plan.ignoreNotFound ? undefined : missingNames(holdings, plan);
  await writeAnswer(plan, holdings, { catalog, sink, isPartial, hasMissing: missing !== undefined });
  for (const line of await pathAdvice(plan.reads, holdings.map(samplesOf), context)) sink.notice(line);
  return missing;
}

interface Answering {
  readonly catalog: IndexCatalog;
  readonly sink: AnswerSink;
  readonly isPartial: boolean;
  readonly hasMissing: boolean;
}

async function writeAnswer(
  plan: QueryPlan,
  holdings: readonly Holding[],
  { catalog, sink, isPartial, hasMissing }: Answering,
): Promise<void> {
  const redactor = new Redactor({ showSecrets: plan.showSecrets });
  const matches = matcherOf(plan, sink);
  if (plan.values !== undefined) {
    await sink.write(countsText(valueCountsOf(plan.values, holdings, { catalog, redactor, matches }, plan), plan));
    return;
  }
  const found = holdings.flatMap((holding) => findIn(plan, holding, { catalog, matches, sink }));
  if (plan.count) await sink.write(`${found.length}\n`);
  else if (plan.groupBy) await sink.write(countsText(grouped(found, plan.groupBy, redactor), plan));
  else if (found.length > 0 || (!hasMissing && !plan.ignoreNotFound)) {
    const empty = isPartial || found.length > 0 ? undefined : emptyText(plan, holdings);
    const shown = arrange(found, plan);
    if (empty !== undefined) sink.notice(empty);
    await printFound(plan, shown, { redactor, sink });
  }
  const samples = holdings.map(samplesOf);
  if (found.length === 0)
    for (const line of plan.lookups.flatMap((lookup) => nearValues(lookup, samples, catalog))) sink.notice(line);
}

/** Nothing there, which kubectl says of tables alone; or nothing of it that was asked for. */
function emptyText(plan: QueryPlan, holdings: readonly Holding[]): string | undefined {
  const samples = holdings.map(samplesOf).filter(({ objects }) => objects.length > 0);
  if (samples.length > 0 && (plan.lookups.length > 0 || isFiltered(plan)))
    return `none of ${countText(samples)} matches`;
  return plan.format.kind === 'table' && !plan.ignoreNotFound ? nothingFound(plan) : undefined;
}

/** The columns of a type, as its objects have them; undefined when there are none. */
function columnsIn(holding: Holding | undefined): readonly TableColumn[] | undefined {
  const [first] = holding?.informer.lister.list() ?? [];
  return first && cellsOf(first)?.columns;
}
