import { loadExpression } from '../../expr/load-expression.ts';
import { InformerError } from '../../kit/error.ts';
import { cellsOf } from '../../model/cells.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { isSecretResource } from '../../model/secret-type.ts';
import { columnsOf } from '../../output/tables/columns.ts';
import { wholeText } from '../../output/values.ts';
import { sortedCounts } from '../../query/answer/arrange.ts';
import type { Found, FoundIn } from '../../query/answer/found.ts';
import { lookedAtBy, looksOf } from '../../query/answer/looked-at.ts';
import { IndexCatalog } from '../../query/index/index-catalog.ts';
import type { IndexDefinition } from '../../query/index/index-definition.ts';
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

/** Its row; a Found of another kind has its object alone. */
const rowOf = (found: Found): ReadonlyObject => found.row ?? found.object;

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
  const server = cellsOf(rowOf(first))?.columns;
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
  const looked = lookedAtBy(expressions);
  return [
    ...chosen.map((column) => ({
      heading: column.heading,
      text: (found: Found) =>
        column.cell({ object: rowOf(found), type: found.type, cells: cellsOf(rowOf(found)), now }),
    })),
    ...expressions.map((expression) => ({
      heading: expression.text,
      text: (found: Found) =>
        expression
          .values(shownObject(found.look?.(looked) ?? found.object, found.type, options))
          .map(wholeText)
          .join(','),
    })),
  ];
}

/** Of more objects than this only the namespaces and labels are looked at, which are at hand. */
const MANY = 2000;
const MOST_VALUES = 40;
const MOST_LABELS = 12;

/**
 * The index by which a further question finds the fewest objects: a line with its name, and a line with its most
 * frequent values.
 */
export function narrowing(found: readonly FoundIn[], count: number): readonly Line[] {
  const all = found.reduce((sum, { objects }) => sum + objects.length, 0);
  const catalog = new IndexCatalog();
  const seen = all > MANY ? [] : ['phase', 'node'].flatMap((name) => catalog.get(name).seen ?? []);
  const looked = { fields: [...LABELS, ...seen] };
  const definitions = new Map<string, IndexDefinition>();
  const definitionOf = (name: string) => {
    const known = definitions.get(name) ?? catalog.get(name);
    definitions.set(name, known);
    return known;
  };
  const counts = new Map<string, Map<string, number>>();
  const add = (name: string, object: ReadonlyObject, times: number) => {
    const values = counts.get(name) ?? new Map<string, number>();
    counts.set(name, values);
    for (const value of definitionOf(name).valuesOf(object)) values.set(value, (values.get(value) ?? 0) + times);
  };
  for (const [object, times] of alike(found, looked)) {
    const labels = Object.keys(object.metadata.labels ?? {}).map((key) => `label:${key}`);
    const names = ['namespace', ...(all > MANY ? [] : ['phase', 'node']), ...labels];
    for (const name of names) if (counts.has(name) || counts.size < MOST_LABELS + 3) add(name, object, times);
  }
  const best = [...counts]
    .filter(([, { size }]) => size > 1 && size <= MOST_VALUES)
    .map(([name, values]) => ({ name, values, expected: expectedOf([...values.values()], all) }))
    .sort((a, b) => a.expected - b.expected)[0];
  if (!best) return [`${count} more; narrow by name, labels, where or filter, or ask for count`];
  const values = sortedCounts(best.values).slice(0, 5);
  const text = values.map(({ value, count: n }) => `${quotedText(value, 63)} ${n}`).join(', ');
  const others = best.values.size > values.length ? `, ${best.values.size - values.length} other values` : '';
  return [`${count} more; narrow by eq ${quotedText(best.name)}=VALUE, whose values are`, { quoted: text + others }];
}

const LABELS = [
  ['metadata', 'namespace'],
  ['metadata', 'labels'],
];

/** The expected number of objects that a value finds, where those without a value are one group. */
function expectedOf(counts: readonly number[], all: number): number {
  const without = Math.max(0, all - counts.reduce((sum, n) => sum + n, 0));
  return [...counts, without].reduce((sum, n) => sum + n * n, 0);
}

/** The objects that were found, those that look alike once, with their number; of very different ones the first. */
function alike(found: readonly FoundIn[], looked: Parameters<typeof looksOf>[2]): Map<ReadonlyObject, number> {
  const counts = new Map<ReadonlyObject, number>();
  for (const { objects, store, type } of found) {
    const lookAt = looksOf(objects, store, isSecretResource(type.gvr) ? undefined : looked);
    const { length } = objects;
    for (let place = 0; place < length; place++) {
      const object = lookAt(place);
      counts.set(object, (counts.get(object) ?? 0) + 1);
      if (counts.size > MANY) return counts;
    }
  }
  return counts;
}
