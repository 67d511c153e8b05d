import type { Clock } from '../../kit/clock.ts';
import { cellsOf, type TableColumn } from '../../model/cells.ts';
import { formatGvr } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { type EventEnvelope, type EventWord, eventWordOf } from '../../stream/envelope.ts';
import type { Marker } from '../../stream/markers.ts';
import { markerLine } from '../marker-line.ts';
import { type Painter, plainPainter } from '../painter.ts';
import type { PrintedEvent, PrintedObject, PrintedType, Printer } from '../printer.ts';
import { type Timestamps, timeTexts } from '../timestamps.ts';
import { type Column, type ColumnOptions, columnsOf, leadingColumns } from './columns.ts';
import { AlignedTable, PADDING, widthOfCell } from './table.ts';

export interface TablePrinterOptions extends Omit<ColumnOptions, 'withEvent' | 'withTime' | 'alignTypes'> {
  /** The clock of AGE and of relative times. */
  readonly clock: Pick<Clock, 'now'>;
  readonly noHeaders?: boolean | undefined;
  readonly painter?: Painter | undefined;
  /** Adds the time of each event in front, in this form. */
  readonly timestamps?: Timestamps | undefined;
  /**
   * Gives columns of pods the width of likely later values from the start, as far as lines do not become longer than
   * this. It is for streams that continue.
   */
  readonly room?: number | undefined;
}

/** When a stream returns to a type, the heading is repeated if the last one is more than this number of lines above. */
const REPEAT_AFTER = 8;

/** This number of consecutive rows of one type is a block. A block has its own heading. */
const BLOCK = 2;

/** The widths of likely values in these columns of pods: `ContainerCreating`, `1 (4m31s ago)`. */
const ROOM = [
  ['STATUS', 17],
  ['RESTARTS', 13],
] as const;
const LINES_PER_PIECE = 1000;

/**
 * Prints tables with the cells of the server, as kubectl does. Each type has its own columns and widths. In a stream,
 * the heading of a type is printed with its first row, when its columns change, and with each block of its rows. When
 * types take turns row by row, a heading a few lines above is enough. The columns up to the name have the same width in
 * all types that have these columns, so that a mixed stream is aligned.
 */
export class TablePrinter implements Printer {
  readonly #options: TablePrinterOptions;
  /** The tables by type. Clusters that serve other columns of a type have a table of their own. */
  readonly #sections = new Map<string, Section[]>();
  #last: Section | undefined;
  #lines = 0;
  /** The number of lines printed before the first of the current rows of one type. */
  #turnedAt = 0;
  /** The widths of the columns up to the name, in a stream. */
  readonly #leading: number[] = [];

  /** Formats the time of an event; undefined when times are not shown. */
  readonly #timeText: ((time: string) => string) | undefined;

  constructor(options: TablePrinterOptions) {
    this.#options = options;
    this.#timeText = options.timestamps && timeTexts(options.timestamps, options.clock);
  }

