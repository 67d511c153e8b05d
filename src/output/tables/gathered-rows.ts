import type { Clock } from '../../kit/clock.ts';
import type { GatheredEvents, PrintedEvent } from '../printer.ts';
import { ageAt, type Column } from './columns.ts';
import type { AlignedTable } from './table.ts';

/** A table whose rows are gathered. */
export interface GatheredTable {
  readonly columns: readonly Column[];
  readonly table: AlignedTable;
}

/** A row: its table, its cells, and when its object was created. */
export interface GatheredRow<T> {
  readonly table: T;
  readonly texts: readonly string[];
  readonly createdMs: number;
}

export interface GatheredRowsOptions<T> {
  readonly clock: Pick<Clock, 'now'>;
  /** The row of an event. The columns of its table were widened for it. */
  readonly row: (printed: PrintedEvent) => GatheredRow<T>;
  /** The heading in front of this number of consecutive rows of a table. */
  readonly heading: (table: T, rows: number) => string;
}

const LINES_PER_PIECE = 1000;
/** Is written between the cells of a row; no cell has it, because control characters are escaped. */
const BETWEEN = '\0';

/** Consecutive rows of one table. */
interface Run<T> {
  readonly table: T;
  /** The cells of each row in one text, which takes a tenth of the memory of its event. */
  readonly rows: string[];
  readonly createdMs: number[];
}

/** The rows of a table that wait until its widths are known from all of them. Ages are those of the time of printing. */
export class GatheredRows<T extends GatheredTable> implements GatheredEvents {
  readonly #options: GatheredRowsOptions<T>;
  #runs: Run<T>[] = [];

  constructor(options: GatheredRowsOptions<T>) {
    this.#options = options;
  }

  add(printed: PrintedEvent): void {
    const { table, texts, createdMs } = this.#options.row(printed);
    if (this.#runs.at(-1)?.table !== table) this.#runs.push({ table, rows: [], createdMs: [] });
    const run = this.#runs.at(-1) as Run<T>;
    run.rows.push(texts.join(BETWEEN));
    run.createdMs.push(createdMs);
  }

  clear(): number {
    const count = this.#runs.reduce((sum, { rows }) => sum + rows.length, 0);
    this.#runs = [];
    return count;
  }

  *text(): Iterable<string> {
    const now = this.#options.clock.now();
    for (const { table, createdMs } of this.#runs) widenForAges(table, createdMs, now);
    for (const { table, rows, createdMs } of this.#runs) {
      let piece = this.#options.heading(table, rows.length);
      for (const [i, row] of rows.entries()) {
        piece += table.table.line(withAge(row.split(BETWEEN), table.columns, ageAt(createdMs[i] as number, now)));
        if ((i + 1) % LINES_PER_PIECE > 0) continue;
        yield piece;
        piece = '';
      }
      yield piece;
    }
  }
}

function widenForAges({ columns, table }: GatheredTable, createdMs: readonly number[], now: number): void {
  if (!columns.some(({ isAge }) => isAge)) return;
  let longest = '';
  for (const each of createdMs) {
    const age = ageAt(each, now) ?? '';
    if (age.length > longest.length) longest = age;
  }
  table.fit(columns.map(({ isAge }) => (isAge ? longest : '')));
}

function withAge(texts: string[], columns: readonly Column[], age: string | undefined): string[] {
  return age === undefined ? texts : texts.map((text, i) => (columns[i]?.isAge ? age : text));
}
