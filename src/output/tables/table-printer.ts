import type { Clock } from '../../kit/clock.ts';
import { cellsOf, type TableColumn } from '../../model/cells.ts';
import { formatGvr } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { type EventEnvelope, type EventWord, eventWordOf } from '../../stream/envelope.ts';
import type { Marker } from '../../stream/markers.ts';
import { markerLine } from '../marker-line.ts';
import { type Painter, plainPainter } from '../painter.ts';
import type { GatheredEvents, PrintedEvent, PrintedObject, PrintedType, Printer } from '../printer.ts';
import { type Timestamps, timeTexts } from '../timestamps.ts';
import { type Column, type ColumnOptions, columnsOf, createdMs, leadingColumns } from './columns.ts';
import { type Fit, NO_SIGN, needsSign, SIGNS } from './event-signs.ts';
import { GatheredRows } from './gathered-rows.ts';
import { AlignedTable, closeLength, PADDING } from './table.ts';

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
  /**
   * Returns the present width of the terminal that a stream is printed on; undefined if there is none. When the words
   * of the EVENT column make a line longer than this, lines start with a sign instead, from then on.
   */
  readonly width?: (() => number | undefined) | undefined;
}

/** This number of consecutive rows of one type is a block. A block has an empty line before it. */
const BLOCK = 2;

/** The widths of likely values in these columns of pods: `ContainerCreating`, `1 (4m31s ago)`. */
const ROOM = [
  ['STATUS', 17],
  ['RESTARTS', 13],
] as const;
const LINES_PER_PIECE = 1000;

/**
 * Prints tables with the cells of the server, as kubectl does. Each type has its own columns and widths. In a stream,
 * the heading of a type is printed with its first row, when its columns change, and whenever a row of another type is
 * above. The columns up to the name have the same width in all types that have these columns, so that a mixed stream is
 * aligned. On a terminal, columns do not become so wide that lines which can fit do not fit.
 */
export class TablePrinter implements Printer {
  readonly #options: TablePrinterOptions;
  /** The tables by type. A cluster that serves other columns of a type has a table of its own. */
  readonly #sections = new Map<string, Section[]>();
  #last: Section | undefined;
  #lines = 0;
  /** The number of lines printed before the first of the current rows of one type. */
  #turnedAt = 0;
  /** The widths of the columns up to the name, in a stream. */
  readonly #leading: number[] = [];
  /** Whether lines of a stream start with a sign and have no column EVENT. */
  #hasSigns = false;
  /** The tables by type before lines had signs. */
  #before: ReadonlyMap<string, Section | undefined> = new Map();

  /** Whether a type with namespaces has a table. As in kubectl, objects of later types have the column NAMESPACE too. */
  #hasNamespaces = false;

  /** Formats the time of an event; undefined when times are not shown. */
  readonly #timeText: ((time: string) => string) | undefined;

  constructor(options: TablePrinterOptions) {
    this.#options = options;
    this.#timeText = options.timestamps && timeTexts(options.timestamps, options.clock);
  }

