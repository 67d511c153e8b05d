import { compareText } from '../kit/text-order.ts';
import { cellsOf } from '../model/cells.ts';
import { formatGvr } from '../model/gvr.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { compareKeys } from '../query/arrange.ts';
import { type Column, type ColumnOptions, columnsOf, leadingColumns } from './columns.ts';
import { cutToWidth, displayWidth } from './display-width.ts';
import { cellText } from './escape.ts';
import { type Painter, plainPainter } from './painter.ts';
import { type PrintedEvent, type PrintedType, qualifiedName } from './printer.ts';
import { Screen, type ScreenSize } from './screen.ts';
import { AlignedTable } from './table.ts';
import { localTime } from './timestamps.ts';

export interface LiveTableOptions extends Omit<ColumnOptions, 'withEvent' | 'withTime' | 'alignTypes'> {
  readonly noHeaders?: boolean | undefined;
  readonly painter?: Painter | undefined;
  /** Values to sort by, the first of them telling; else, and among equals, by namespace and name. */
  readonly sortBy?: ((object: ReadonlyObject) => readonly unknown[]) | undefined;
}

/** How long a change is marked, and how long a deleted object stays to be seen. */
const MARKED_MS = 3000;
const GONE_MS = 5000;

/**
 * The objects there are as one table a type that is redrawn in place. What came is marked `+` for a moment, what changed `~` and its cells stand out, what was
 * deleted stays for some seconds, marked `-`. More than fits is counted; below all there is a line of counts with the time of the last event.
 *
 * It makes text and writes none: the caller writes what {@link frame} gives, when something happened and about once a second for ages and marks.
 */
export class LiveTable {
  readonly #options: LiveTableOptions & ColumnOptions;
  readonly #painter: Painter;
  readonly #sections = new Map<string, LiveSection>();
  readonly #screen = new Screen();
  /** Widths of the columns up to the name, which all types share. */
  readonly #leading: number[] = [];
  #note: string | undefined;
  #events = 0;
  #last: PrintedEvent | undefined;

  constructor(options: LiveTableOptions = {}) {
    this.#options = { ...options, alignTypes: options.showKind };
    this.#painter = options.painter ?? plainPainter;
  }

