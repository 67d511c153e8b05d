import type { CelProgram } from '../../expr/cel/cel.ts';
import { BLANK, Duration, parseAge } from '../../expr/cel/cel-values.ts';
import { parseTime } from '../../expr/cel/times.ts';
import { keysRead } from '../../expr/cel/walk.ts';
import { InformerError } from '../../kit/error.ts';
import { numberOf } from '../../kit/exact-json.ts';
import { nearest } from '../../kit/nearest.ts';
import { cellAt } from '../../model/cell-ages.ts';
import {
  type Cells,
  COLUMNS_WITHOUT_TABLE,
  cellsOf,
  cellVariable,
  headingOf,
  type TableColumn,
} from '../../model/cells.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { DurationCell } from './cell-comparison.ts';

export type CellType = 'number' | 'duration' | 'boolean' | 'name' | 'cell';

export interface PrintedColumn {
  /** The name of its variable: `UP_TO_DATE`. */
  readonly name: string;
  /** Its printed heading, which is its key in `cells[…]`: `UP-TO-DATE`. */
  readonly heading: string;
  readonly type: CellType;
}

/** Columns that are printed in front of the columns of the server; the first of them only in streams of events. */
const AROUND = ['EVENT', 'NAMESPACE'];

/**
 * The printed columns of a type, wide ones too, with the names of their variables: the heading in capitals, in which
 * every character except letters, digits and `_` becomes `_`. If two columns get the same name, the variable is the
 * first of them; `cells["…"]` reaches both.
 */
export function printedColumns(columns: readonly TableColumn[] = COLUMNS_WITHOUT_TABLE): PrintedColumn[] {
  return columns.map((column) => {
    const heading = headingOf(column);
    return { name: cellVariable(heading), heading, type: typeOf(column, heading) };
  });
}

function typeOf({ type, format }: TableColumn, heading: string): CellType {
  if (format === 'name') return 'name';
  if (heading === 'AGE' || type === 'date') return 'duration';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'boolean' ? 'boolean' : 'cell';
}

/** The columns around those of the server. */
export interface AroundColumns {
  readonly ofEvents?: boolean | undefined;
  /** The column CLUSTER exists: rows are of more than one cluster. */
  readonly withCluster?: boolean | undefined;
}

/**
 * Throws `argument` if the program reads a name that is not a printed column of the type. The hint has the nearest name
 * and the list of all columns. The column EVENT exists `ofEvents` only, which is the default.
 */
export function checkWhere(
  program: CelProgram,
  columns?: readonly TableColumn[],
  { ofEvents = true, withCluster = false }: AroundColumns = {},
): void {
  const printed = printedColumns(columns);
  const around = [...(withCluster ? ['CLUSTER'] : []), ...(ofEvents ? AROUND : AROUND.slice(1))];
  const names = new Set([...printed.map(({ name }) => name), ...around]);
  const headings = new Set([...printed.map(({ heading }) => heading), ...around]);
  for (const used of program.variables)
    if (used !== 'cells' && !names.has(used)) refuse(program, used, names, `; a text is written in quotes: "${used}"`);
  for (const key of keysRead(program.ast, 'cells')) if (!headings.has(key)) refuse(program, key, headings, '');
}

function refuse({ flag, source }: CelProgram, used: string, names: ReadonlySet<string>, advice: string): never {
  const [near] = nearest(used, names);
  const meant = near ? `did you mean ${near}? ` : '';
  throw new InformerError('argument', `${flag}: there is no column ${used} in ${source}`, {
    hint: `${meant}The columns are ${[...names].join(', ')}${advice}`,
  });
}

/**
 * The variables of an expression over printed cells. A cell is computed when it is read, so that columns that the
 * expression does not name cost nothing.
 *
 * - Cells of `integer` and `number` columns, and the cells `N` and `N (… ago)`, are numbers.
 * - AGE, date columns and cells whose text is a duration are durations; AGE, and what is the time since something happened, are as at `now`.
 * - An empty cell is the empty text. Every other cell is the printed text, `<none>` too.
 * - A column that the type of the row does not have is missing.
 */
