import type { Client } from '../../client/client.ts';
import type { Clock } from '../../kit/clock.ts';
import { joined } from '../../kit/lazy-list.ts';
import { cellsOf, type TableColumn } from '../../model/cells.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { answerCatalog } from '../../query/answer/answer-catalog.ts';
import type { AnswerSink } from '../../query/answer/answer-sink.ts';
import { valueCountsOf } from '../../query/answer/counts.ts';
import { arrange, type Found, findPatiently } from '../../query/answer/found.ts';
import { grouped } from '../../query/answer/grouping.ts';
import { type GroupRow, sortedRows } from '../../query/answer/groups.ts';
import { type Holding, storeOf } from '../../query/answer/holding.ts';
import { matcherOf } from '../../query/answer/matcher.ts';
import type { NarrowedCaches } from '../../query/answer/narrowed-caches.ts';
import { isFiltered } from '../../query/answer/object-filters.ts';
import { asksForObjects, onlyNamespaceOf } from '../../query/answer/query.ts';
import { type Sample, samplesOf } from '../../query/answer/samples.ts';
import type { IndexCatalog } from '../../query/index/index-catalog.ts';
import type { IndexedStore } from '../../query/index/stored-index.ts';
import { Redactor } from '../../stream/redact.ts';
import { missingNames } from '../session/missing-names.ts';
import { nothingFound } from '../session/object-notices.ts';
import { countText, pathAdvice } from '../session/path-advice.ts';
import { valueAdvice } from '../session/value-advice.ts';
import { checkWheres } from '../session/where-check.ts';
import { countsText } from './counts-text.ts';
import { ageNotices, requireFresh } from './fresh-answer.ts';
import { nearValues } from './near-values.ts';
import { printFound } from './print-found.ts';
import type { QueryPlan } from './read-query.ts';
import { printTrees } from './tree.ts';

/** What an answer may ask a server for: owners that no holding has, and which fields a type has. */
export interface AnswerContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The caches hold only what a server selected. */
  readonly narrowed?: NarrowedCaches | undefined;
  /** Marks values of Secrets. Default: a new one, whose marks mean nothing beside those of other answers. */
  readonly redactor?: Redactor | undefined;
  /** Whether the caches follow a stream, which is the default; those of a command that answers once do not. */
  readonly follows?: boolean | undefined;
  /** How long to wait for a fresh cache at most, ms. Default: `--timeout`, or 10 s. */
  readonly limitMs?: number | undefined;
}

/**
 * Answers from synced caches: writes the answer, then notices of what a person should know of it. Resolves with the
 * error that names what was asked for by name and is not there, or with undefined. `isPartial`: some of what was asked
 * for may not be read, which is reported elsewhere.
 */
export async function answer(
  plan: QueryPlan,
  holdings: readonly Holding[],
  { sink, isPartial, narrowed, redactor, ...context }: AnswerContext & { sink: AnswerSink; isPartial: boolean },
): Promise<unknown> {
  if (!isPartial) {
    const types = holdings.map(({ type }) => type);
    const known = (type: ResourceType) => columnsIn(holdings.find((holding) => holding.type === type));
    await checkWheres(plan.wheres, types, onlyNamespaceOf(plan.namespaces), context, { known, ofEvents: false });
  }
  const { follows = true, limitMs = plan.flags.timeout } = context;
  await requireFresh(plan.freshness, holdings, { ...context, follows, limitMs });
  const isWhole = ({ type }: Holding) => !plan.selector && !plan.fieldSelector && !plan.shard && !narrowed?.of(type);
  const catalog = await answerCatalog({ ...context, isWhole }, plan, holdings);
  const missing = plan.ignoreNotFound ? undefined : missingNames(holdings, plan);
  const hasMissing = missing !== undefined;
  const samples = await writeAnswer(plan, holdings, {
    ...context,
    catalog,
    sink,
    isPartial,
    hasMissing,
    narrowed,
    redactor,
  });
  for (const line of await pathAdvice(plan.reads, samples, context)) sink.notice(line);
  for (const line of ageNotices(holdings, context.clock.now())) sink.notice(line);
  return missing;
}

interface Answering extends Pick<AnswerContext, 'client' | 'signal'> {
  readonly catalog: IndexCatalog;
  readonly sink: AnswerSink;
  readonly isPartial: boolean;
  readonly hasMissing: boolean;
  readonly narrowed: NarrowedCaches | undefined;
  readonly redactor: Redactor | undefined;
}