  /** Takes an event of a stream. The time of its marks begins with the frame that shows it first. */
  update(printed: PrintedEvent): void {
    this.#events++;
    this.#last = printed;
    const name = formatGvr(printed.type.gvr);
    let section = this.#sections.get(name);
    if (!section) {
      section = new LiveSection(printed.type, this.#options, this.#leading);
      this.#sections.set(name, section);
    }
    section.update(printed);
  }

  /** Sets what stands beside the counts: how far a wait is, or a sync. */
  note(text: string | undefined): void {
    this.#note = text;
  }

  /** The text that brings the terminal up to date; `now` is for ages and marks. */
  frame(size: ScreenSize, now: number): string {
    const usable = { columns: Math.max(1, size.columns || 80), rows: Math.max(1, size.rows || 24) };
    return this.#screen.draw(this.#lines(usable, now), usable);
  }

  /** The text that takes the last frame off the terminal, so that other text can be written; the next frame stands below that. */
  clear(): string {
    return this.#screen.clear();
  }

  /** The text that ends it: the last frame stays, the cursor is visible again. */
  end(): string {
    return this.#screen.end();
  }

  #lines({ columns, rows }: ScreenSize, now: number): string[] {
    for (const section of this.#sections.values()) section.forget(now);
    const shown = [...this.#sections.values()].filter((section) => section.size > 0);
    const heading = this.#options.noHeaders ? 0 : 1;
    const between = Math.max(0, shown.length - 1);
    const room = shares(
      shown.map((section) => section.size),
      rows - 1 - between - heading * shown.length,
    );
    const lines = shown.flatMap((section, i) => [
      ...(i > 0 ? [''] : []),
      ...section.lines({ rows: room[i] ?? 0, columns, now, painter: this.#painter }),
    ]);
    return [...lines.slice(0, rows - 1), this.#painter.faint(cutToWidth(this.#footer(), columns))];
  }

  #footer(): string {
    const note = this.#note === undefined ? [] : [cellText(this.#note)];
    return [...note, this.#counts()].join(' · ');
  }

  #counts(): string {
    const counts = [...this.#sections.values()].map((section) => section.count()).filter((text) => text !== '');
    const objects = counts.length === 0 ? 'no objects' : counts.join(', ');
    if (!this.#last) return objects;
    const { event, type } = this.#last;
    const name = cellText(qualifiedName(event.object.metadata.name ?? '', type));
    return `${objects} · ${this.#events} ${this.#events === 1 ? 'event' : 'events'}, last ${localTime(event.time, 'seconds')} ${event.type} ${name}`;
  }
}

/** Room for so many lines dealt out evenly; who needs less leaves the rest to others. */
function shares(wanted: readonly number[], room: number): number[] {
  const given = wanted.map(() => 0);
  let left = Math.max(0, room);
  let hungry = wanted.map((_, i) => i);
  while (left > 0 && hungry.length > 0) {
    const share = Math.max(1, Math.trunc(left / hungry.length));
    for (const i of hungry) {
      const more = Math.min(share, (wanted[i] ?? 0) - (given[i] ?? 0), left);
      given[i] = (given[i] ?? 0) + more;
      left -= more;
    }
    hungry = hungry.filter((i) => (given[i] ?? 0) < (wanted[i] ?? 0));
  }
  return given;
}

type Mark = 'added' | 'changed' | 'removed';

interface LiveRow {
  object: ReadonlyObject;
  sortKey: unknown;
  mark: Mark | undefined;
  /** When the mark was first shown, or a cell changed after that. */
  markedAt: number | undefined;
  /** Cells as they were shown last, and which of them have changed since the mark. */
  texts: readonly string[];
  changed: ReadonlySet<number>;
}

interface Room extends ScreenSize {
  readonly now: number;
  readonly painter: Painter;
}

/** The rows of one type. */
class LiveSection {
  readonly #type: PrintedType;
  readonly #options: LiveTableOptions & ColumnOptions;
  readonly #rows = new Map<string, LiveRow>();
  readonly #marked = new Map<string, LiveRow>();
  #sorted: LiveRow[] | undefined;
  #columns: readonly Column[];
  #server: unknown;
  readonly #leading: number[];
  #table: AlignedTable;

  constructor(type: PrintedType, options: LiveTableOptions & ColumnOptions, leading: number[]) {
    this.#type = type;
    this.#options = options;
    this.#leading = leading;
    this.#columns = columnsOf(undefined, type, options);
    this.#table = this.#newTable();
  }

  /** Rows, deleted ones that are still to be seen among them. */
  get size(): number {
    return this.#rows.size;
  }

  update({ event: { type, object, key, cause } }: PrintedEvent): void {
    const known = this.#rows.get(key);
    if (type === 'DELETED' && !known) return;
    this.#useColumnsOf(object);
    const mark = cause === 'initial' ? undefined : MARKS[type];
    const isNew = known === undefined || known.mark === 'removed';
    const row: LiveRow = isNew ? { object, sortKey: undefined, mark, markedAt: undefined, texts: [], changed: NO_CELLS } : known;
    if (mark === 'removed') row.markedAt = undefined;
    if (row.mark !== 'added' || mark === 'removed') row.mark = mark;
    if (mark !== 'removed' || cellsOf(object)) row.object = object; // the last cells known stay with it
    const sortKey = this.#options.sortBy?.(row.object)[0];
    if (isNew || sortKey !== row.sortKey) this.#sorted = undefined;
    row.sortKey = sortKey;
    this.#rows.set(key, row);
    if (mark) this.#marked.set(key, row);
  }

  /** Lets go of deleted rows that were to be seen long enough, and of marks. Their time begins with the first call after the event. */
  forget(now: number): void {
    for (const [key, row] of this.#marked) {
      row.markedAt ??= now;
      const age = now - row.markedAt;
      if (age < (row.mark === 'removed' ? GONE_MS : MARKED_MS)) continue;
      this.#marked.delete(key);
      if (row.mark === 'removed') {
        this.#rows.delete(key);
        this.#sorted = undefined;
      } else {
        row.mark = undefined;
        row.markedAt = undefined;
        row.changed = NO_CELLS;
      }
    }
  }

  /** `12 pods`, without those that are deleted; '' for none. */
  count(): string {
    let count = 0;
    for (const { mark } of this.#rows.values()) if (mark !== 'removed') count++;
    if (count === 0) return '';
    return `${count} ${count === 1 ? this.#type.kind.toLowerCase() : this.#type.gvr.resource}`;
  }

  /** The heading, then as many rows as there is room for; the last line counts those that there is none for. */
  lines({ rows: room, columns, now, painter }: Room): string[] {
    const all = this.#inOrder();
    const shown = all.length <= room ? all : all.slice(0, Math.max(0, room - 1));
    for (const row of shown) this.#refresh(row, now);
    const headings = this.#columns.map(({ heading }) => heading);
    for (const cells of [...(this.#options.noHeaders ? [] : [headings]), ...shown.map(({ texts }) => texts)]) this.#table.fit(cells);
    const lines = this.#options.noHeaders ? [] : [this.#line(headings, '  ', columns, (text) => painter.heading(text))];
    for (const row of shown) lines.push(this.#rowLine(row, columns, painter));
    if (shown.length < all.length && room > 0) lines.push(painter.faint(cutToWidth(`  … ${all.length - shown.length} more`, columns)));
    return lines;
  }

  #useColumnsOf(object: ReadonlyObject): void {
    const server = cellsOf(object)?.columns;
    if (!server || server.length === 0 || server === this.#server) return;
    const columns = columnsOf(server, this.#type, this.#options);
    const isSame = columns.length === this.#columns.length && columns.every(({ heading }, i) => heading === this.#columns[i]?.heading);
    this.#server = server;
    this.#columns = columns;
    if (isSame) return;
    this.#table = this.#newTable();
    for (const row of this.#rows.values()) row.texts = [];
  }

  #newTable(): AlignedTable {
    const columns = leadingColumns(this.#columns, this.#type, this.#options);
    return new AlignedTable({ shared: this.#leading, columns, widthOf: displayWidth });
  }

  #inOrder(): LiveRow[] {
    this.#sorted ??= [...this.#rows.values()].sort(
      (a, b) =>
        compareKeys(a.sortKey, b.sortKey) ||
        compareText(a.object.metadata.namespace ?? '', b.object.metadata.namespace ?? '') ||
        compareText(a.object.metadata.name ?? '', b.object.metadata.name ?? ''),
    );
    return this.#sorted;
  }

  /** Its cells as of now. Which of them changed is known by what was shown before; an age changes by itself. */
  #refresh(row: LiveRow, now: number): void {
    const { object, texts: before } = row;
    const cells = cellsOf(object);
    row.texts = this.#columns.map((column) => column.cell({ object, cells, now }));
    if (row.mark !== 'changed' || before.length === 0) return;
    const changed = [...row.texts.keys()].filter((i) => row.texts[i] !== before[i] && this.#columns[i]?.heading !== 'AGE');
    if (changed.length === 0) return;
    row.changed = new Set([...row.changed, ...changed]);
    row.markedAt = now;
  }

  #rowLine({ texts, mark, changed }: LiveRow, columns: number, painter: Painter): string {
    if (mark === 'removed') return this.#line(texts, '- ', columns, (text) => painter.struck(text));
    const sign = mark === 'added' ? '+ ' : changed.size > 0 ? '~ ' : '  ';
    return this.#line(texts, mark && sign !== '  ' ? painter.change(mark, sign) : sign, columns, (text, i, cell) => {
      if (changed.has(i)) return painter.flash(text);
      return this.#columns[i]?.paint?.(painter, text, cell, undefined) ?? text;
    });
  }

  /** Cells cut where the terminal ends, painted without the blanks that fill them up. */
  #line(cells: readonly string[], lead: string, columns: number, paint: (text: string, column: number, cell: string) => string): string {
    let left = columns - 2;
    if (left <= 0) return '';
    const line = this.#table.line(cells, (filled, i) => {
      const text = cutToWidth(filled, left);
      left = Math.max(0, left - displayWidth(filled));
      const bare = text.trimEnd();
      return bare === '' ? text : paint(bare, i, cells[i] ?? '') + text.slice(bare.length);
    });
    return lead + line.slice(0, -1).trimEnd();
  }
}

const MARKS = { ADDED: 'added', MODIFIED: 'changed', DELETED: 'removed' } as const;
const NO_CELLS: ReadonlySet<number> = new Set();
