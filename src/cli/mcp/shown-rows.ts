import { loadExpression } from '../../expr/load-expression.ts';
import { InformerError } from '../../kit/error.ts';
import { cellsOf } from '../../model/cells.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import { columnsOf } from '../../output/tables/columns.ts';
import { wholeText } from '../../output/values.ts';
import type { Found } from '../../query/answer/found.ts';
import { IndexCatalog } from '../../query/index/index-catalog.ts';
import type { Redactor } from '../../stream/redact.ts';
import { shownObject } from '../../stream/shown-object.ts';
import { type Line, quotedText } from './budget.ts';

/** The parts of each object that are shown. */
export interface ShownParts {
  /** Headings of the server's columns. Default: those that kubectl shows. */
  readonly columns: readonly string[];
  /** Paths or CEL expressions: a column each. */
  readonly paths: readonly string[];
}

interface Cell {
  readonly heading: string;
  text(found: Found): string;
}

/** Rows of objects, type by type, each with its headings. What is the same in all rows of a type is written once. */
export async function objectRows(
  objects: readonly Found[],
  shown: ShownParts,
  context: { readonly redactor: Redactor; readonly now: number },
): Promise<string[]> {
  const rows: string[] = [];
  for (const type of new Set(objects.map((found) => found.type))) {
    const own = objects.filter((found) => found.type === type);
    const cells = await cellsFor(own[0] as Found, shown, context);
    const table = own.map((found) => cells.map((cell) => quotedText(cell.text(found))));
    const isCommon = cells.map((_, i) => own.length > 1 && table.every((row) => row[i] === table[0]?.[i]));
    const named = cells.flatMap(({ heading }, i) =>
      isCommon[i] && table[0]?.[i] ? [`${heading}=${table[0][i]}`] : [],
    );
    const kept = (row: readonly string[]) => row.filter((_, i) => !isCommon[i]).join('\t');
    rows.push(`${formatGroupResource(type.gvr)}${named.length > 0 ? ` (each: ${named.join(', ')})` : ''}`);
    rows.push(kept(cells.map(({ heading }) => heading)), ...table.map(kept));
  }
  return rows;
}

/** The lines of {@link objectRows} that are no objects. */
export const headingsIn = (objects: readonly Found[]): number => 2 * new Set(objects.map(({ type }) => type)).size;

async function cellsFor(
  first: Found,
  { columns, paths }: ShownParts,
  { redactor, now }: { readonly redactor: Redactor; readonly now: number },
): Promise<Cell[]> {
  const server = cellsOf(first.object)?.columns;
  const wide = columnsOf(server, first.type, { withNamespace: true, wide: true });
  const narrow = columnsOf(server, first.type, { withNamespace: true });
  const isAsked = columns.length > 0 || paths.length > 0;
  const names = ['NAMESPACE', 'NAME', ...columns.map((name) => name.toUpperCase())];
  const chosen = isAsked ? wide.filter(({ heading }) => names.includes(heading)) : narrow;
  const unknown = columns.find((name) => !wide.some(({ heading }) => heading === name.toUpperCase()));
  if (unknown !== undefined)
    throw new InformerError('argument', `${first.type.kind} has no column ${JSON.stringify(unknown)}`, {
      hint: `its columns are ${wide.map(({ heading }) => heading).join(', ')}; paths take fields`,
    });
  const expressions = await Promise.all(paths.map((path) => loadExpression(path, { flag: 'paths', onError() {} })));
  const options = { redactor };
  return [
    ...chosen.map((column) => ({
      heading: column.heading,
      text: ({ object, type }: Found) => column.cell({ object, type, cells: cellsOf(object), now }),
    })),
    ...expressions.map((expression) => ({
      heading: expression.text,
      text: ({ object, type }: Found) =>
        expression
          .values(shownObject(object, type, options))
          .map(wholeText)
          .join(','),
    })),
  ];
}

/** Objects that are looked at to find an index that divides them well. */
const MOST_LOOKED_AT = 2000;
const MOST_VALUES = 40;

/**
 * The index by which a further question finds the fewest objects: a line with its name, and a line with its most
 * frequent values.
 */
export function narrowing(objects: readonly Found[], count: number): readonly Line[] {
  const sample = objects.slice(0, MOST_LOOKED_AT);
  const labels = sample.slice(0, 50).flatMap(({ object }) => Object.keys(object.metadata.labels ?? {}));
  const names = ['namespace', 'phase', 'node', ...[...new Set(labels)].slice(0, 12).map((key) => `label:${key}`)];
  const catalog = new IndexCatalog();
  const indexes = names.flatMap((name) => {
    const counts = new Map<string, number>();
    const { valuesOf } = catalog.get(name);
    for (const { object } of sample)
      for (const value of valuesOf(object)) counts.set(value, (counts.get(value) ?? 0) + 1);
    if (counts.size < 2 || counts.size > MOST_VALUES) return [];
    const each = [...counts.values()];
    const unknown = sample.length - each.reduce((sum, n) => sum + n, 0);
    const expected = [...each, Math.max(0, unknown)].reduce((sum, n) => sum + n * n, 0);
    return [{ name, counts, expected }];
  });
  const [best] = indexes.sort((a, b) => a.expected - b.expected);
  if (!best) return [`${count} more; narrow by name, labels, where or filter, or ask for count`];
  const values = [...best.counts].sort((a, b) => b[1] - a[1]).slice(0, 5);
  const text = values.map(([value, n]) => `${quotedText(value, 63)} ${n}`).join(', ');
  const others = best.counts.size > values.length ? `, ${best.counts.size - values.length} other values` : '';
  return [`${count} more; narrow by eq ${quotedText(best.name)}=VALUE, whose values are`, { quoted: text + others }];
}
