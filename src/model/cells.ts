/** One column of a server-side table. Source: apimachinery meta/v1 TableColumnDefinition. */
export interface TableColumn {
  readonly name: string;
  /** OpenAPI type: string, integer, number, boolean, date. */
  readonly type: string;
  readonly format: string;
  readonly description?: string;
  /** 0 is always shown, anything above only in wide output. */
  readonly priority: number;
}

/** The row of the server's table that belongs to an object. `cells[i]` stands under `columns[i]`. */
export interface Cells {
  readonly columns: readonly TableColumn[];
  readonly cells: readonly unknown[];
}

const CELLS: unique symbol = Symbol('kubectl-informer.cells');

/**
 * Hangs a table row on an object and returns the object.
 * The row is kept under a symbol: JSON and YAML do not show it, `{...object}` carries it along, a structured clone loses it.
 */
export function withCells<T extends object>(object: T, cells: Cells): T {
  (object as { [CELLS]?: Cells })[CELLS] = cells;
  return object;
}

/** The table row of an object, or undefined when it did not come out of a table. */
export function cellsOf(object: object): Cells | undefined {
  return (object as { [CELLS]?: Cells })[CELLS];
}