/** Writes the answer. Resolves with the objects that were looked at: all that the user's own selectors give. */
async function writeAnswer(
  plan: QueryPlan,
  holdings: readonly Holding[],
  {
    catalog,
    sink,
    isPartial,
    hasMissing,
    narrowed,
    redactor = new Redactor({ showSecrets: plan.showSecrets }),
    ...context
  }: Answering,
): Promise<readonly Sample[]> {
  const matches = matcherOf(plan, sink);
  const held = holdings.map(samplesOf);
  const samplesFor = async (count: number) => (count === 0 && narrowed ? await narrowed.unnarrowed(holdings) : held);
  if (plan.values !== undefined) {
    const rows = valueCountsOf(plan.values, holdings, { catalog, redactor, matches, sink, narrowed }, plan);
    const looked = await samplesFor(rows.length);
    const empty = isPartial || hasMissing ? undefined : (valuelessText(plan, looked) ?? emptyText(plan, looked));
    await printCounts(plan, rows, { sink, empty });
    return looked;
  }
  const parts: (readonly Found[])[] = [];
  for (const holding of holdings) parts.push(await findPatiently(plan, holding, { catalog, matches, sink, narrowed }));
  const found = joined(parts);
  const samples = await samplesFor(found.length);
  if (plan.count) await sink.write(`${found.length}\n`);
  else if (!asksForObjects(plan)) {
    const { rows, remarks } = grouped(found, plan, redactor);
    const isEmpty = found.length === 0 && !isPartial && !hasMissing;
    await printCounts(plan, rows, { sink, empty: isEmpty ? emptyText(plan, samples) : undefined });
    for (const remark of remarks) sink.notice(remark);
  } else if (found.length > 0 || (!hasMissing && !plan.ignoreNotFound)) {
    const empty = isPartial || found.length > 0 ? undefined : emptyText(plan, samples);
    const shown = arrange(found, plan);
    if (empty !== undefined) sink.notice(empty);
    if (plan.explain && shown.length < found.length) sink.notice(`--limit prints ${shown.length} of ${found.length}`);
    if (plan.tree) await printTrees(plan, shown, { ...context, sink });
    else await printFound(plan, shown, { redactor, sink, signal: context.signal });
  }
  if (found.length === 0) {
    const searched = samples.map((sample) => ({ ...sample, store: narrowed ? undefined : storeIn(sample, holdings) }));
    for (const line of plan.lookups.flatMap((lookup) => nearValues(lookup, searched, catalog))) sink.notice(line);
    for (const line of await valueAdvice(plan, samples, sink.clock.now())) sink.notice(line);
  }
  return samples;
}

/** Writes counts in their order; a table without a row is none, and `empty` says why. */
async function printCounts(
  plan: QueryPlan,
  rows: readonly GroupRow[],
  { sink, empty }: { sink: AnswerSink; empty: string | undefined },
): Promise<void> {
  if (rows.length === 0 && empty !== undefined) sink.notice(empty);
  if (rows.length === 0 && plan.format.kind === 'table') return;
  await sink.write(countsText(sortedRows(rows, plan.groupOrder).slice(0, plan.limit), plan));
}

/** There are objects, but no value of the index. */
function valuelessText(plan: QueryPlan, all: readonly Sample[]): string | undefined {
  const samples = all.filter(({ objects }) => objects.length > 0);
  if (samples.length === 0) return undefined;
  return `none of ${countText(samples)} ${isFiltered(plan) ? 'matches and ' : ''}has a value in the index ${plan.values}`;
}

function storeIn({ type }: Sample, holdings: readonly Holding[]): IndexedStore | undefined {
  const holding = holdings.find((each) => each.type === type);
  return holding && storeOf(holding);
}

/** Nothing there, which kubectl says of tables alone; or nothing of it that was asked for. */
export function emptyText(plan: QueryPlan, all: readonly Sample[]): string | undefined {
  const samples = all.filter(({ objects }) => objects.length > 0);
  if (samples.length > 0 && (plan.lookups.length > 0 || isFiltered(plan)))
    return `none of ${countText(samples)} matches`;
  return plan.format.kind === 'table' && !plan.ignoreNotFound ? nothingFound(plan) : undefined;
}

/** The columns of a type, as its objects have them; undefined when there are none. */
function columnsIn(holding: Holding | undefined): readonly TableColumn[] | undefined {
  const first = holding?.informer.lister.values().next().value;
  return first && cellsOf(first)?.columns;
}
