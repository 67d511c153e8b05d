import type { CelProgram } from '../../expr/cel/cel.ts';
import { InformerError } from '../../kit/error.ts';
import type { FieldReads } from '../../model/field-path.ts';
import type { ObjectFilters } from '../../query/answer/object-filters.ts';
import { conditionOf } from '../../stream/conditions/condition.ts';
import { compiledAll, compiledWheres, regexOf } from '../session/stream-filters.ts';

/** The flags that say what objects must meet. */
export interface ObjectFilterFlags {
  readonly filter?: readonly string[] | undefined;
  readonly where?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly 'exclude-name'?: string | undefined;
}

/** Reads what objects must meet, and the fields that it looks at. Throws `argument`, with the place of the mistake. */
export async function objectFiltersOf(
  flags: ObjectFilterFlags,
): Promise<{ readonly filters: ObjectFilters; readonly reads: readonly FieldReads[] }> {
  const { programs, needsObject, reads } = await compiledAll(flags.filter, 'filter');
  const wheres = await compiledWheres(flags.where ?? []);
  for (const program of programs) refuseEvents(program);
  const filters = {
    filters: programs,
    wheres: wheres.programs,
    conditions: [...programs.map(conditionOf), ...wheres.conditions],
    name: await regexOf('name', flags.name),
    excludeName: await regexOf('exclude-name', flags['exclude-name']),
    filtersNeedObject: needsObject,
  };
  return { filters, reads };
}

/** Variables of a stream of events. */
const OF_EVENTS = ['event', 'oldObject'];

/** The objects of a question are as they are now: what happened to them is not known. */
function refuseEvents({ flag, source, variables }: CelProgram): void {
  const used = OF_EVENTS.find((name) => variables.has(name));
  if (used === undefined) return;
  throw new InformerError(
    'argument',
    `${flag}: a query has objects and no events, so there is no ${used} in ${source}`,
    {
      hint: `object and now are known here; 'watch' has ${OF_EVENTS.join(' and ')} too`,
    },
  );
}
