/** One column of a server-side table. Source: apimachinery meta/v1 TableColumnDefinition. */
export interface TableColumn {
  readonly name: string;
  /** OpenAPI type: string, integer, number, boolean, date. */
  readonly type: string;
  readonly format: string;
  readonly description?: string;
  /** 0: always shown. Above 0: shown only in wide output. */
  readonly priority: number;
}

/** The columns of a type for which the server sends no table. */
export const COLUMNS_WITHOUT_TABLE: readonly TableColumn[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0 },
  { name: 'Age', type: 'string', format: '', priority: 0 },
];

/** The row of the server's table that describes one object. `cells[i]` belongs to `columns[i]`. */
export interface Cells {
  readonly columns: readonly TableColumn[];
  readonly cells: readonly unknown[];
  /** When the server printed the row, wall-clock ms, if a cell says how long ago something was. */
  readonly at?: number;
}

/** The printed heading of a column: `UP-TO-DATE`. */
export const headingOf = ({ name }: Pick<TableColumn, 'name'>): string => name.toUpperCase();

/** A heading as the name of a variable: `UP_TO_DATE`. */
export const cellVariable = (heading: string): string => heading.replace(/[^\p{L}\p{Nd}_]/gu, '_');

const CELLS: unique symbol = Symbol('kubectl-informer.cells');

/**
 * Attaches a table row to an object and returns the object.
 * The row is kept under a symbol. JSON and YAML do not show it; `{...object}` copies it; a structured clone drops it.
 */
export function withCells<T extends object>(object: T, cells: Cells): T {
  (object as { [CELLS]?: Cells })[CELLS] = cells;
  return object;
}

/** The table row of an object; undefined when the object did not come from a table. */
export function cellsOf(object: object): Cells | undefined {
  return (object as { [CELLS]?: Cells })[CELLS];
}
