import { goJson } from '../../expr/go-text.ts';
import { csvRecord } from '../../output/csv.ts';
import { safeJson } from '../../output/escape.ts';
import { kyamlDocument } from '../../output/objects/kyaml-printer.ts';
import { toYaml } from '../../output/objects/yaml.ts';
import { countTable } from '../../output/tables/count-table.ts';
import { rowRecord } from '../../query/answer/grouping.ts';
import type { GroupRow } from '../../query/answer/groups.ts';
import { columnOf } from '../../query/answer/measures.ts';
import type { QueryPlan } from './read-query.ts';

/** Rows of counts in the format of the plan. The rows are in their order, and no more than are shown. */
export function countsText(
  rows: readonly GroupRow[],
  {
    format,
    noHeaders,
    measures,
    counting: { terminal, ...look },
  }: Pick<QueryPlan, 'format' | 'noHeaders' | 'measures' | 'counting'>,
): string {
  const names = measures.map(columnOf);
  const records = () => rows.map((row) => rowRecord(row, measures));
  const safe = terminal ? safeJson : (text: string) => text;
  switch (format.kind) {
    case 'json':
      return safe(`${goJson(records())}\n`);
    case 'ndjson':
      return safe(records().map((record) => `${goJson(record)}\n`).join('')); // biome-ignore format: short
    case 'yaml':
      return toYaml(records());
    case 'kyaml':
      return kyamlDocument(records());
    case 'csv': {
      const headings = [...(rows.some(({ value }) => value !== undefined) ? ['VALUE'] : []), 'COUNT', ...names.map((name) => name.toUpperCase())]; // biome-ignore format: one line
      const lines = rows.map(({ value, count, amounts }) => [
        ...(value === undefined ? [] : [value]),
        String(count),
        ...amounts.map((amount) => (amount ? String(amount.exact) : '')),
      ]);
      return (noHeaders ? lines : [headings, ...lines]).map((line) => csvRecord(line, terminal)).join('');
    }
    default: {
      const lines = rows.map(({ amounts, ...row }) => ({
        ...row,
        amounts: amounts.map((amount) => amount?.readable ?? NOTHING),
      }));
      return countTable(lines, { noHeaders, amounts: names, ...look });
    }
  }
}

/** A group without anything to count. */
const NOTHING = '<none>';
