import { goJson, goText } from '../../expr/go-text.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { isSecretResource } from '../../model/secret-type.ts';
import { cellText } from '../../output/escape.ts';
import { AlignedTable } from '../../output/tables/table.ts';
import { explainCounts, groupCounts, mergedCounts, type ValueCount, valueCounts } from '../../query/arrange.ts';
import type { Redactor } from '../../stream/redact.ts';
import { explainedText } from './explain.ts';
import type { Finding, Found } from './found.ts';
import { type Holding, scanned, storeOf } from './holding.ts';
import { isFiltered, type ObjectFilters } from './object-filters.ts';
import { pushedText } from './push-down.ts';
import type { Expression, Question } from './question.ts';

/** The values of an index, over all types, each with the number of objects that have it and meet the filters. */
export function valueCountsOf(
  name: string,
  holdings: readonly Holding[],
  { catalog, redactor, matches, sink, narrowed }: Finding & { redactor: Redactor },
  question: Pick<Question, 'showSecrets' | 'explain'> & ObjectFilters,
): ValueCount[] {
  const definition = catalog.get(name);
  const of = (holding: Holding) => {
    const { gvr } = holding.type;
    const redact =
      isSecretResource(gvr) && !question.showSecrets
        ? (object: ReadonlyObject) => redactor.redact(object, gvr)
        : undefined;
    const store = storeOf(holding);
    const kept = !isFiltered(question)
      ? store
      : scanned(store.list().filter((object) => matches(object, holding.type)));
    if (question.explain) {
      const filtered = isFiltered(question) ? kept.size : undefined;
      const how = explainCounts(definition, kept, { isRedacted: redact !== undefined });
      sink.notice(explainedText(holding, { how, filtered, pushed: pushedText(narrowed?.of(holding.type)) }));
    }
    return valueCounts(definition, kept, redact);
  };
  return mergedCounts(holdings.map(of));
}

/** The values of an expression, each with the number of objects that have it. */
export function grouped(found: readonly Found[], by: Expression, redactor: Redactor): ValueCount[] {
  return groupCounts(found, ({ object, type }) => by.values(redactor.redact(object, type.gvr)).map(goText));
}

/** Counts as they are printed. */
export function countsText(
  all: readonly ValueCount[],
  { format, limit, noHeaders }: Pick<Question, 'format' | 'limit' | 'noHeaders'>,
): string {
  const counts = all.slice(0, limit);
  if (format.kind === 'json') return `${goJson(counts)}\n`;
  const table = new AlignedTable();
  const rows = counts.map(({ value, count }) => [cellText(value), String(count)]);
  if (!noHeaders) rows.unshift(['VALUE', 'COUNT']);
  for (const row of rows) table.fit(row);
  return rows.map((row) => table.line(row)).join('');
}
