import { InformerError } from '../../kit/error.ts';
import { passing } from '../../kit/lazy-list.ts';
import { isSecretResource } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { countedValues } from '../../query/answer/arrange.ts';
import type { Redactor } from '../../stream/redact.ts';
import { TableView } from './table-view.ts';
import type { UiProgram } from './ui-program.ts';
import type { UiQuery, UiValues } from './wire.ts';

const MOST_VALUES = 500;
const LONGEST = 300;

/** The values of an index among the objects that a question finds, and how many have each. Redacted. */
export async function indexValues(
  program: UiProgram,
  { question, name }: { readonly question: UiQuery; readonly name: string },
  redactor: Redactor,
): Promise<UiValues> {
  if (typeof name !== 'string') throw new InformerError('argument', 'no index is named');
  const view = await TableView.of(program, question);
  const index = program.index(name);
  const { informer, type } = view.cache;
  const objects = passing(informer.lister.view(), (object) => view.matches(object));
  const isRedacted = isSecretResource(type.gvr);
  const redact = isRedacted ? (object: ReadonlyObject) => redactor.redact(object, type.gvr) : undefined;
  const counts = countedValues(index, objects, redact);
  let without = 0;
  for (const object of objects) if (index.valuesOf(object).length === 0) without++;
  const values = counts
    .slice(0, MOST_VALUES)
    .map(({ value, count }) => [value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value, count] as const);
  return { values, distinct: counts.length, objects: objects.length, without, isRedacted };
}
