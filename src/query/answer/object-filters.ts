import type { CelProgram } from '../../expr/cel/cel.ts';
import type { CompiledCondition } from '../../stream/conditions/condition.ts';

/** The conditions on objects, beside lookups in indexes. */
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

/** Whether there is a condition at all. */
export const isFiltered = ({ conditions = [], name, excludeName }: Partial<ObjectFilters>): boolean =>
  conditions.length > 0 || name !== undefined || excludeName !== undefined;
