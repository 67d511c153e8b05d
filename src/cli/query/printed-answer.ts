import { type AnswerPart, type AnswerResult, answer } from '../../query/answer/answer.ts';
import type { AnswerSink } from '../../query/answer/answer-sink.ts';
import type { Found } from '../../query/answer/found.ts';
import { Redactor } from '../../stream/redact.ts';
import { giveHints } from '../hints/hint.ts';
import { QUERY } from '../hints/lists.ts';
import { emptyText } from '../hints/nothing-found.ts';
import { missingEverywhere } from '../session/missing-names.ts';
import { countsText } from './counts-text.ts';
import { printFound } from './print-found.ts';
import type { QueryPlan } from './read-query.ts';
import { requireFresh } from './stale-answer.ts';
import { printTrees } from './tree.ts';

export interface Printing {
  readonly sink: AnswerSink;
  readonly signal: AbortSignal;
  /** Some of what was asked for may not be read, which is reported elsewhere. */
  readonly isPartial: boolean;
  /** Marks values of Secrets. Default: a new one. */
  readonly redactor?: Redactor | undefined;
  /** Whether the caches follow a stream, which is the default; those of a command that answers once do not. */
  readonly follows?: boolean | undefined;
  /** How long to wait for a fresh cache at most, ms. Default: `--timeout`, or 10 s. */
  readonly limitMs?: number | undefined;
}

/**
 * Answers from synced caches, of one cluster or of several: writes the answer, then gives the hints on it.
 * Resolves with the error of names that no cluster has, or with undefined.
 */
export async function printAnswer(
  plan: QueryPlan,
  parts: readonly AnswerPart[],
  {
    sink,
    signal,
    isPartial,
    redactor = new Redactor({ showSecrets: plan.showSecrets }),
    follows = true,
    limitMs = plan.flags.timeout,
  }: Printing,
): Promise<unknown> {
  const { clock } = sink;
  await Promise.all(
    parts.map((part) => requireFresh(plan.freshness, part.allCached, { clock, signal: part.signal, follows, limitMs })),
  );
  const nowhere = plan.ignoreNotFound
    ? undefined
    : missingEverywhere(parts.map((part) => ({ targets: part.allCached, plan: part.query })));
  const { count, result, parts: searched } = await answer(plan, parts, { clock, notice: sink.notice, redactor });
  const samples = searched.flatMap((part) => part.samples);
  const empty = count > 0 || isPartial || nowhere !== undefined ? undefined : emptyText(plan, samples);
  await printResult(plan, result, { sink, signal, redactor, empty, count, parts, isMissing: nowhere !== undefined });
  const isEmpty = count === 0 && plan.values === undefined;
  for (const {
    query,
    allCached: targets,
    catalog,
    pushedDownCaches,
    samples: own,
    client,
    signal: ending,
    notice,
  } of searched) {
    const samples = pushedDownCaches ? own : undefined;
    const finding = { plan: { ...plan, namespaces: query.namespaces }, targets, samples, catalog, isEmpty };
    await giveHints(QUERY, finding, { client, clock, signal: ending, notice });
  }
  return nowhere;
}

interface ResultPrinting extends Pick<Printing, 'sink' | 'signal'> {
  readonly redactor: Redactor;
  /** Why there is nothing; undefined where that goes without saying. */
  readonly empty: string | undefined;
  readonly count: number;
  readonly parts: readonly AnswerPart[];
  /** True if a name that was asked for does not exist, which is an error. */
  readonly isMissing: boolean;
}

async function printResult(plan: QueryPlan, result: AnswerResult, printing: ResultPrinting): Promise<void> {
  const { sink, empty } = printing;
  switch (result.kind) {
    case 'count':
      return sink.write(`${result.count}\n`);
    case 'rows':
      if (empty !== undefined && result.rows.length === 0) sink.notice(empty);
      if (result.rows.length > 0 || !plan.format.traits.forPeople) await sink.write(countsText(result.rows, plan));
      for (const remark of result.remarks) sink.notice(remark);
      return undefined;
    case 'objects':
      return printObjects(plan, result.objects, printing);
  }
}

async function printObjects(
  plan: QueryPlan,
  objects: readonly Found[],
  { sink, signal, redactor, empty, count, parts, isMissing }: ResultPrinting,
): Promise<void> {
  if (count === 0 && (isMissing || plan.ignoreNotFound)) return;
  if (empty !== undefined) sink.notice(empty);
  if (plan.explain && objects.length < count) sink.notice(`--limit prints ${objects.length} of ${count}`);
  if (plan.tree) await printTrees(plan, objects, { parts, sink });
  else await printFound(plan, objects, { redactor, sink, signal });
}
