import { compareText } from '../../kit/text-order.ts';
import { answerCatalog } from '../../query/answer/answer-catalog.ts';
import type { AnswerSink } from '../../query/answer/answer-sink.ts';
import { valueCountsOf } from '../../query/answer/counts.ts';
import { arrange, type Found, findIn } from '../../query/answer/found.ts';
import { grouped } from '../../query/answer/grouping.ts';
import { type GroupRow, sortedRows } from '../../query/answer/groups.ts';
import type { Holding } from '../../query/answer/holding.ts';
import { matcherOf } from '../../query/answer/matcher.ts';
import { asksForObjects, onlyNamespaceOf } from '../../query/answer/query.ts';
import { samplesOf } from '../../query/answer/samples.ts';
import { Redactor } from '../../stream/redact.ts';
import { missingNames } from '../session/missing-names.ts';
import { checkWheres } from '../session/where-check.ts';
import { type AnswerContext, emptyText } from './answer.ts';
import { countsText } from './counts-text.ts';
import { ageNotices, requireFresh } from './fresh-answer.ts';
import { nearValues } from './near-values.ts';
import { printFound } from './print-found.ts';
import type { QueryPlan } from './read-query.ts';

/** The caches of one cluster, and its own view of the question. */
export interface ClusterPart {
  readonly cluster: string;
  readonly plan: QueryPlan;
  readonly holdings: readonly Holding[];
  readonly context: Pick<AnswerContext, 'client' | 'clock' | 'signal' | 'limitMs'>;
}

export interface ClustersAnswering {
  readonly sink: AnswerSink;
  readonly signal: AbortSignal;
  /** Whether some of what was asked for is missing, which is reported elsewhere. */
  readonly isPartial: boolean;
  /** The groups are the clusters. */
  readonly groupsByCluster: boolean;
}

/**
 * Answers from the caches of several clusters: each is searched by itself, so that owners and names are those of its
 * own objects, and what is found is printed together. Resolves with the error of names that no cluster has.
 */
export async function answerTogether(
  plan: QueryPlan,
  parts: readonly ClusterPart[],
  { sink, signal, isPartial, groupsByCluster }: ClustersAnswering,
): Promise<unknown> {
  const redactor = new Redactor({ showSecrets: plan.showSecrets });
  const matches = matcherOf(plan, sink);
  const searched = await Promise.all(parts.map((part) => prepared(part, isPartial)));
  const missing = searched.map((part) => (plan.ignoreNotFound ? undefined : missingNames(part.holdings, part.plan)));
  const isNowhere = missing.length > 0 && missing.every((error) => error !== undefined);
  const samples = searched.flatMap(({ holdings }) => holdings.map(samplesOf));
  const empty = (count: number) => (count > 0 || isPartial || isNowhere ? undefined : emptyText(plan, samples));
  let count: number;
  if (plan.values === undefined) {
    const found = searched.flatMap(({ plan: own, holdings, catalog }) =>
      holdings.flatMap((holding) => findIn(own, holding, { catalog, matches, sink })),
    );
    count = found.length;
    if (plan.count) await sink.write(`${count}\n`);
    else if (asksForObjects(plan) && !groupsByCluster) {
      const shown = arrange(found, plan);
      const text = empty(count);
      if (text !== undefined) sink.notice(text);
      if (count > 0 || !isNowhere) await printFound(plan, shown, { redactor, sink, signal });
    } else {
      const { rows, remarks } = groupsByCluster ? byCluster(found, plan, redactor) : grouped(found, plan, redactor);
      await printRows(plan, rows, { sink, empty: empty(count) });
      for (const remark of remarks) sink.notice(remark);
    }
  } else {
    const name = plan.values;
    const rows = searched.flatMap(({ plan: own, holdings, catalog }) =>
      valueCountsOf(name, holdings, { catalog, redactor, matches, sink }, own),
    );
    count = rows.length;
    await printRows(plan, together(rows), { sink, empty: empty(count) });
  }
  for (const { plan: own, holdings, catalog } of count === 0 ? searched : []) {
    const stores = holdings.map((holding) => ({ ...samplesOf(holding), store: holding.informer.lister }));
    for (const line of own.lookups.flatMap((lookup) => nearValues(lookup, stores, catalog))) sink.notice(line);
  }
  for (const { holdings, context } of searched)
    for (const line of ageNotices(holdings, context.clock.now())) sink.notice(line);
  return isNowhere ? missing[0] : undefined;
}

async function prepared(part: ClusterPart, isPartial: boolean) {
  const { plan, holdings, context } = part;
  const types = holdings.map(({ type }) => type);
  if (!isPartial) await checkWheres(plan.wheres, types, onlyNamespaceOf(plan.namespaces), context);
  await requireFresh(plan.freshness, holdings, { ...context, follows: false, limitMs: context.limitMs });
  const isWhole = () => !plan.selector && !plan.fieldSelector && !plan.shard;
  return { ...part, catalog: await answerCatalog({ ...context, isWhole }, plan, holdings) };
}

/** A group for each cluster. */
function byCluster(found: readonly Found[], plan: QueryPlan, redactor: Redactor) {
  const clusters = [...Map.groupBy(found, ({ type }) => type.cluster ?? '')];
  const all = clusters
    .sort(([a], [b]) => compareText(a, b))
    .map(([cluster, of]) => ({ cluster, ...grouped(of, { groupBy: undefined, measures: plan.measures }, redactor) }));
  return {
    rows: all.flatMap(({ cluster, rows }) => rows.map((row) => ({ ...row, value: cluster }))),
    remarks: all.flatMap(({ cluster, remarks }) => remarks.map((remark) => `cluster ${cluster}: ${remark}`)),
  };
}

/** Rows of several clusters with one value are one row. */
function together(rows: readonly GroupRow[]): GroupRow[] {
  return [...Map.groupBy(rows, ({ value }) => value)].map(([value, same]) => ({
    value,
    count: same.reduce((sum, { count }) => sum + count, 0),
    amounts: [],
  }));
}

async function printRows(
  plan: QueryPlan,
  rows: readonly GroupRow[],
  { sink, empty }: { sink: AnswerSink; empty: string | undefined },
): Promise<void> {
  if (rows.length === 0 && empty !== undefined) sink.notice(empty);
  if (rows.length === 0 && plan.format.kind === 'table') return;
  await sink.write(countsText(sortedRows(rows, plan.groupOrder).slice(0, plan.limit), plan));
}