export class PrintedCells {
  #last: { readonly columns: readonly TableColumn[] | undefined; readonly prototype: object };

  /** `columns` are used for objects without a row. The columns of a row may differ from those of the row before. */
  constructor(columns?: readonly TableColumn[]) {
    this.#last = { columns, prototype: rowPrototype(columns) };
  }

  /**
   * The variables of one row, at the time `now` in ms. `event` is the value of EVENT, `cluster` that of CLUSTER, if
   * that column exists.
   */
  variablesFor(
    object: ReadonlyObject,
    now: number,
    event?: string,
    cluster?: string,
  ): Readonly<Record<string, unknown>> {
    const row = cellsOf(object);
    if (row && row.columns !== this.#last.columns)
      this.#last = { columns: row.columns, prototype: rowPrototype(row.columns) };
    const variables = Object.create(this.#last.prototype) as Row;
    variables[ROW] = { object, now, event, cluster, row };
    return variables as unknown as Readonly<Record<string, unknown>>;
  }
}

const ROW: unique symbol = Symbol('row');

interface RowData {
  readonly object: ReadonlyObject;
  readonly now: number;
  readonly event: string | undefined;
  readonly cluster: string | undefined;
  readonly row: Cells | undefined;
}

interface Row {
  [ROW]: RowData;
}

/** An object with a getter for each column, created once for all rows. A row is an object that inherits from it. */
function rowPrototype(columns: readonly TableColumn[] | undefined): object {
  const printed = printedColumns(columns);
  const prototype: object = Object.create(null);
  define(prototype, 'NAMESPACE', ({ object }) => object.metadata.namespace ?? '');
  define(prototype, 'CLUSTER', ({ cluster }) => cluster);
  for (const [i, column] of [...printed.entries()].reverse())
    define(prototype, column.name, (row) => cellValue(column, i, row));
  define(prototype, 'EVENT', ({ event }) => event);
  define(prototype, 'cells', (row) => ({
    ...Object.fromEntries(printed.map((column, i) => [column.heading, cellValue(column, i, row)])),
    EVENT: row.event,
    NAMESPACE: row.object.metadata.namespace ?? '',
    ...(row.cluster === undefined ? {} : { CLUSTER: row.cluster }),
  }));
  return prototype;
}

function define(prototype: object, name: string, read: (row: RowData) => unknown): void {
  Object.defineProperty(prototype, name, {
    configurable: true,
    get(this: Row) {
      return read(this[ROW]);
    },
  });
}

function cellValue({ type, heading }: PrintedColumn, i: number, { object, now, row }: RowData): unknown {
  const printed = row?.cells[i];
  if (type === 'name') return printed === undefined ? object.metadata.name : String(printed);
  if (heading === 'AGE') return sinceText(object.metadata.creationTimestamp, now) ?? asDuration(printed ?? '', now);
  if (row === undefined) return undefined; // no row: the column is missing
  const cell = cellAt(row, i, now) ?? '';
  if (cell === '') return type === 'boolean' ? BLANK : '';
  return type === 'duration' ? asDuration(cell, now) : asValue(cell);
}

function sinceText(time: string | null | undefined, now: number): Duration | undefined {
  const then = time ? parseTime(time) : undefined;
  return then && new Duration(now - then.getTime());
}

/** A time, or a duration as a text: `5m`, `3d4h`. `<unknown>` stays a text. */
function asDuration(cell: unknown, now: number): unknown {
  if (typeof cell !== 'string') return cell;
  const ms = sinceText(cell, now)?.ms ?? durationIn(cell);
  return ms === undefined ? cell : new DurationCell(ms, cell);
}

/** `5m`, and `5m ago`. */
const durationIn = (cell: string) => parseAge(cell.replace(/ ago$/, ''));

/** `3` and `3 (5m ago)`, as RESTARTS is printed. */
const COUNT = /^(-?\d+)(?: \(.* ago\))?$/;

function asValue(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  const count = COUNT.exec(cell)?.[1];
  if (count !== undefined) return numberOf(count);
  const ms = durationIn(cell);
  return ms === undefined ? cell : new DurationCell(ms, cell);
}
