import { goText } from '../../expr/go-text.ts';
import { cellText } from '../../kit/escape.ts';
import { isSecretResource } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { Redactor } from '../../stream/redact.ts';
import { withKind } from '../../stream/shown-object.ts';
import type { AnswerNotices } from './answer-sink.ts';
import { type Found, patienceWith } from './found.ts';
import type { FoundIn } from './found-in.ts';
import { type GroupRow, groupsOf } from './groups.ts';
import { lookedAtBy, saidOf } from './looked-at.ts';
import { eachPatiently } from './patient-filter.ts';
import type { Expression, Query } from './query.ts';
import { amountsOf } from './sums.ts';

export interface GroupingContext {
  readonly redactor: Redactor;
  readonly sink: AnswerNotices;
}

/** Groups, and what a person should know of their amounts. */
export interface Grouped {
  readonly rows: readonly GroupRow[];
  readonly remarks: readonly string[];
}

/**
 * The groups of objects by an expression, or all objects as one, with their amounts. Everything is read from the
 * objects as they are shown: values of Secrets are neither values of groups nor counted up. Other code runs meanwhile.
 */
export async function grouped(
  found: readonly FoundIn[],
  { groupBy, measures }: Pick<Query, 'groupBy' | 'measures'>,
  context: GroupingContext,
): Promise<Grouped> {
  const items = await itemsOf(found, { groupBy, measures }, context);
  const groups: { readonly value: string | undefined; readonly items: readonly Item[] }[] = groupBy
    ? groupsOf(items, ({ values }) => values)
    : [{ value: undefined, items }];
  const columns = measures.map(({ verb }, i) => {
    const times = new Map<readonly unknown[], number>();
    for (const { amounts, count } of items) times.set(amounts[i] ?? [], count);
    const lists = groups.map((group) => group.items.map(({ amounts }) => amounts[i] ?? []));
    return amountsOf(verb, lists, (values) => times.get(values) ?? 1);
  });
  return {
    rows: groups.map(({ value, items: own }, i) => ({
      value,
      count: own.reduce((sum, { count }) => sum + count, 0),
      amounts: columns.map(({ amounts }) => amounts[i]),
    })),
    remarks: columns.flatMap(({ unread }, i) => {
      const { verb, expression } = measures[i] as (typeof measures)[number];
      if (!unread) return [];
      const kinds = verb === 'min' || verb === 'max' ? 'number, quantity, duration or time' : 'number, quantity or duration'; // biome-ignore format: one line
      const { count, of, example } = unread;
      const such = example === '' ? '' : `, such as ${JSON.stringify(cellText(example).slice(0, LONGEST_EXAMPLE))}`;
      return [
        `--${verb} ${cellText(expression.text)}: ${count} of ${of} value${of === 1 ? '' : 's'} cannot be counted as the same ${kinds}${such}, and ${count === 1 ? 'is' : 'are'} left out`,
      ];
    }),
  };
}

/** The values of an object: those of its groups, and those that are counted up, measure by measure. */
interface Item {
  readonly values: readonly string[];
  readonly amounts: readonly (readonly unknown[])[];
  /** The number of objects that have them. */
  count: number;
}

/** The items of all objects that were found. Of an object no more is kept. */
async function itemsOf(
  found: readonly FoundIn[],
  { groupBy, measures }: Pick<Query, 'groupBy' | 'measures'>,
  { redactor, sink }: GroupingContext,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  const expressions = [...(groupBy ? [groupBy] : []), ...measures.map(({ expression }) => expression)];
  for (const { objects, store, type } of found) {
    const looked = isSecretResource(type.gvr) ? undefined : lookedAtBy(expressions);
    const itemOf = saidOf(objects, store, looked, (object): Item => {
      const shown = shownIn({ object, type }, redactor);
      const amounts = measures.map(({ expression }) => expression.values(shown));
      const item = { values: groupBy ? groupValues(shown, groupBy) : [], amounts, count: 0 };
      items.push(item);
      return item;
    });
    await eachPatiently(objects.length, (place) => void itemOf(place).count++, patienceWith(sink, objects, type));
  }
  return items;
}

/** An object as expressions of groups and amounts read it. It has the field `cluster` where its type names one. */
export function shownIn({ object, type }: Found, redactor: Redactor): ReadonlyObject {
  const shown = withKind(redactor.redact(object, type.gvr), type);
  return type.cluster === undefined ? shown : withCluster(shown, type.cluster);
}

const withCluster = (object: ReadonlyObject, cluster: string): ReadonlyObject & { readonly cluster: string } => ({
  ...object,
  cluster,
});

/** The groups in which an object is by an expression; none if it has no value. */
export const groupValues = (object: ReadonlyObject, by: Expression): readonly string[] =>
  by.values(object).filter(isThere).map(goText);

const isThere = (value: unknown) => value !== null && value !== undefined;

/** The most characters of a value in a notice. */
const LONGEST_EXAMPLE = 60;

/** A row as data: `{"value": "worker-1", "count": 3, "sum": {"cpu": "1250m"}}`. */
export function rowRecord(
  { value, count, amounts }: GroupRow,
  measures: Query['measures'],
): Readonly<Record<string, unknown>> {
  const record: Record<string, unknown> = { ...(value === undefined ? {} : { value }), count };
  for (const [i, { verb, name }] of measures.entries())
    record[verb] = { ...(record[verb] as object | undefined), [name]: amounts[i]?.exact ?? null };
  return record;
}
