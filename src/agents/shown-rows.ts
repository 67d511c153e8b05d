import { loadExpression } from '../expr/load-expression.ts';
import type { LookedAt } from '../informer/compact/field-columns.ts';
import { InformerError } from '../kit/error.ts';
import { lightAt } from '../kit/lazy-list.ts';
import { cellsOf } from '../model/cells.ts';
import { formatGroupResource, isSecretResource } from '../model/gvr.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { columnsOf } from '../output/tables/columns.ts';
import { wholeText } from '../output/values.ts';
import { sortedCounts } from '../query/answer/arrange.ts';
import type { Found, FoundIn } from '../query/answer/found.ts';
import { lookedAtBy } from '../query/answer/looked-at.ts';
import { IndexCatalog } from '../query/index/index-catalog.ts';
import type { IndexDefinition } from '../query/index/index-definition.ts';
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
    return [`${left} more; narrow by eq ${quotedText(name)}=VALUE, whose values are${of}`, { quoted: text + others }];
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
  const catalog = new IndexCatalog();
  const fields = [...LABELS, ...OF_PODS.flatMap((name) => catalog.get(name).seen ?? [])];
  const definitions = new Map<string, IndexDefinition>();
  const counts = new Map<string, Map<string, number>>();
  for (const object of spread(found, looked / all, { fields })) {
    const labels = Object.keys(object.metadata.labels ?? {}).map((key) => `label:${key}`);
    for (const name of ['namespace', ...OF_PODS, ...labels]) {
      if (!counts.has(name) && counts.size >= MOST_LABELS + 3) continue;
      const definition = definitions.get(name) ?? catalog.get(name);
      definitions.set(name, definition);
      const values = counts.get(name) ?? new Map<string, number>();
      counts.set(name, values);
      for (const value of definition.valuesOf(object)) values.set(value, (values.get(value) ?? 0) + 1);
    }
  }
  const [best] = [...counts]
    .filter(([, { size }]) => size > 1 && size <= MOST_VALUES)
    .map(([name, values]) => ({ name, values, expected: expectedOf([...values.values()], looked) }))
    .sort((a, b) => a.expected - b.expected);
  return { best, looked, isPart: looked < all };
}

const OF_PODS = ['phase', 'node'];

const LABELS = [
  ['metadata', 'namespace'],
  ['metadata', 'labels'],
];

/** The expected number of objects that a value finds, where those without a value are one group. */
function expectedOf(counts: readonly number[], all: number): number {
  const without = Math.max(0, all - counts.reduce((sum, n) => sum + n, 0));
  return [...counts, without].reduce((sum, n) => sum + n * n, 0);
}

/** A part of the objects that were found, every n-th. Of each the fields that are looked at. */
function* spread(found: readonly FoundIn[], part: number, looked: LookedAt): Generator<ReadonlyObject> {
  for (const { objects, store, type } of found) {
    const read = isSecretResource(type.gvr) ? undefined : store.readerOf?.(looked, (each) => each);
    const { length } = objects;
    for (let place = 0; place < length; place += 1 / part) {
      const at = Math.floor(place);
      yield read ? read(lightAt(objects, at)) : (objects[at] as ReadonlyObject);
    }
  }
}
