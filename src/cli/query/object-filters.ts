import type { CelProgram } from '../../expr/cel/cel.ts';
import { InformerError } from '../../kit/error.ts';
import type { FieldReads } from '../../model/field-path.ts';
import { type CompiledCondition, conditionOf } from '../../stream/conditions/condition.ts';
import { compiledAll, compiledWheres, regexOf } from '../session/stream-filters.ts';

/** What objects must meet, beside lookups in indexes. */
export interface ObjectFilters {
  /** `--filter` as compiled: for what a server can do of it. */
  readonly filters: readonly CelProgram[];
  /** `--where` as compiled: its columns are checked against those of the types. */
  readonly wheres: readonly CelProgram[];
  /** All of them hold for what is found: those of `--filter`, then those of `--where`. */
  readonly conditions: readonly CompiledCondition[];
  /** Names match the first and do not match the second. */
  readonly name: { test(name: string): boolean } | undefined;
  readonly excludeName: { test(name: string): boolean } | undefined;
  /** The filters look at more of an object than its metadata. */
  readonly filtersNeedObject: boolean;
}

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

/** Whether there is anything to meet. */
export const isFiltered = ({ conditions, name, excludeName }: ObjectFilters): boolean =>
  conditions.length > 0 || name !== undefined || excludeName !== undefined;
