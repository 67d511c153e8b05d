import { goSprint } from '../../expr/go-text.ts';
import type { Clock } from '../../kit/clock.ts';
import { cellsOf, type TableColumn } from '../../model/cells.ts';
import { formatGvr } from '../../model/gvr.ts';
import { whyUnprintable } from '../../stream/shown-object.ts';
import { csvRecord, tsvRecord } from '../csv.ts';
import type { PrintedObject, Printer } from '../printer.ts';
import { typeName } from '../printer.ts';
import { type Column, type ColumnOptions, columnsOf } from './columns.ts';
import type { PrintedCounts } from './count-table.ts';
import type { CustomColumn } from './custom-columns.ts';

export interface CsvOptions
  extends Pick<ColumnOptions, 'places' | 'withNamespace' | 'showKind' | 'showLabels' | 'labelColumns'> {
  /** The clock of AGE. */
  readonly clock: Pick<Clock, 'now'>;
  readonly noHeaders?: boolean | undefined;
  /** Escapes control sequences, for output to a terminal. Default false. */
  readonly terminal?: boolean | undefined;
}

/**
 * Prints an answer as CSV: the columns of the server's table, the wide ones too, as one table. Objects of several types
 * have a first column TYPE, and an empty cell in a column that only others have.
 */
export class CsvPrinter implements Printer {
  readonly #options: CsvOptions;
  readonly #record: typeof csvRecord;

  constructor(options: CsvOptions, record = csvRecord) {
    this.#options = options;
    this.#record = record;
  }

  events(): string {
    return '';
  }

  marker(): string {
    return '';
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    const record = this.#record;
    const { showKind = false, noHeaders = false, terminal } = this.#options;
    const columnsByType = this.#columnsByType(answer);
    const headings = new Map(
      [...columnsByType.values()].flatMap((columns) => [...columns].map(([key, { heading }]) => [key, heading])),
    );
    const keys = [...headings.keys()];
    if (!noHeaders && columnsByType.size > 0)
      yield record([...(showKind ? ['TYPE'] : []), ...headings.values()], terminal);
    const now = this.#options.clock.now();
    for (const { object, type } of answer) {
      const columns = columnsByType.get(formatGvr(type.gvr));
      const source = { object, type, cells: cellsOf(object), now };
      const cells = keys.map((key) => {
        const column = columns?.get(key);
        return column ? (column.data ?? column.cell)(source) : '';
      });
      yield record([...(showKind ? [typeName(type)] : []), ...cells], terminal);
    }
  }

  #columnsByType(items: Iterable<PrintedObject>): Map<string, ReadonlyMap<string, Column>> {
    const known = new Map<string, { server: readonly TableColumn[] | undefined; columns: Map<string, Column> }>();
    const options = { ...this.#options, wide: true, showKind: false };
    for (const { object, type } of items) {
      const name = formatGvr(type.gvr);
      const server = cellsOf(object)?.columns;
      const before = known.get(name)?.server;
      if (known.has(name) && (before?.length ?? 0) >= (server?.length ?? 0)) continue;
      known.set(name, { server, columns: byKey(columnsOf(server, type, options)) });
    }
    return new Map([...known].map(([name, { columns }]) => [name, columns]));
  }
}

/** As {@link CsvPrinter}, with tabs between the cells. */
export class TsvPrinter extends CsvPrinter {
  constructor(options: CsvOptions) {
    super(options, tsvRecord);
  }
}

interface CountsOptions {
  readonly noHeaders: boolean;
  readonly terminal: boolean;
}

export const countsAsTsv = (counts: PrintedCounts, options: CountsOptions) => countsAsCsv(counts, options, tsvRecord);

export function countsAsCsv(
  { rows, amounts }: PrintedCounts,
  { noHeaders, terminal }: CountsOptions,
  record = csvRecord,
): string {
  const values = rows.some(({ value }) => value !== undefined) ? ['VALUE'] : [];
  const headings = [...values, 'COUNT', ...amounts.map((name) => name.toUpperCase())];
  const lines = rows.map(({ value, count, amounts: each }) => [
    ...(value === undefined ? [] : [value]),
    String(count),
    ...each.map((amount) => (amount ? String(amount.exact) : '')),
  ]);
  return (noHeaders ? lines : [headings, ...lines]).map((line) => record(line, terminal)).join('');
}

/** Columns by their headings; the second of one heading by that and its place. */
function byKey(columns: readonly Column[]): Map<string, Column> {
  const keyed = new Map<string, Column>();
  for (const [i, column] of columns.entries())
    keyed.set(keyed.has(column.heading) ? `${column.heading} ${i}` : column.heading, column);
  return keyed;
}

/** Prints an answer as CSV of the columns that the user gave, as custom columns are written. */
export class CustomCsvPrinter implements Printer {
  readonly #columns: readonly CustomColumn[];
  readonly #options: Pick<CsvOptions, 'noHeaders' | 'terminal'>;

  constructor(columns: readonly CustomColumn[], options: Pick<CsvOptions, 'noHeaders' | 'terminal'>) {
    this.#columns = columns;
    this.#options = options;
  }

  events(): string {
    return '';
  }

  marker(): string {
    return '';
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    const { noHeaders = false, terminal } = this.#options;
    if (!noHeaders) yield csvRecord(this.#columns.map(({ heading }) => heading), terminal); // biome-ignore format: short
    for (const { object } of answer) {
      if (whyUnprintable(object) !== undefined) continue;
      yield csvRecord(this.#columns.map(({ path }) => path.values(object).map(goSprint).join(',')), terminal); // biome-ignore format: short
    }
  }
}
