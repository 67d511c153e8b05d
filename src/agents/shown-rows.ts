import { loadExpression } from '../expr/path-or-cel.ts';
import { InformerError } from '../kit/error.ts';
import { lightsOf } from '../kit/lazy-list.ts';
import { cellsOf } from '../model/cells.ts';
import { formatGroupResource, isSecretResource } from '../model/gvr.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { columnsOf } from '../output/tables/columns.ts';
import { wholeText } from '../output/value-text.ts';
import { sortedCounts } from '../query/answer/arrange.ts';
import type { Found } from '../query/answer/found.ts';
import type { FoundIn } from '../query/answer/found-in.ts';
import { lookedAtBy, saidOf } from '../query/answer/looked-at.ts';
import { IndexCatalog } from '../query/index/index-catalog.ts';
import type { Redactor } from '../stream/redact.ts';
import { shownObject } from '../stream/shown-object.ts';
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

/** Objects from which the best index is chosen. Of more a part is looked at, evenly spread. */
const MOST_LOOKED_AT = 400;
const MOST_VALUES = 40;
const MOST_LABELS = 12;
const LABEL = 'label:';

/**
 * The index by which a further question finds the fewest objects: a line with its name, and a line with its most
 * frequent values. It is looked for when it is first asked for.
 */
export function narrowing(found: readonly FoundIn[]): (left: number) => readonly Line[] {
  let known: Narrowing | undefined;
  return (left) => {
    known ??= bestIndex(found);
    if (!known.best) return [`${left} more; narrow by name, labels, where or filter, or ask for count`];
    const { name, values } = known.best;
    const first = sortedCounts(values).slice(0, 5);
    const text = first.map(({ value, count }) => `${quotedText(value, 63)} ${count}`).join(', ');
    const others = values.size > first.length ? `, ${values.size - first.length} other values` : '';
    const of = known.isPart ? ` (in ${known.looked} of them)` : '';
    // the key of a label is the cluster's word
    const label = name.startsWith(LABEL) ? `${quotedText(name)}=VALUE: ` : '';
    const which = label === '' ? `${name}=VALUE, whose values are` : 'a label, whose values are';
    return [`${left} more; narrow by eq ${which}${of}`, { quoted: label + text + others }];
  };
}

interface Narrowing {
  readonly best: { readonly name: string; readonly values: ReadonlyMap<string, number> } | undefined;
  readonly looked: number;
  /** Not all objects were looked at. */
  readonly isPart: boolean;
}

function bestIndex(found: readonly FoundIn[]): Narrowing {
  const all = found.reduce((sum, { objects }) => sum + objects.length, 0);
  const looked = Math.min(all, MOST_LOOKED_AT);
  const counts = new Map<string, Map<string, number>>();
  const count = (name: string, value: string) => {
    const values = counts.get(name);
    if (values) values.set(value, (values.get(value) ?? 0) + 1);
    else if (counts.size < MOST_LABELS + 3) counts.set(name, new Map([[value, 1]]));
  };
  for (const each of found) {
    const valuesOf = OF_PODS.map((name) => [name, valuesIn(each, name)] as const);
    const entries = lightsOf(each.objects) as readonly Pick<ReadonlyObject, 'metadata'>[];
    for (let place = 0; place < entries.length; place += all / looked) {
      const { namespace, labels = {} } = (entries[Math.floor(place)] as (typeof entries)[number]).metadata;
      if (namespace !== undefined) count('namespace', namespace);
      for (const [name, values] of valuesOf) for (const value of values(Math.floor(place))) count(name, value);
      for (const key in labels) count(LABEL + key, labels[key] as string);
    }
  }
  const [best] = [...counts]
    .filter(([, { size }]) => size > 1 && size <= MOST_VALUES)
    .map(([name, values]) => ({ name, values, expected: expectedOf([...values.values()], looked) }))
    .sort((a, b) => a.expected - b.expected);
  return { best, looked, isPart: looked < all };
}

const OF_PODS = ['phase', 'node'];

const CATALOG = new IndexCatalog();

/** The values of an index of the objects that were found, by place. Of each the fields that the index reads are looked at. */
function valuesIn({ objects, store, type }: FoundIn, name: string): (place: number) => readonly string[] {
  const definition = CATALOG.get(name);
  const looked = isSecretResource(type.gvr) ? undefined : lookedAtBy([definition]);
  return saidOf(objects, store, looked, (object) => definition.valuesOf(object));
}

/** The expected number of objects that a value finds, where those without a value are one group. */
function expectedOf(counts: readonly number[], all: number): number {
  const without = Math.max(0, all - counts.reduce((sum, n) => sum + n, 0));
  return [...counts, without].reduce((sum, n) => sum + n * n, 0);
}
