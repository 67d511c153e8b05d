import { humanDuration } from '../../kit/duration.ts';
import { compareText } from '../../kit/text-order.ts';
import { cellsOf } from '../../model/cells.ts';
import { formatGvr } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { compareKeys } from '../../query/arrange.ts';
import { cellText } from '../escape.ts';
import { type Painter, plainPainter } from '../painter.ts';
import { type PrintedEvent, type PrintedType, qualifiedName } from '../printer.ts';
import { localTime } from '../timestamps.ts';
import { type Column, type ColumnOptions, columnsOf, leadingColumns } from './columns.ts';
import { cutToWidth, displayWidth } from './display-width.ts';
import { Screen, type ScreenSize } from './screen.ts';
import { AlignedTable } from './table.ts';

export interface LiveTableOptions extends Omit<ColumnOptions, 'withEvent' | 'withTime' | 'alignTypes'> {
  readonly noHeaders?: boolean | undefined;
  readonly painter?: Painter | undefined;
  /**
   * The values to sort by; the first one is used. Without one, and for equal values, the order is by namespace and
   * name.
   */
  readonly sortBy?: ((object: ReadonlyObject) => readonly unknown[]) | undefined;
  /** Sorts the largest values first. */
  readonly isDescending?: boolean | undefined;
}

/** How long a change is marked, and how long a deleted object stays visible, ms. */
const MARKED_MS = 3000;
const GONE_MS = 5000;

/**
 * A table of the current objects for each type, redrawn in place. For a short time a new object is marked `+`, and a
 * changed one `~` with its changed cells highlighted. A deleted object stays for some seconds, marked `-`. Rows that do
 * not fit are counted. The last line has the counts and the time of the last event.
 *
 * It returns text and does not write it. The caller writes the text of {@link frame} after each event, and about once
 * per second for ages and marks.
 */
export class LiveTable {
  readonly #options: LiveTableOptions & ColumnOptions;
  readonly #painter: Painter;
  readonly #sections = new Map<string, LiveSection>();
  readonly #screen = new Screen();
  /** The widths of the columns up to the name. All types share them. */
  readonly #leading: number[] = [];
  #note: string | undefined;
  #isLoading = true;
  /** The number of rows above the first one that is shown. */
  #offset = 0;
  /** When the types without a connection lost it, ms since 1970, by type and cluster. */
  readonly #since = new Map<string, { readonly name: string; readonly since: number }>();
  #events = 0;
  #last: PrintedEvent | undefined;

  constructor(options: LiveTableOptions = {}) {
    this.#options = { ...options, alignTypes: options.showKind };
    this.#painter = options.painter ?? plainPainter;
  }

  /** Takes an event of a stream. The time of its marks starts with the first frame that shows it. */
  update(printed: PrintedEvent): void {
    this.#events++;
    this.#last = printed;
    this.#sectionOf(printed).update(printed);
  }

  /** The section of the type. Clusters that serve other columns of a type have a section of their own. */
  #sectionOf(printed: PrintedEvent): LiveSection {
    const { type } = printed;
    const name = formatGvr(type.gvr);
    const shared = this.#sections.get(name);
    const own = type.cluster === undefined ? undefined : this.#sections.get(idOf(type));
    const known = own ?? (shared === undefined || shared.fits(printed) ? shared : undefined);
    if (known) return known;
    const section = new LiveSection(type, this.#options, this.#leading);
    this.#sections.set(shared === undefined ? name : idOf(type), section);
    return section;
  }

  /**
   * Sets the types without a connection, and the times at which they lost it, ms since 1970. The last line starts with
   * them. The ages of their objects do not change, because these objects may not exist any more.
   */
  disconnected(types: readonly { readonly type: PrintedType; readonly since: number }[]): void {
    this.#since.clear();
    for (const { type, since } of types) {
      const id = idOf(type);
      const name = type.cluster ?? type.gvr.resource;
      this.#since.set(id, { name, since: Math.min(since, this.#since.get(id)?.since ?? since) });
    }
  }

  /** Must be called when the initial lists are complete: the table has all objects from then on. */
  loaded(): void {
    this.#isLoading = false;
  }

  /**
   * Scrolls by a number of rows, down or (below 0) up, or to the top or bottom. It stops at the first and the last row.
   */
  scroll(by: number | 'top' | 'bottom'): void {
    this.#offset = by === 'top' ? 0 : by === 'bottom' ? Number.POSITIVE_INFINITY : Math.max(0, this.#offset + by);
  }

