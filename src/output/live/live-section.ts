import { compareText } from '../../kit/text-order.ts';
import { cellsOf } from '../../model/cells.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { compareKeys } from '../../query/answer/arrange.ts';
import { eventWordOf } from '../../stream/envelope.ts';
import { changeTexts } from '../changes/changes-printer.ts';
import type { Painter } from '../painter.ts';
import { nameInPlace, type PrintedEvent, type PrintedType } from '../printer.ts';
import { type Column, type ColumnOptions, columnsOf, leadingColumns } from '../tables/columns.ts';
import { cutToWidth, displayWidth } from '../tables/display-width.ts';
import { LEAD, LiveLayout } from './live-layout.ts';
import { type HistoryLine, type LiveRow, NO_CELLS, searchedText, sortValue } from './live-row.ts';
import type { ScreenSize } from './screen.ts';

/** How long a change is marked, and how long a deleted object stays visible, ms. */
const MARKED_MS = 3000;
const GONE_MS = 5000;
/** The number of changes of an object that are kept. */
const MOST_CHANGES = 30;

export interface LiveSectionOptions extends ColumnOptions {
  readonly noHeaders?: boolean | undefined;
  readonly sortBy?: ((object: ReadonlyObject) => readonly unknown[]) | undefined;
  readonly isDescending?: boolean | undefined;
}

/** How a person has arranged the rows. */
export interface Arrangement {
  /** Words in small letters. Only rows that have all of them are shown. */
  readonly words: readonly string[];
  /** The heading of the column that is sorted by; undefined for the order of the command line. */
  readonly sortBy: string | undefined;
  readonly isReversed: boolean;
  /** The number of columns after the name that are left out at the left. */
  readonly shift: number;
}

interface Room extends ScreenSize {
  /** The number of rows that are left out before the first one. */
  readonly skip: number;
  /** The time at which ages of objects of a type are measured. */
  readonly now: (type: PrintedType) => number;
  /** The time of marks. */
  readonly monotonic: number;
  readonly painter: Painter;
  readonly selected: LiveRow | undefined;
}

/** The rows of one type. */
export class LiveSection {
  readonly #type: PrintedType;
  readonly #options: LiveSectionOptions;
  readonly #rows = new Map<string, LiveRow>();
  readonly #marked = new Map<string, LiveRow>();
  /** The rows as they were when the display was paused. */
  #frozen: ReadonlyMap<string, LiveRow> | undefined;
  #arrangement: Arrangement;
  #shown: LiveRow[] | undefined;
  #columns: readonly Column[];
  #server: unknown;
  readonly #leading: number[];
  /** The widths of the longest cells seen, without those that all sections share. */
  #widths: number[] = [];
  #layout: LiveLayout | undefined;

  constructor(type: PrintedType, options: LiveSectionOptions, leading: number[], arrangement: Arrangement) {
    this.#type = type;
    this.#options = options;
    this.#leading = leading;
    this.#arrangement = arrangement;
    this.#columns = columnsOf(undefined, type, options);
  }

  /** The number of rows that can be shown: those that a search finds, with the deleted ones that are still visible. */
  get size(): number {
    return this.inOrder().length;
  }

  get headings(): readonly string[] {
    return this.#columns.map(({ heading }) => heading);
  }

  /** The number of columns that sideways moves leave out one by one. */
  get movable(): number {
    return this.#columns.length - this.#fixed;
  }

  /** Whether a part of the columns cannot be seen, as the screen was drawn last. */
  get isCut(): boolean {
    const { hasLeft = false, hasRight = false, isNarrowed = false } = this.#layout ?? {};
    return hasLeft || hasRight || isNarrowed;
  }

