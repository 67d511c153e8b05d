import { InformerError } from '../../kit/error.ts';
import { printedRow } from '../../model/cell-ages.ts';
import { type TableColumn, withCells } from '../../model/cells.ts';
import type { KubeObject, ObjectMeta } from '../../model/object.ts';
import type { WatchEvent } from '../../model/watch-event.ts';

/** The part of each object that its row contains. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** The Accept header for a table, or for plain objects from a server without tables. */
export const TABLE_TYPE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
export const TABLE_ACCEPT = `${TABLE_TYPE},application/json`;

/** A row of a table. Source: apimachinery meta/v1 TableRow. */
export interface TableRow {
  /** Missing, or not a list, only in a response of a broken server. */
  cells?: unknown[] | null;
  object?: KubeObject | null;
}

/** A table. Source: apimachinery meta/v1 Table. */
export interface Table {
  kind: 'Table';
  apiVersion: string;
  metadata?: ObjectMeta;
  columnDefinitions?: TableColumn[] | null;
  rows?: TableRow[] | null;
}

/** Whether a value is a table of meta.k8s.io. A kind `Table` of another group is not. */
export function isTable(value: unknown): value is Table {
  const { kind, apiVersion } = (value ?? {}) as { kind?: unknown; apiVersion?: unknown };
  return kind === 'Table' && (apiVersion === 'meta.k8s.io/v1' || apiVersion === 'meta.k8s.io/v1beta1');
}

/**
 * The object of a row, with its cells attached. Without an object in the row (`includeObject=None`) the result has only
 * the name in the cells. It has no namespace, so it has no key in a cache. `now`: the wall-clock time, ms.
 */
export function objectOfRow<T extends object>(
  { object, cells: given }: TableRow,
  columns: readonly TableColumn[],
  { version, now }: { readonly version?: string | undefined; readonly now?: (() => number) | undefined } = {},
): T {
  const cells: readonly unknown[] = Array.isArray(given) ? given : [];
  return withCells((object ?? nameOnly(cells, columns, version)) as T, printedRow(columns, cells, now));
}

/** The rows of a table that a server sent; none if it has none. Throws `decode` for what is no list of rows. */
export function rowsIn(rows: unknown): TableRow[] {
  if (rows === undefined || rows === null) return [];
  if (Array.isArray(rows)) return rows.map(rowFrom);
  throw new InformerError('decode', 'the server sent a table whose rows are not a list');
}

/** A row that a server sent. Throws `decode` for a value that is not a row. */
export function rowFrom(value: unknown): TableRow {
  if (typeof value !== 'object' || value === null)
    throw new InformerError('decode', `the server sent a table with a row that is not an object but ${kindOf(value)}`);
  const { object } = value as { object?: unknown };
  if (object === undefined || typeof object === 'object') return value as TableRow;
  throw new InformerError('decode', `the server sent a table with a row about ${kindOf(object)} and not an object`);
}

const kindOf = (value: unknown) => (value === null ? 'null' : `a ${typeof value}`);

/** The columns of a table. Throws `decode` if one has no name. */
export function columnsIn(definitions: unknown): TableColumn[] {
  const columns: readonly unknown[] = Array.isArray(definitions) ? definitions : [];
  if (columns.every((column) => typeof (column as Partial<TableColumn> | null)?.name === 'string'))
    return columns as TableColumn[];
  throw new InformerError('decode', 'the server sent a table with a column that has no name');
}

/** Turns table events into events of objects. A server sends the columns with the first event of a watch only. */
export class TableEvents<T extends object> {
  readonly #now: (() => number) | undefined;
  #columns: readonly TableColumn[] = [];

  /** `now`: the wall-clock time, ms. */
  constructor(now?: () => number) {
    this.#now = now;
  }

  objectsOf(events: readonly WatchEvent<unknown>[]): WatchEvent<T>[] {
    return events.flatMap((event) =>
      isTable(event.object) ? this.#ofTable(event.type, event.object) : [event as WatchEvent<T>],
    );
  }

  #ofTable(type: WatchEvent<T>['type'], table: Table): WatchEvent<T>[] {
    if (table.columnDefinitions) this.#columns = columnsIn(table.columnDefinitions);
    const rows = rowsIn(table.rows);
    if (type === 'BOOKMARK') return [{ type, object: bookmarkOf(table, rows) }];
    const version = table.metadata?.resourceVersion;
    return rows.map(
      (row) => ({ type, object: objectOfRow<T>(row, this.#columns, { version, now: this.#now }) }) as WatchEvent<T>,
    );
  }
}

/** The object of a bookmark. Its row shows an empty object (`0/0`, `<unknown>`), so the cells are dropped. */
function bookmarkOf({ metadata }: Table, [row]: readonly TableRow[]): KubeObject {
  return row?.object ?? { metadata: metadata ?? {} };
}

function nameOnly(cells: readonly unknown[], columns: readonly TableColumn[], version: string | undefined): KubeObject {
  const name = cells[columns.findIndex((column) => column.format === 'name')];
  const metadata = {
    ...(typeof name === 'string' ? { name } : {}),
    ...(version === undefined ? {} : { resourceVersion: version }),
  };
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}
