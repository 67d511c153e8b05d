import { countsTextOf } from '../../output/compiled-output.ts';
import { rowRecord } from '../../query/answer/grouping.ts';
import type { GroupRow } from '../../query/answer/groups.ts';
import { columnOf } from '../../query/answer/measure-flags.ts';
import type { CountLook, ReadQuery } from './read-query.ts';

/** Rows of counts in the format of the plan. The rows are in their order, and no more than are shown. */
export function countsText(
  rows: readonly GroupRow[],
  { format, noHeaders, measures, counting }: ReadQuery & { readonly counting: CountLook },
): string {
  const records = () => rows.map((row) => rowRecord(row, measures));
  return countsTextOf(format)({ rows, amounts: measures.map(columnOf), records }, { noHeaders, ...counting });
}