  /** Whether an object of another place can be a row of it. */
  fits({ event, type }: PrintedEvent): boolean {
    const cells = cellsOf(event.object);
    if (!cells || this.#server === undefined) return true;
    const headings = columnsOf(cells.columns, type, this.#options).map(({ heading }) => heading);
    return headings.join('\n') === this.headings.join('\n');
  }

  arrange(arrangement: Arrangement): void {
    this.#arrangement = arrangement;
    this.#shown = undefined;
  }

  /** Keeps the rows as they are now on the screen, or goes on with what came meanwhile. */
  freeze(isFrozen: boolean): void {
    this.#frozen = isFrozen ? new Map([...this.#rows].map(([key, row]) => [key, { ...row }])) : undefined;
    this.#shown = undefined;
  }

  update(printed: PrintedEvent): void {
    const { event, type: of } = printed;
    const { type, object, key: name, cause } = event;
    const key = nameInPlace(of, name);
    const known = this.#rows.get(key);
    if (type === 'DELETED' && !known) return;
    this.#useColumnsOf(object);
    const mark = cause === 'initial' ? undefined : MARKS[type];
    const isNew = known === undefined || known.mark === 'removed';
    const row: LiveRow = isNew ? newRow(key, object, of, known?.history) : known;
    if (isNew) row.mark = mark;
    if (mark === 'removed') row.markedAt = undefined;
    if (row.mark !== 'added' || mark === 'removed') row.mark = mark;
    if (mark !== 'removed' || cellsOf(object)) row.object = object; // a deleted object keeps its last known cells
    if (cause !== 'initial') row.history = [...historyOf(printed), ...row.history].slice(0, MOST_CHANGES);
    row.searched = undefined;
    const sortKey = this.#options.sortBy?.(row.object)[0];
    if (isNew || sortKey !== row.sortKey || this.#isArranged) this.#shown = undefined;
    row.sortKey = sortKey;
    this.#rows.set(key, row);
    if (mark) this.#marked.set(key, row);
  }

  /** Removes deleted rows and marks whose time is over. Their time starts with the first call after the event. */
  forget(monotonic: number): void {
    for (const [key, row] of this.#marked) {
      row.markedAt ??= monotonic;
      const age = monotonic - row.markedAt;
      if (age < (row.mark === 'removed' ? GONE_MS : MARKED_MS)) continue;
      this.#marked.delete(key);
      if (row.mark === 'removed') {
        this.#rows.delete(key);
        this.#shown = undefined;
      } else {
        row.mark = undefined;
        row.markedAt = undefined;
        row.changed = NO_CELLS;
      }
    }
  }

  /** `12 pods`, or `3 of 12 pods` if a search leaves some out, not counting deleted ones; '' for 0. */
  count(): string {
    let count = 0;
    const rows = this.#frozen ?? this.#rows;
    for (const { mark } of rows.values()) if (mark !== 'removed') count++;
    if (count === 0) return '';
    const found = this.inOrder().filter(({ mark }) => mark !== 'removed').length;
    const part = this.#arrangement.words.length === 0 ? '' : `${found} of `;
    return `${part}${count} ${count === 1 ? this.#type.kind.toLowerCase() : this.#type.gvr.resource}`;
  }

  /** The rows that can be shown, in their order. */
  inOrder(): readonly LiveRow[] {
    this.#shown ??= this.#arranged();
    return this.#shown;
  }

  /** The row of an object, as it is on the screen. */
  row(key: string): LiveRow | undefined {
    return (this.#frozen ?? this.#rows).get(key);
  }

  /** The heading, then as many rows as fit. If some do not fit, the last line has their number. */
  lines({ rows: room, skip, columns, now, monotonic, painter, selected }: Room): string[] {
    const all = this.inOrder().slice(skip);
    const shown = all.slice(0, visibleRows(all.length, room));
    for (const row of shown) this.#refresh(row, now(row.type), monotonic);
    const headings = this.#headingCells();
    const drawn = [...(this.#options.noHeaders ? [] : [headings]), ...shown.map(({ texts }) => texts)];
    for (const cells of drawn) this.#widen(cells);
    const layout = this.#layOut(drawn, columns);
    const edge = `${layout.hasLeft ? '‹' : ' '}${layout.hasRight ? '›' : ' '}`;
    const lines = this.#options.noHeaders
      ? []
      : [painted(edge + layout.line(headings, (text) => painter.heading(text)), columns)];
    for (const row of shown) lines.push(this.#rowLine(row, layout, painter, row === selected, columns));
    if (shown.length < all.length && room > 0)
      lines.push(painter.faint(cutToWidth(`  … ${all.length - shown.length} more`, columns)));
    return lines;
  }

  get #isArranged(): boolean {
    return this.#arrangement.words.length > 0 || this.#arrangement.sortBy !== undefined;
  }

  get #fixed(): number {
    return leadingColumns(this.#columns, this.#type, this.#options) || Math.min(1, this.#columns.length - 1);
  }

  /** The headings; that of the column that is sorted by has an arrow. */
  #headingCells(): string[] {
    const { sortBy, isReversed } = this.#arrangement;
    return this.headings.map((heading) => (heading === sortBy ? `${heading}${isReversed ? '↓' : '↑'}` : heading));
  }

  #arranged(): LiveRow[] {
    const rows = [...(this.#frozen ?? this.#rows).values()].filter((row) => this.#isFound(row));
    const { sortBy, isReversed } = this.#arrangement;
    const column = this.#columns.findIndex(({ heading }) => heading === sortBy);
    if (column < 0) return rows.sort((a, b) => this.#inGivenOrder(a, b));
    const values = new Map(rows.map((row) => [row, this.#valueOf(row, column)]));
    const sign = isReversed ? -1 : 1;
    return rows.sort((a, b) => sign * compareKeys(values.get(a), values.get(b)) || byName(a, b));
  }

  /** The value of a row in a column. The age is exact, where the cell is rounded. */
  #valueOf(row: LiveRow, column: number): unknown {
    const created = Date.parse(row.object.metadata.creationTimestamp ?? '');
    if (this.#columns[column]?.heading === 'AGE' && !Number.isNaN(created)) return -created;
    return sortValue(this.#cellsOf(row, 0)[column] ?? '');
  }

  #inGivenOrder(a: LiveRow, b: LiveRow): number {
    const order = this.#options.isDescending ? compareKeys(b.sortKey, a.sortKey) : compareKeys(a.sortKey, b.sortKey);
    return order || byName(a, b);
  }

  #isFound(row: LiveRow): boolean {
    const { words } = this.#arrangement;
    if (words.length === 0) return true;
    row.searched ??= searchedText(row, this.#columns, this.#cellsOf(row, 0));
    return words.every((word) => row.searched?.includes(word));
  }

  #cellsOf({ object, type }: LiveRow, now: number): string[] {
    const source = { object, type, cells: cellsOf(object), now };
    return this.#columns.map((column) => column.cell(source));
  }

  #useColumnsOf(object: ReadonlyObject): void {
    const server = cellsOf(object)?.columns;
    if (!server || server.length === 0 || server === this.#server) return;
    const columns = columnsOf(server, this.#type, this.#options);
    const isSame =
      columns.length === this.#columns.length &&
      columns.every(({ heading }, i) => heading === this.#columns[i]?.heading);
    this.#server = server;
    this.#columns = columns;
    if (isSame) return;
    this.#widths = [];
    this.#shown = undefined;
    for (const row of this.#rows.values()) {
      row.texts = [];
      row.searched = undefined;
    }
  }

  /** Remembers the widths of cells. Columns up to the name have one width in all sections. */
  #widen(cells: readonly string[]): void {
    const shared = leadingColumns(this.#columns, this.#type, this.#options);
    for (const [i, cell] of cells.entries()) {
      const widths = i < shared ? this.#leading : this.#widths;
      widths[i] = Math.max(LEAST_WIDTH, widths[i] ?? 0, displayWidth(cell));
    }
  }

  #layOut(drawn: readonly (readonly string[])[], columns: number): LiveLayout {
    const shared = leadingColumns(this.#columns, this.#type, this.#options);
    const last = this.#columns.length - 1;
    const widths = this.#columns.map((_, i) => (i < shared ? this.#leading : this.#widths)[i] ?? 0);
    widths[last] = Math.max(0, ...drawn.map((cells) => displayWidth(cells[last] ?? '')));
    const shift = Math.min(this.#arrangement.shift, Math.max(0, this.movable - 1));
    this.#layout = new LiveLayout(widths, { columns, fixed: this.#fixed, shift });
    return this.#layout;
  }

  /** Computes the cells again. A cell has changed if its text differs from the one shown before; ages do not count. */
  #refresh(row: LiveRow, now: number, monotonic: number): void {
    const before = row.texts;
    row.texts = this.#cellsOf(row, now);
    if (row.mark !== 'changed' || before.length === 0) return;
    const changed = [...row.texts.keys()].filter(
      (i) => row.texts[i] !== before[i] && this.#columns[i]?.heading !== 'AGE',
    );
    if (changed.length === 0) return;
    row.changed = new Set([...row.changed, ...changed]);
    row.markedAt = monotonic;
  }

  #rowLine(row: LiveRow, layout: LiveLayout, painter: Painter, isSelected: boolean, columns: number): string {
    const { texts, mark, changed } = row;
    const sign = mark === 'removed' ? '-' : mark === 'added' ? '+' : changed.size > 0 ? '~' : ' ';
    if (isSelected) {
      const line = `${sign}>${layout.line(texts, (text) => text)}`;
      return painter.flash(cutToWidth(line + ' '.repeat(Math.max(0, columns - displayWidth(line))), columns));
    }
    if (mark === 'removed') return painted(`- ${layout.line(texts, (text) => painter.struck(text))}`, columns);
    const lead = mark && sign !== ' ' ? painter.change(mark, `${sign} `) : '  ';
    const line = layout.line(texts, (text, i) => {
      if (changed.has(i)) return painter.flash(text);
      return this.#columns[i]?.paint?.(painter, text, texts[i] ?? '', undefined) ?? text;
    });
    return painted(lead + line, columns);
  }
}

/** A terminal without room for a row gets none. */
const painted = (line: string, columns: number) => (columns > LEAD ? line : '');

/** The number of rows that a section shows; the last line of a section that is cut is for the number of the others. */
export const visibleRows = (rows: number, room: number) => (rows <= room ? rows : Math.max(0, room - 1));

function newRow(key: string, object: ReadonlyObject, type: PrintedType, history: LiveRow['history'] = []): LiveRow {
  const none = { sortKey: undefined, mark: undefined, markedAt: undefined, searched: undefined };
  return { key, object, type, ...none, texts: [], changed: NO_CELLS, history };
}

function historyOf(printed: PrintedEvent): HistoryLine[] {
  const { event } = printed;
  const word = eventWordOf(event);
  return changeTexts(printed).map((text) => ({ time: event.time, event: word, text }));
}

function byName(a: LiveRow, b: LiveRow): number {
  return (
    compareText(nameInPlace(a.type, ''), nameInPlace(b.type, '')) ||
    compareText(a.object.metadata.namespace ?? '', b.object.metadata.namespace ?? '') ||
    compareText(a.object.metadata.name ?? '', b.object.metadata.name ?? '')
  );
}

const MARKS = { ADDED: 'added', MODIFIED: 'changed', DELETED: 'removed' } as const;
const LEAST_WIDTH = 3;
