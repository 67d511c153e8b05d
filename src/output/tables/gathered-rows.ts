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
/** Are written between the cells of a row, and between rows; no cell has one, because control characters are escaped. */
const BETWEEN = '\0';
const ROW_END = '\n';

/** Consecutive rows of one table. */
class Run<T> {
  readonly table: T;
  readonly createdMs: number[] = [];
  /** The rows of whole pieces, as bytes outside of the heap: they take a tenth of the memory of their events. */
  readonly #pieces: Buffer[] = [];
  /** The rows after them. */
  #last: string[] = [];

  constructor(table: T) {
    this.table = table;
  }

  add(texts: readonly string[], createdMs: number): void {
    this.createdMs.push(createdMs);
    this.#last.push(texts.join(BETWEEN));
    if (this.#last.length < LINES_PER_PIECE) return;
    this.#pieces.push(Buffer.from(this.#last.join(ROW_END)));
    this.#last = [];
  }

  /** The rows, piece by piece. The last piece may be empty. */
  *pieces(): Iterable<string[]> {
    for (const piece of this.#pieces) yield piece.toString().split(ROW_END);
    yield this.#last;
  }
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
    let run = this.#runs.at(-1);
    if (run?.table !== table) {
      run = new Run(table);
      this.#runs.push(run);
    }
    run.add(texts, createdMs);
  }

  clear(): number {
    const count = this.#runs.reduce((sum, { createdMs }) => sum + createdMs.length, 0);
    this.#runs = [];
    return count;
  }

  *text(): Iterable<string> {
    const now = this.#options.clock.now();
    for (const { table, createdMs } of this.#runs) widenForAges(table, createdMs, now);
    for (const run of this.#runs) {
      const { table, createdMs } = run;
      let text = this.#options.heading(table, createdMs.length);
      let at = 0;
      for (const piece of run.pieces()) {
        for (const row of piece)
          text += table.table.line(withAge(row.split(BETWEEN), table.columns, ageAt(createdMs[at++] as number, now)));
        yield text;
        text = '';
      }
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