  events(batch: readonly PrintedEvent[]): string {
    const now = this.#options.clock.now();
    const all = () => batch.map(({ event, type }) => this.#row(event.object, type, now, event));
    let rows = all();
    if (!this.#hasSigns && rows.some((row) => needsSign(row.fit, this.#headingLength(row.section), this.#most()))) {
      const before = this.#useSigns();
      rows = all();
      for (const name of this.#sections.keys()) this.#widenAs(before, name);
      this.#before = before;
    }
    const { room } = this.#options;
    if (room !== undefined)
      for (const { section } of rows) section.makeRoom(this.#hasSigns ? room - NO_SIGN.length : room);
    return rows.map((row, i) => this.#heading(row.section, rowsFrom(rows, i)) + this.#line(row)).join('');
  }

  /** Only where lines have no colours, no times and no terminal to fit into. */
  gathered(): GatheredEvents | undefined {
    const { clock, painter = plainPainter, width, room } = this.#options;
    if (painter !== plainPainter || width?.() !== undefined || room !== undefined || this.#timeText) return undefined;
    return new GatheredRows<Section>({
      clock,
      row: ({ event, type }) => {
        const created = createdMs(event.object);
        const { section, texts } = this.#row(event.object, type, created, event); // an age of 0s widens no column
        return { table: section, texts, createdMs: created };
      },
      heading: (section, rows) => {
        const text = this.#heading(section, Math.min(rows, BLOCK));
        this.#lines += rows;
        return text;
      },
    });
  }

  layOutFor(objects: Iterable<ReadonlyObject>, type: PrintedType): void {
    const now = this.#options.clock.now();
    for (const object of objects) {
      const cells = cellsOf(object);
      const section = this.#section(cells?.columns, type, true);
      const source = { object, type, cells, now, event: 'ADDED', time: '' } as const;
      section.widen(
        section.columns.map((column) => column.cell(source)),
        this.#most(),
      );
    }
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
    const source = event
      ? { object, type, cells, now, event: word, time: this.#timeText?.(event.time) ?? '' }
      : { object, type, cells, now };
    const texts = section.columns.map((column) => column.cell(source));
    return { section, texts, event: word, fit: section.fit(texts, event && this.#most()) };
  }

  /** The greatest length of a line without its sign, in a stream on a terminal. */
  #most(): number | undefined {
    const width = this.#options.width?.();
    return width === undefined ? undefined : this.#hasSigns ? width - NO_SIGN.length : width;
  }

  #headingLength({ table, headings }: Section): number {
    return this.#options.noHeaders ? 0 : table.lengthOf(headings);
  }

  /**
   * From now on lines start with a sign. The columns of each type have widths of their own. Returns the tables as they
   * were.
   */
  #useSigns(): ReadonlyMap<string, Section | undefined> {
    this.#hasSigns = true;
    const before = new Map([...this.#sections].map(([name, sections]) => [name, sections.at(-1)]));
    this.#sections.clear();
    return before;
  }

  /** Gives the columns of a type the widths that they had before lines had signs, as far as there is room. */
  #widenAs(before: ReadonlyMap<string, Section | undefined>, name: string): void {
    for (const section of this.#sections.get(name) ?? []) before.get(name)?.widenLike(section, this.#most());
  }

  #section(server: readonly TableColumn[] | undefined, type: PrintedType, isEvent: boolean): Section {
    const name = formatGvr(type.gvr);
    const sections = this.#sections.get(name) ?? [];
    const isUnknown = !server || server.length === 0;
    const known = isUnknown ? sections.at(-1) : sections.find((each) => sameColumns(server, each.server));
    if (known) return known;
    const layout = {
      ...this.#options,
      withEvent: isEvent && !this.#hasSigns,
      withTime: isEvent && this.#timeText !== undefined,
      alignTypes: isEvent ? this.#options.showKind : this.#hasNamespaces,
    };
    this.#hasNamespaces ||= type.namespaced !== false;
    const columns = columnsOf(server, type, layout);
    const lead = isEvent && !this.#hasSigns ? leadingColumns(columns, type, layout) : 0;
    const table = new AlignedTable({ shared: this.#leading, columns: lead, isClose: this.#hasSigns });
    const section = new Section(server, columns, table);
    if (!this.#options.noHeaders) section.widen(section.headings, isEvent ? this.#most() : undefined);
    this.#sections.set(name, this.#options.places?.length ? [...sections, section] : [section]);
    this.#widenAs(this.#before, name);
    return section;
  }

  /**
   * The heading, if the row above is of another type. A new type and a block have an empty line before them; types that
   * take turns have none. At least `rows` rows follow.
   */
  #heading(section: Section, rows: number): string {
    if (section === this.#last) return '';
    const isBlock = this.#lines - this.#turnedAt >= BLOCK || rows >= BLOCK || !section.isHeaded;
    const between = this.#last && isBlock ? '\n' : '';
    this.#last = section;
    section.isHeaded = true;
    this.#turnedAt = this.#lines;
    if (this.#options.noHeaders) return '';
    const { heading } = this.#options.painter ?? plainPainter;
    return `${between}${this.#hasSigns ? NO_SIGN : ''}${section.heading(this.#most(), heading)}`;
  }

  #line({ section, texts, event, fit }: Row): string {
    this.#lines++;
    const line = section.line(texts, fit, this.#most(), this.#painting(section, texts, event));
    if (!event || !this.#hasSigns) return line;
    return `${(this.#options.painter ?? plainPainter).event(event, SIGNS[event])} ${line}`;
  }

  #painting(section: Section, texts: readonly string[], event: EventWord | undefined): Paint | undefined {
    const { painter } = this.#options;
    if (!painter || painter === plainPainter) return undefined;
    return (filled, i) => section.columns[i]?.paint?.(painter, filled, texts[i] ?? '', event) ?? filled;
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
  readonly fit: Fit;
}

type Paint = (cell: string, column: number) => string;

/** The table of one type. */
class Section {
  readonly server: readonly TableColumn[] | undefined;
  readonly columns: readonly Column[];
  readonly headings: readonly string[];
  readonly table: AlignedTable;
  /** Whether its heading was printed. */
  isHeaded = false;
  /** The widths of lines that cannot fit into the terminal. */
  readonly #long = new AlignedTable();
  /** How many more lines cannot fit into the terminal than can. */
  #excess = 0;
  #hasRoom = false;

  constructor(server: readonly TableColumn[] | undefined, columns: readonly Column[], table: AlignedTable) {
    this.server = server;
    this.table = table;
    this.columns = columns;
    this.headings = columns.map((column) => column.heading);
  }

  /** Widens each column for its cell, if lines do not become longer than `most`. */
  widen(cells: readonly string[], most = Number.POSITIVE_INFINITY): void {
    for (const i of cells.keys()) {
      const only = cells.map((cell, j) => (j === i ? cell : ''));
      if (this.table.longestWith(only) <= most) this.table.fit(only);
    }
  }

  /** Widens the columns of another table, as far as they can be as wide as the same columns here. */
  widenLike(other: Section, most: number | undefined): void {
    const widths = this.table.widths(this.columns.length);
    const width = (heading: string) => (widths[this.headings.indexOf(heading)] ?? 0) - PADDING;
    other.widen(
      other.headings.map((heading) => ' '.repeat(Math.max(0, width(heading)))),
      most,
    );
  }

  /**
   * Widens the columns for the cells of a row that will be printed, as far as lines do not become longer than `most`,
   * and returns how to lay it out.
   */
  fit(cells: readonly string[], most = Number.POSITIVE_INFINITY): Fit {
    if (most === Number.POSITIVE_INFINITY) {
      this.table.fit(cells); // there is nothing to measure a line for
      return 'aligned';
    }
    const isTooLong = closeLength(cells) > most;
    this.#excess += isTooLong ? 1 : -1;
    if (this.#isLong || isTooLong) {
      this.#long.fit(cells);
      return 'long';
    }
    if (this.table.lengthOf(cells) > most) {
      this.widen(cells, most);
      return 'close';
    }
    this.table.fit(cells);
    return 'aligned';
  }

  line(cells: readonly string[], fit: Fit, most = Number.POSITIVE_INFINITY, paint?: Paint): string {
    if (fit === 'long') return this.#long.line(cells, paint);
    const isAligned = fit === 'aligned' && (most === Number.POSITIVE_INFINITY || this.table.lengthOf(cells) <= most);
    return isAligned ? this.table.line(cells, paint) : this.table.closeLine(cells, most, paint);
  }

  heading(most: number | undefined, paint: Paint): string {
    return this.line(this.headings, this.#isLong ? 'long' : 'aligned', most, paint);
  }

  /** Most lines cannot fit, so all are laid out alike. */
  get #isLong(): boolean {
    return this.#excess > 0;
  }

  /** Widens columns of pods for later values, once, as far as lines do not become longer than `most`. */
  makeRoom(most: number): void {
    if (this.#hasRoom || !isOfPods(this.columns)) return;
    this.#hasRoom = true;
    this.table.fit(this.headings);
    for (const [name, width] of ROOM) {
      const widened = this.headings.map((heading) => (heading === name ? ' '.repeat(width) : ''));
      if (this.table.longestWith(widened) <= most) this.table.fit(widened);
    }
  }
}

function sameColumns(a: readonly TableColumn[], b: readonly TableColumn[] | undefined): boolean {
  if (a === b) return true;
  return (
    a.length === b?.length && a.every((column, i) => column.name === b[i]?.name && column.priority === b[i]?.priority)
  );
}
