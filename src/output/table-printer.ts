import type { Clock } from '../kit/clock.ts';
import { cellsOf, type TableColumn } from '../model/cells.ts';
import { formatGvr } from '../model/gvr.ts';
import type { ReadonlyObject } from '../model/object.ts';
import type { EventType } from '../stream/envelope.ts';
import { type Column, type ColumnOptions, columnsOf } from './columns.ts';
import { type Painter, plainPainter } from './painter.ts';
import type { PrintedEvent, PrintedObject, PrintedType, Printer } from './printer.ts';
import { AlignedTable } from './table.ts';

export interface TablePrinterOptions extends Omit<ColumnOptions, 'withEvent'> {
  /** For AGE. */
  readonly clock: Pick<Clock, 'now'>;
  readonly noHeaders?: boolean | undefined;
  readonly painter?: Painter | undefined;
}

/** A type's heading is repeated when the stream comes back to it after so many lines. */
const REPEAT_AFTER = 40;
const LINES_PER_PIECE = 1000;

/**
 * Tables of the server's own cells, as kubectl prints them. Every type has columns and widths of its own; in a stream its heading comes when it
 * first appears, when its columns change, and again when the stream returns to it after many lines; the columns up to the name are as wide for
 * all types that have the same, so that a mixed stream can be read downwards.
 */
export class TablePrinter implements Printer {
  readonly #options: TablePrinterOptions;
  readonly #sections = new Map<string, Section>();
  #last: Section | undefined;
  #lines = 0;
  /** Widths of the columns that lead every row of a stream. */
  readonly #leading: number[] = [];

  constructor(options: TablePrinterOptions) {
    this.#options = options;
  }

  events(batch: readonly PrintedEvent[]): string {
    const now = this.#options.clock.now();
    const rows = batch.map(({ event, type }) => this.#row(event.object, type, now, event.type));
    return rows.map((row) => this.#heading(row.section) + this.#line(row)).join('');
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    const now = this.#options.clock.now();
    const rows = Array.from(answer, ({ object, type }) => this.#row(object, type, now));
    const sections = new Set(rows.map((row) => row.section));
    for (const section of sections) {
      let piece = this.#heading(section);
      let lines = 0;
      for (const row of rows) {
        if (row.section !== section) continue;
        piece += this.#line(row);
        if (++lines % LINES_PER_PIECE > 0) continue;
        yield piece;
        piece = '';
      }
      yield piece;
    }
  }

  /** The cells of a row, with room made for them. */
  #row(object: ReadonlyObject, type: PrintedType, now: number, event?: EventType): Row {
    const cells = cellsOf(object);
    const section = this.#section(cells?.columns, type, event !== undefined);
    const texts = section.columns.map((column) => column.cell({ object, cells, now, ...(event ? { event } : {}) }));
    section.table.fit(texts);
    return { section, texts, event };
  }

  #section(server: readonly TableColumn[] | undefined, type: PrintedType, withEvent: boolean): Section {
    const name = formatGvr(type.gvr);
    const known = this.#sections.get(name);
    if (known && (!server || server.length === 0 || sameColumns(server, known.server))) return known;
    const columns = columnsOf(server, type, { ...this.#options, withEvent });
    const shared = withEvent && !(this.#options.withNamespace && type.namespaced === false);
    const table = shared ? new AlignedTable({ shared: this.#leading, columns: leadingColumns(columns) }) : new AlignedTable();
    const section = new Section(server, columns, table);
    this.#sections.set(name, section);
    return section;
  }

  /** The heading where one is due, behind an empty line where another type was printed before. */
  #heading(section: Section): string {
    if (section === this.#last) return '';
    const between = this.#last && !this.#options.noHeaders ? '\n' : '';
    const due = section.headedAt === undefined || this.#lines - section.headedAt > REPEAT_AFTER;
    this.#last = section;
    if (!due || this.#options.noHeaders) return '';
    section.headedAt = this.#lines;
    const { heading } = this.#options.painter ?? plainPainter;
    return between + section.table.line(section.headings, heading);
  }

  #line({ section, texts, event }: Row): string {
    this.#lines++;
    const { painter } = this.#options;
    if (!event || !painter) return section.table.line(texts);
    return section.table.line(texts, (cell, column) => (column === 0 ? painter.event(event, cell) : cell));
  }
}

interface Row {
  readonly section: Section;
  readonly texts: readonly string[];
  readonly event: EventType | undefined;
}

/** What is printed of one type. */
class Section {
  readonly server: readonly TableColumn[] | undefined;
  readonly columns: readonly Column[];
  readonly headings: readonly string[];
  readonly table: AlignedTable;
  /** Lines printed before its last heading. */
  headedAt: number | undefined;

  constructor(server: readonly TableColumn[] | undefined, columns: readonly Column[], table: AlignedTable) {
    this.server = server;
    this.table = table;
    this.columns = columns;
    this.headings = columns.map((column) => column.heading);
  }
}

/** How many columns stand before and at the name; none when it does not come right behind those that every type has. */
function leadingColumns(columns: readonly Column[]): number {
  const name = columns.findIndex(({ heading }) => heading === 'NAME');
  const before = columns.slice(0, Math.max(0, name)).every(({ heading }) => heading === 'EVENT' || heading === 'NAMESPACE');
  return before ? name + 1 : 0;
}

function sameColumns(a: readonly TableColumn[], b: readonly TableColumn[] | undefined): boolean {
  if (a === b) return true;
  return a.length === b?.length && a.every((column, i) => column.name === b[i]?.name && column.priority === b[i]?.priority);
}
