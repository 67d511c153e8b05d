import { columnsServed } from '../../client/table-columns.ts';
import type { CelProgram } from '../../expr/cel/cel.ts';
import type { TableColumn } from '../../model/cells.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { checkWhere } from '../../stream/conditions/printed-cells.ts';
import type { Server } from './session.ts';

/** How {@link checkWheres} finds the columns of a type. */
export interface WhereColumns {
  /** The columns that need not be asked of the server. */
  readonly known?: (type: ResourceType) => readonly TableColumn[] | undefined;
  /** Whether rows are events, which have the column EVENT. Default: they are. */
  readonly ofEvents?: boolean;
}

/**
 * Checks `--where` expressions against the columns that the types have, before anything is watched or answered. Throws
 * `argument` for a column that no type has. The server is asked for the columns that `known` does not give. A server
 * that refuses to list columns will refuse the stream too, so that refusal is not reported here.
 */
export async function checkWheres(
  programs: readonly CelProgram[],
  types: readonly ResourceType[],
  namespace: string | undefined,
  session: Server,
  { known = () => undefined, ofEvents }: WhereColumns = {},
): Promise<void> {
  if (programs.length === 0) return;
  const columnsByType = await Promise.all(
    types.map((type) => known(type) ?? columnsServed(type, type.namespaced ? namespace : undefined, session)),
  );
  if (columnsByType.some((columns) => columns === undefined)) return;
  const columns = columnsByType.flatMap((each) => each ?? []);
  const withCluster = types.some(({ cluster }) => cluster !== undefined);
  for (const program of programs)
    checkWhere(program, columns.length > 0 ? columns : undefined, { ofEvents, withCluster });
}