  /** Sets the text before the counts: the progress of a wait or of a sync. */
  note(text: string | undefined): void {
    this.#note = text;
  }

  /**
   * The text that updates the terminal. `now` is the time of ages, ms since 1970, and `monotonic` that of marks, which a
   * clock that is set back does not delay.
   */
  frame(size: ScreenSize, now: number, monotonic = now): string {
    const usable = { columns: Math.max(1, size.columns || 80), rows: Math.max(1, size.rows || 24) };
    return this.#screen.draw(this.#lines(usable, now, monotonic), usable);
  }

  /**
   * The text that removes the last frame, so that other text can be written. The next frame is drawn below that text.
   */
  clear(): string {
    return this.#screen.clear();
  }

  /** The text that ends the table: the last frame stays, and the cursor is visible again. */
  end(): string {
    return this.#screen.end();
  }

  #lines({ columns, rows }: ScreenSize, now: number, monotonic: number): string[] {
    for (const section of this.#sections.values()) section.forget(monotonic);
    const all = [...this.#sections.values()].filter((section) => section.size > 0);
    this.#offset = Math.min(this.#offset, this.#lastOffset(all, rows));
    const shown = below(all, this.#offset);
    const room = shares(
      shown.map(({ section, skip }) => section.size - skip),
      rows - 1 - this.#overhead(shown.length),
    );
    const lines = shown.flatMap(({ section, skip }, i) => [
      ...(i > 0 ? [''] : []),
      ...section.lines({
        rows: room[i] ?? 0,
        skip,
        columns,
        now: (type) => Math.min(now, this.#since.get(idOf(type))?.since ?? now),
        monotonic,
        painter: this.#painter,
      }),
    ]);
    return [...lines.slice(0, rows - 1), this.#statusLine(columns, now)];
  }

  /** The number of lines that are not rows: headings, and empty lines between sections. */
  #overhead(sections: number): number {
    return (this.#options.noHeaders ? 0 : sections) + Math.max(0, sections - 1);
  }

  /** The smallest offset at which the last row is shown. */
  #lastOffset(all: readonly LiveSection[], rows: number): number {
    const total = all.reduce((sum, section) => sum + section.size, 0);
    for (let offset = Math.max(0, total - (rows - 1)); offset < total; offset++) {
      const shown = below(all, offset);
      if (total - offset <= rows - 1 - this.#overhead(shown.length)) return offset;
    }
    return 0;
  }

  #statusLine(columns: number, now: number): string {
    const alarm = cutToWidth(this.#alarm(now), columns);
    const left = columns - displayWidth(alarm);
    const rest = cutToWidth(`${alarm === '' ? '' : ' · '}${this.#footer()}`, left);
    return (alarm === '' ? '' : this.#painter.state('bad', alarm)) + this.#painter.faint(rest);
  }

  /**
   * `DISCONNECTED 15s`; with the names of the types if other types are connected, and with the names of the clusters if
   * there are several.
   */
  #alarm(now: number): string {
    if (this.#since.size === 0) return '';
    const away = [...this.#since.values()];
    const isAll = !this.#options.withCluster && [...this.#sections.keys()].every((id) => this.#since.has(id));
    const which = isAll ? '' : ` ${[...new Set(away.map(({ name }) => cellText(name)))].join(', ')}`;
    return `DISCONNECTED${which} ${humanDuration(Math.max(0, now - Math.min(...away.map(({ since }) => since))))}`;
  }

  #footer(): string {
    const note = this.#note === undefined ? [] : [cellText(this.#note)];
    return [...note, this.#counts()].join(' · ');
  }

  #counts(): string {
    const counts = [...this.#sections.values()].map((section) => section.count()).filter((text) => text !== '');
    const some = counts.length === 0 ? (this.#isLoading ? 'loading' : 'no objects') : counts.join(', ');
    const objects = this.#offset === 0 ? some : `${some} · from row ${this.#offset + 1}`;
    if (!this.#last) return objects;
    const { event, type } = this.#last;
    const name = cellText(qualifiedName(event.object.metadata.name ?? '', type));
    return `${objects} · ${this.#events} ${this.#events === 1 ? 'event' : 'events'}, last ${localTime(event.time, 'seconds')} ${event.type} ${name}`;
  }
}

/** The sections that have rows after the first `offset` rows, with the number of their rows that are skipped. */
function below(all: readonly LiveSection[], offset: number): { section: LiveSection; skip: number }[] {
  let left = offset;
  return all.flatMap((section) => {
    const skip = Math.min(left, section.size);
    left -= skip;
    return skip < section.size ? [{ section, skip }] : [];
  });
}

/** Divides lines evenly among sections. A section that needs fewer leaves the rest to the others. */
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
  /** The type of the object, as its cluster serves it. */
  readonly type: PrintedType;
  sortKey: unknown;
  mark: Mark | undefined;
  /** The time at which the mark was first shown, or at which a cell changed after that. */
  markedAt: number | undefined;
  /** The cells as they were shown last. */
  texts: readonly string[];
  /** The indexes of the cells that have changed since the mark was set. */
  changed: ReadonlySet<number>;
}

interface Room extends ScreenSize {
  /** The number of rows that are left out before the first one. */
  readonly skip: number;
  /** The time at which ages of objects of a type are measured. */
  readonly now: (type: PrintedType) => number;
  /** The time of marks. */
  readonly monotonic: number;
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
  /** The greatest width of each column, so that all columns are on the screen. */
  #limits: readonly number[] = [];

  constructor(type: PrintedType, options: LiveTableOptions & ColumnOptions, leading: number[]) {
    this.#type = type;
    this.#options = options;
    this.#leading = leading;
    this.#columns = columnsOf(undefined, type, options);
    this.#table = this.#newTable();
  }

  /** The number of rows, with the deleted ones that are still visible. */
  get size(): number {
    return this.#rows.size;
  }

  /** Whether the object can be a row of it: always where there is one cluster, whose columns may change. */
  fits({ event, type }: PrintedEvent): boolean {
    const cells = cellsOf(event.object);
    if (type.cluster === undefined || !cells || this.#server === undefined) return true;
    const headings = columnsOf(cells.columns, type, this.#options).map(({ heading }) => heading);
    return headings.join('\n') === this.#columns.map(({ heading }) => heading).join('\n');
  }

  update({ event: { type, object, key: name, cause }, type: of }: PrintedEvent): void {
    const key = of.cluster === undefined ? name : `${of.cluster} ${name}`;
    const known = this.#rows.get(key);
    if (type === 'DELETED' && !known) return;
    this.#useColumnsOf(object);
    const mark = cause === 'initial' ? undefined : MARKS[type];
    const isNew = known === undefined || known.mark === 'removed';
    const row: LiveRow = isNew
      ? { object, type: of, sortKey: undefined, mark, markedAt: undefined, texts: [], changed: NO_CELLS }
      : known;
    if (mark === 'removed') row.markedAt = undefined;
    if (row.mark !== 'added' || mark === 'removed') row.mark = mark;
    if (mark !== 'removed' || cellsOf(object)) row.object = object; // a deleted object keeps its last known cells
    const sortKey = this.#options.sortBy?.(row.object)[0];
    if (isNew || sortKey !== row.sortKey) this.#sorted = undefined;
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
        this.#sorted = undefined;
      } else {
        row.mark = undefined;
        row.markedAt = undefined;
        row.changed = NO_CELLS;
      }
    }
  }

  /** `12 pods`, not counting deleted ones; '' for 0. */
  count(): string {
    let count = 0;
    for (const { mark } of this.#rows.values()) if (mark !== 'removed') count++;
    if (count === 0) return '';
    return `${count} ${count === 1 ? this.#type.kind.toLowerCase() : this.#type.gvr.resource}`;
  }

  /** The heading, then as many rows as fit. If some do not fit, the last line has their number. */
  lines({ rows: room, skip, columns, now, monotonic, painter }: Room): string[] {
    const all = this.#inOrder().slice(skip);
    const shown = all.length <= room ? all : all.slice(0, Math.max(0, room - 1));
    for (const row of shown) this.#refresh(row, now(row.type), monotonic);
    const headings = this.#columns.map(({ heading }) => heading);
    for (const cells of [...(this.#options.noHeaders ? [] : [headings]), ...shown.map(({ texts }) => texts)])
      this.#table.fit(cells);
    this.#limit(columns - LEAD.length, [headings, ...shown.map(({ texts }) => texts)]);
    const lines = this.#options.noHeaders ? [] : [this.#line(headings, '  ', columns, (text) => painter.heading(text))];
    for (const row of shown) lines.push(this.#rowLine(row, columns, painter));
    if (shown.length < all.length && room > 0)
      lines.push(painter.faint(cutToWidth(`  … ${all.length - shown.length} more`, columns)));
    return lines;
  }

  /**
   * Narrows the widest columns until all columns are on the screen. A column keeps a width in which a name can be
   * recognised.
   */
  #limit(room: number, rows: readonly (readonly string[])[]): void {
    const count = this.#columns.length;
    const last = Math.max(...rows.map((cells) => displayWidth(cells[count - 1] ?? '')));
    const widths = [...this.#table.widths(count - 1), last];
    let excess = widths.reduce((sum, width) => sum + width, 0) - room;
    while (excess > 0) {
      const widest = Math.max(...widths);
      if (widest <= LEAST_CUT) break;
      const next = Math.max(LEAST_CUT, ...widths.filter((width) => width < widest));
      const i = widths.indexOf(widest);
      const cut = Math.min(widest - next, excess) || 1;
      widths[i] = widest - cut;
      excess -= cut;
    }
    this.#limits = widths;
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
        (this.#options.isDescending ? compareKeys(b.sortKey, a.sortKey) : compareKeys(a.sortKey, b.sortKey)) ||
        compareText(a.type.cluster ?? '', b.type.cluster ?? '') ||
        compareText(a.object.metadata.namespace ?? '', b.object.metadata.namespace ?? '') ||
        compareText(a.object.metadata.name ?? '', b.object.metadata.name ?? ''),
    );
    return this.#sorted;
  }

  /** Computes the cells again. A cell has changed if its text differs from the one shown before; ages do not count. */
  #refresh(row: LiveRow, now: number, monotonic: number): void {
    const { object, texts: before, type } = row;
    const source = { object, cells: cellsOf(object), now, cluster: type.cluster };
    row.texts = this.#columns.map((column) => column.cell(source));
    if (row.mark !== 'changed' || before.length === 0) return;
    const changed = [...row.texts.keys()].filter(
      (i) => row.texts[i] !== before[i] && this.#columns[i]?.heading !== 'AGE',
    );
    if (changed.length === 0) return;
    row.changed = new Set([...row.changed, ...changed]);
    row.markedAt = monotonic;
  }

  #rowLine({ texts, mark, changed }: LiveRow, columns: number, painter: Painter): string {
    if (mark === 'removed') return this.#line(texts, '- ', columns, (text) => painter.struck(text));
    const sign = mark === 'added' ? '+ ' : changed.size > 0 ? '~ ' : '  ';
    return this.#line(texts, mark && sign !== '  ' ? painter.change(mark, sign) : sign, columns, (text, i, cell) => {
      if (changed.has(i)) return painter.flash(text);
      return this.#columns[i]?.paint?.(painter, text, cell, undefined) ?? text;
    });
  }

  /** One line, cut at the width of the terminal. The padding of the cells is not painted. */
  #line(
    cells: readonly string[],
    lead: string,
    columns: number,
    paint: (text: string, column: number, cell: string) => string,
  ): string {
    let left = columns - 2;
    if (left <= 0) return '';
    const line = this.#table.line(cells, (uncut, i) => {
      const filled = this.#limited(cells[i] ?? '', uncut, i);
      const text = cutToWidth(filled, left);
      left = Math.max(0, left - displayWidth(filled));
      const bare = text.trimEnd();
      return bare === '' ? text : paint(bare, i, cells[i] ?? '') + text.slice(bare.length);
    });
    return lead + line.slice(0, -1).trimEnd();
  }

  /** The cell in the width of its column; if it was cut, it ends with `…`. */
  #limited(cell: string, filled: string, column: number): string {
    const width = this.#limits[column] ?? Number.POSITIVE_INFINITY;
    const isLast = column === this.#columns.length - 1;
    if (displayWidth(filled) <= width) return filled;
    const places = isLast ? width : width - GAP;
    const text = displayWidth(cell) <= places ? cell : `${cutToWidth(cell, Math.max(0, places - 1))}…`;
    return isLast ? text : text + ' '.repeat(Math.max(0, width - displayWidth(text)));
  }
}

/** Identifies a type, of one cluster where there are several. */
const idOf = ({ gvr, cluster }: PrintedType) =>
  cluster === undefined ? formatGvr(gvr) : `${cluster} ${formatGvr(gvr)}`;

const MARKS = { ADDED: 'added', MODIFIED: 'changed', DELETED: 'removed' } as const;
/**
 * The space before a row, the gap between two columns, and the smallest width of a narrowed column: 20 cells and the
 * gap.
 */
const LEAD = '  ';
const GAP = 3;
const LEAST_CUT = 20 + GAP;
const NO_CELLS: ReadonlySet<number> = new Set();