  events(batch: readonly PrintedEvent[]): string {
    const now = this.#options.clock.now();
    const rows = batch.map(({ event, type }) => this.#row(event.object, type, now, event));
    const { room } = this.#options;
    if (room !== undefined) for (const { section } of rows) section.makeRoom(room);
    return rows.map((row, i) => this.#heading(row.section, rowsFrom(rows, i)) + this.#line(row)).join('');
  }

  marker(marker: Marker): string {
    this.#lines++;
    return `${(this.#options.painter ?? plainPainter).faint(markerLine(marker, this.#timeText?.(marker.time)))}\n`;
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    const now = this.#options.clock.now();
    const rows = Array.from(answer, ({ object, type }) => this.#row(object, type, now));
    const sections = new Set(rows.map((row) => row.section));
    for (const section of sections) {
      let piece = this.#heading(section, BLOCK);
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

  /** The cells of a row. The columns are widened for them. */
  #row(object: ReadonlyObject, type: PrintedType, now: number, event?: EventEnvelope): Row {
    const cells = cellsOf(object);
    const section = this.#section(cells?.columns, type, event !== undefined);
    const word = event && eventWordOf(event);
    const { cluster } = type;
    const source = event
      ? { object, cells, now, cluster, event: word, time: this.#timeText?.(event.time) ?? '' }
      : { object, cells, now, cluster };
    const texts = section.columns.map((column) => column.cell(source));
    section.table.fit(texts);
    return { section, texts, event: word };
  }

  #section(server: readonly TableColumn[] | undefined, type: PrintedType, withEvent: boolean): Section {
    const name = formatGvr(type.gvr);
    const sections = this.#sections.get(name) ?? [];
    const isUnknown = !server || server.length === 0;
    const known = isUnknown ? sections.at(-1) : sections.find((each) => sameColumns(server, each.server));
    if (known) return known;
    const alignTypes = withEvent && this.#options.showKind;
    const layout = { ...this.#options, withEvent, withTime: this.#timeText !== undefined, alignTypes };
    const columns = columnsOf(server, type, layout);
    const lead = withEvent ? leadingColumns(columns, type, layout) : 0;
    const table = new AlignedTable({ shared: this.#leading, columns: lead });
    const section = new Section(server, columns, table);
    this.#sections.set(name, this.#options.withCluster ? [...sections, section] : [section]);
    return section;
  }

  /**
   * The heading, if one is due; after rows of another type there is an empty line before it. At least `rows` rows
   * follow.
   */
  #heading(section: Section, rows: number): string {
    if (section === this.#last) return '';
    const between = this.#last && !this.#options.noHeaders ? '\n' : '';
    const isFar = section.headedAt === undefined || this.#lines - section.headedAt > REPEAT_AFTER;
    const isBlock = this.#lines - this.#turnedAt >= BLOCK || rows >= BLOCK;
    this.#last = section;
    this.#turnedAt = this.#lines;
    if ((!isFar && !isBlock) || this.#options.noHeaders) return '';
    section.headedAt = this.#lines;
    const { heading } = this.#options.painter ?? plainPainter;
    return between + section.table.line(section.headings, heading);
  }

  #line({ section, texts, event }: Row): string {
    this.#lines++;
    const { painter } = this.#options;
    if (!painter || painter === plainPainter) return section.table.line(texts);
    return section.table.line(
      texts,
      (filled, i) => section.columns[i]?.paint?.(painter, filled, texts[i] ?? '', event) ?? filled,
    );
  }
}

/** The number of consecutive rows of one type from this index on, at most the size of a block. */
function rowsFrom(rows: readonly Row[], at: number): number {
  let count = 0;
  while (count < BLOCK && rows[at + count] !== undefined && rows[at + count]?.section === rows[at]?.section) count++;
  return count;
}

/** Whether the columns are those of pods: they have RESTARTS. */
const isOfPods = (columns: readonly Column[]) => columns.some(({ heading }) => heading === 'RESTARTS');

interface Row {
  readonly section: Section;
  readonly texts: readonly string[];
  readonly event: EventWord | undefined;
}

/** The table of one type. */
class Section {
  readonly server: readonly TableColumn[] | undefined;
  readonly columns: readonly Column[];
  readonly headings: readonly string[];
  readonly table: AlignedTable;
  /** The number of lines printed before its last heading. */
  headedAt: number | undefined;
  #hasRoom = false;

  constructor(server: readonly TableColumn[] | undefined, columns: readonly Column[], table: AlignedTable) {
    this.server = server;
    this.table = table;
    this.columns = columns;
    this.headings = columns.map((column) => column.heading);
  }

  /** Widens columns of pods for later values, once, as far as lines do not become longer than `most`. */
  makeRoom(most: number): void {
    if (this.#hasRoom || !isOfPods(this.columns)) return;
    this.#hasRoom = true;
    this.table.fit(this.headings);
    for (const [name, width] of ROOM) {
      const widened = this.headings.map((heading) => (heading === name ? ' '.repeat(width) : ''));
      if (this.#lengthWith(widened) <= most) this.table.fit(widened);
    }
  }

  /** The length of a line if these cells were in the table too. */
  #lengthWith(cells: readonly string[]): number {
    const widths = this.table
      .widths(this.columns.length)
      .map((width, i) => Math.max(width, widthOfCell(cells[i] ?? '')));
    return widths.reduce((sum, width) => sum + width, 0) - PADDING;
  }
}

function sameColumns(a: readonly TableColumn[], b: readonly TableColumn[] | undefined): boolean {
  if (a === b) return true;
  return (
    a.length === b?.length && a.every((column, i) => column.name === b[i]?.name && column.priority === b[i]?.priority)
  );
}
