import { humanDuration } from '../../kit/duration.ts';
import { formatGvr } from '../../model/gvr.ts';
import { cellText } from '../escape.ts';
import { type Painter, plainPainter } from '../painter.ts';
import { nameInPlace, type PrintedEvent, type PrintedType, qualifiedName } from '../printer.ts';
import { cutToWidth, displayWidth } from '../tables/display-width.ts';
import { localTime } from '../timestamps.ts';
import { keysPage, MAIN_KEYS, OBJECT_KEYS, PAGE_KEYS } from './keys-page.ts';
import type { LiveRow } from './live-row.ts';
import { type Arrangement, LiveSection, type LiveSectionOptions, visibleRows } from './live-section.ts';
import { ObjectView } from './object-view.ts';
import { Screen, type ScreenSize } from './screen.ts';

export interface LiveTableOptions extends Omit<LiveSectionOptions, 'withEvent' | 'withTime' | 'alignTypes'> {
  readonly painter?: Painter | undefined;
  /** Shows managedFields in the YAML of an object. */
  readonly showManagedFields?: boolean | undefined;
}

interface PlacedRow {
  readonly section: LiveSection;
  readonly row: LiveRow;
}

/** A number of rows or lines, or an end. */
export type Distance = number | 'top' | 'bottom';

/** The number of columns that a sideways move goes in the text of an object. */
const SIDEWAYS = 20;
/** A terminal with fewer rows has no line for the keys. */
const LEAST_ROWS = 6;

/**
 * A table of the current objects for each type, redrawn in place. For a short time a new object is marked `+`, and a
 * changed one `~` with its changed cells highlighted. A deleted object stays for some seconds, marked `-`. Rows that do
 * not fit are counted. The last lines have the counts, the time of the last event, and the main keys. A person can
 * select, search and sort rows, look at columns beyond the edge, pause, and open an object.
 *
 * It returns text and does not write it. The caller writes the text of {@link frame} after each event, and about once
 * per second for ages and marks.
 */
export class LiveTable {
  readonly #options: LiveSectionOptions;
  readonly #painter: Painter;
  readonly #showManagedFields: boolean;
  readonly #sections = new Map<string, LiveSection>();
  readonly #screen = new Screen();
  /** The widths of the columns up to the name. All types share them. */
  readonly #leading: number[] = [];
  #note: string | undefined;
  #remark: string | undefined;
  #hasKeys = false;
  #isLoading = true;
  /** The number of rows above the first one that is shown. */
  #offset = 0;
  #arrangement: Arrangement = { words: [], sortBy: undefined, isReversed: false, shift: 0 };
  #search: { readonly text: string; readonly isTyped: boolean } | undefined;
  #selected: { readonly section: LiveSection; readonly key: string; index: number } | undefined;
  /** When the display was paused, and the number of events until then. */
  #paused: { readonly now: number | undefined; readonly events: number } | undefined;
  #object: ObjectView | undefined;
  #position = { line: 0, column: 0 };
  #isKeysPage = false;
  /** When the types without a connection lost it, ms since 1970, by type and cluster. */
  readonly #since = new Map<string, { readonly name: string; readonly since: number }>();
  #events = 0;
  #last: PrintedEvent | undefined;

  constructor({ showManagedFields = false, ...options }: LiveTableOptions = {}) {
    this.#options = { ...options, alignTypes: options.showKind };
    this.#painter = options.painter ?? plainPainter;
    this.#showManagedFields = showManagedFields;
  }

  /** Takes an event of a stream. The time of its marks starts with the first frame that shows it. */
  update(printed: PrintedEvent): void {
    this.#events++;
    if (!this.#paused) this.#last = printed;
    this.#sectionOf(printed).update(printed);
  }

  /** The section of the type. Places that serve other columns of a type have a section of their own. */
  #sectionOf(printed: PrintedEvent): LiveSection {
    const { type } = printed;
    const name = formatGvr(type.gvr);
    const shared = this.#sections.get(name);
    const own = this.#sections.get(idOf(type));
    const known = own ?? (shared === undefined || shared.fits(printed) ? shared : undefined);
    if (known) return known;
    const section = new LiveSection(type, this.#options, this.#leading, this.#arrangement);
    if (this.#paused) section.freeze(true);
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

  /** Must be called if a person can press keys: the last line names them from then on. */
  useKeys(): void {
    this.#hasKeys = true;
  }

  /** Whether a search is being typed. */
  get isTyping(): boolean {
    return this.#search?.isTyped ?? false;
  }

  /** The text of the search, also while it is typed. */
  get searchText(): string {
    return this.#search?.text ?? '';
  }

  /** Whether an object or the page of keys is on the screen instead of the table. */
  get isAway(): boolean {
    return this.#object !== undefined || this.#isKeysPage;
  }

  /** Whether the page of keys is on the screen. */
  get isKeysPage(): boolean {
    return this.#isKeysPage;
  }

  /**
   * Scrolls by a number of rows, down or (below 0) up, or to the top or bottom. It stops at the first and the last row.
   * A selection moves too.
   */
  scroll(by: Distance): void {
    if (this.#object) {
      this.#position = { ...this.#position, line: moved(this.#position.line, by) };
      return;
    }
    this.#offset = moved(this.#offset, by);
    if (this.#selected) this.select(by);
  }

  /** Selects the row that is a number of rows further down; without a selection the first one on the screen. */
  select(by: Distance): void {
    const all = this.#rows();
    const last = all.length - 1;
    if (last < 0) return;
    const at = this.#indexOfSelected(all);
    const index = at === undefined ? this.#offset : Math.min(last, moved(at, by));
    const row = all[Math.min(last, index)];
    if (row) this.#selected = { section: row.section, key: row.row.key, index: Math.min(last, index) };
  }

  /** Moves the columns, or the text of an object, to the right or (below 0) left. */
  sideways(by: 1 | -1): void {
    if (this.#object) {
      const column = Math.max(0, this.#position.column + by * SIDEWAYS);
      this.#position = { ...this.#position, column };
      return;
    }
    const most = Math.max(0, ...[...this.#sections.values()].map(({ movable }) => movable - 1));
    const { shift } = this.#arrangement;
    const next = Math.max(0, Math.min(most, shift + by));
    if (by > 0 && ![...this.#sections.values()].some(({ isCut }) => isCut))
      this.remark('every column is on the screen; -o wide has more');
    else if (next === shift) this.remark(by > 0 ? 'this is the last column' : 'this is the first column');
    else this.#arrange({ shift: next });
  }

  /** Shows only rows that have all words of a text; undefined shows every row. */
  search(text: string | undefined, { isTyped = false } = {}): void {
    this.#search = text === undefined || (text.trim() === '' && !isTyped) ? undefined : { text, isTyped };
    this.#offset = 0;
    this.#arrange({ words: (text ?? '').toLowerCase().split(/\s+/).filter(Boolean) });
  }

  /** Lets a person type a search, or change the one there is. */
  startSearch(): void {
    this.#object = undefined;
    this.search(this.searchText, { isTyped: true });
  }

  /** Sorts by the next column, or (below 0) by the one before; after the last one in the order of the command line. */
  sort(by: 1 | -1): void {
    const headings = [...new Set([...this.#sections.values()].flatMap((section) => section.headings))];
    const choices: (string | undefined)[] = [undefined, ...headings];
    const at = choices.indexOf(this.#arrangement.sortBy);
    const sortBy = choices[(at + by + choices.length) % choices.length];
    this.#arrange({ sortBy, isReversed: false });
    this.remark(sortBy === undefined ? 'in the order of the start' : `sorted by ${sortBy}; r reverses it`);
  }

  /** Reverses the order of the column that is sorted by. */
  reverse(): void {
    if (this.#arrangement.sortBy === undefined) this.remark('s chooses a column to sort by, r reverses it then');
    else this.#arrange({ isReversed: !this.#arrangement.isReversed });
  }

  /** Stops what is on the screen, or goes on with what came meanwhile. */
  pause(): void {
    this.#paused = this.#paused ? undefined : { now: undefined, events: this.#events };
    for (const section of this.#sections.values()) section.freeze(this.#paused !== undefined);
  }

  /** Shows the selected object on the whole screen; without a selection the first one. */
  open(): void {
    if (!this.#selected) this.select(0);
    const all = this.#rows();
    const index = this.#indexOfSelected(all);
    const { section, row } = (index === undefined ? undefined : all[index]) ?? {};
    if (!section || !row) {
      this.remark('there is no object to open');
      return;
    }
    const find = () => section.row(row.key) ?? row;
    this.#object = new ObjectView(find, { showManagedFields: this.#showManagedFields });
    this.#position = { line: 0, column: 0 };
  }

  /** Opens an object, or goes back from it. */
  toggleObject(): void {
    if (this.#object) this.back();
    else this.open();
  }

  showKeys(): void {
    this.#isKeysPage = true;
  }

  /** Goes back by one step: from a page, then the search, then the selection. */
  back(): void {
    if (this.#isKeysPage) this.#isKeysPage = false;
    else if (this.#object) this.#object = undefined;
    else if (this.#search) this.search(undefined);
    else if (this.#selected) this.#selected = undefined;
    else this.remark('q ends it');
  }

  /** Sets the text before the counts: the progress of a wait or of a sync. */
  note(text: string | undefined): void {
    this.#note = text;
  }

  /** Sets a text that is in place of the keys; undefined shows the keys again. */
  remark(text: string | undefined): void {
    this.#remark = text;
  }

  /**
   * The text that updates the terminal. `now` is the time of ages, ms since 1970, and `monotonic` that of marks, which a
   * clock that is set back does not delay.
   */
  frame(size: ScreenSize, now: number, monotonic = now): string {
    const usable = { columns: Math.max(1, size.columns || 80), rows: Math.max(1, size.rows || 24) };
    if (this.#paused && this.#paused.now === undefined) this.#paused = { ...this.#paused, now };
    for (const section of this.#sections.values()) section.forget(monotonic);
    const hasKeys = this.#hasKeys && usable.rows >= LEAST_ROWS;
    const body = this.#body({ ...usable, rows: usable.rows - (hasKeys ? 2 : 1) }, now, monotonic);
    const keys = hasKeys ? [this.#keyLine(usable.columns)] : [];
    return this.#screen.draw([...body, this.#statusLine(usable.columns, now), ...keys], usable);
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

  /** Goes back to the table, for the last frame. */
  finish(): void {
    this.#isKeysPage = false;
    this.#object = undefined;
    this.#hasKeys = false;
    if (this.#paused) this.pause();
  }

  #arrange(change: Partial<Arrangement>): void {
    this.#arrangement = { ...this.#arrangement, ...change };
    for (const section of this.#sections.values()) section.arrange(this.#arrangement);
  }

  /** All rows that can be shown, in their order. */
  #rows(): PlacedRow[] {
    return [...this.#sections.values()].flatMap((section) => section.inOrder().map((row) => ({ section, row })));
  }

  /** The place of the selected row. If it is not there any more, the row at its place is selected. */
  #indexOfSelected(all: readonly PlacedRow[]): number | undefined {
    const selected = this.#selected;
    if (!selected || all.length === 0) return undefined;
    const found = all.findIndex(({ section, row }) => section === selected.section && row.key === selected.key);
    const index = found >= 0 ? found : Math.min(selected.index, all.length - 1);
    const at = all[index];
    if (at) this.#selected = { section: at.section, key: at.row.key, index };
    return index;
  }

  #body({ columns, rows }: ScreenSize, now: number, monotonic: number): string[] {
    if (this.#isKeysPage) return keysPage(columns, this.#painter).slice(0, rows);
    if (this.#object) {
      const most = Math.max(0, this.#object.length - rows);
      this.#position = { ...this.#position, line: Math.min(this.#position.line, most) };
      return this.#object.lines(this.#position, rows, columns, this.#painter);
    }
    return this.#lines({ columns, rows }, now, monotonic);
  }

  #lines({ columns, rows }: ScreenSize, now: number, monotonic: number): string[] {
    const all = [...this.#sections.values()].filter((section) => section.size > 0);
    const selected = this.#scrollToSelected(all, rows);
    this.#offset = Math.min(this.#offset, this.#lastOffset(all, rows));
    const { shown, room } = this.#shares(all, rows);
    const lines = shown.flatMap(({ section, skip }, i) => [
      ...(i > 0 ? [''] : []),
      ...section.lines({
        rows: room[i] ?? 0,
        skip,
        columns,
        now: (type) => Math.min(this.#paused?.now ?? now, this.#since.get(idOf(type))?.since ?? now),
        monotonic,
        painter: this.#painter,
        selected,
      }),
    ]);
    return lines.slice(0, rows);
  }

  /** The sections on the screen, and the number of rows that each can have. */
  #shares(all: readonly LiveSection[], rows: number) {
    const shown = below(all, this.#offset);
    const wanted = shown.map(({ section, skip }) => section.size - skip);
    return { shown, room: shares(wanted, rows - this.#overhead(shown.length)) };
  }

  /** Scrolls until the selected row is on the screen, and returns that row. */
  #scrollToSelected(all: readonly LiveSection[], rows: number): LiveRow | undefined {
    if (!this.#selected) return undefined;
    const list = this.#rows();
    const index = this.#indexOfSelected(list);
    const row = index === undefined ? undefined : list[index];
    if (index === undefined || !row) return undefined;
    this.#offset = Math.min(this.#offset, index, this.#lastOffset(all, rows));
    const first = index - row.section.inOrder().indexOf(row.row);
    while (this.#offset < index) {
      const { shown, room } = this.#shares(all, rows);
      const i = shown.findIndex(({ section }) => section === row.section);
      const { skip = 0 } = shown[i] ?? {};
      if (index - first - skip < visibleRows(row.section.size - skip, room[i] ?? 0)) break;
      this.#offset++;
    }
    return row.row;
  }

  /** The number of lines that are not rows: headings, and empty lines between sections. */
  #overhead(sections: number): number {
    return (this.#options.noHeaders ? 0 : sections) + Math.max(0, sections - 1);
  }

  /** The smallest offset at which the last row is shown. */
  #lastOffset(all: readonly LiveSection[], rows: number): number {
    const total = all.reduce((sum, section) => sum + section.size, 0);
    for (let offset = Math.max(0, total - rows); offset < total; offset++) {
      const shown = below(all, offset);
      if (total - offset <= rows - this.#overhead(shown.length)) return offset;
    }
    return 0;
  }

  #statusLine(columns: number, now: number): string {
    const alarm = cutToWidth(this.#alarm(now), columns);
    const left = columns - displayWidth(alarm);
    const rest = cutToWidth(`${alarm === '' ? '' : ' · '}${this.#footer()}`, left);
    return (alarm === '' ? '' : this.#painter.state('bad', alarm)) + this.#painter.faint(rest);
  }

  /** The main keys, what is typed, or a remark about the last key. */
  #keyLine(columns: number): string {
    if (this.#search?.isTyped)
      return cutToWidth(`/${cellText(this.#search.text)}█  Enter: keep  Esc: all rows`, columns);
    if (this.#remark !== undefined) return this.#painter.heading(cutToWidth(cellText(this.#remark), columns));
    const keys = this.#isKeysPage ? PAGE_KEYS : this.#object ? OBJECT_KEYS : MAIN_KEYS;
    return this.#painter.faint(cutToWidth(keys, columns));
  }

  /**
   * `DISCONNECTED 15s`; with the names of the types if other types are connected, and with their places if there are
   * several.
   */
  #alarm(now: number): string {
    if (this.#since.size === 0) return '';
    const away = [...this.#since.values()];
    const isAll = !this.#options.places?.length && [...this.#sections.keys()].every((id) => this.#since.has(id));
    const which = isAll ? '' : ` ${[...new Set(away.map(({ name }) => cellText(name)))].join(', ')}`;
    return `DISCONNECTED${which} ${humanDuration(Math.max(0, now - Math.min(...away.map(({ since }) => since))))}`;
  }

  #footer(): string {
    const note = this.#note === undefined ? [] : [cellText(this.#note)];
    const search = this.#search && !this.#search.isTyped ? [`/${cellText(this.#search.text)}`] : [];
    return [
      ...this.#pauseText(),
      ...note,
      ...search,
      this.#object ? this.#objectText(this.#object) : this.#counts(),
    ].join(' · ');
  }

  #pauseText(): string[] {
    if (!this.#paused) return [];
    const waiting = this.#events - this.#paused.events;
    return [waiting === 0 ? 'PAUSED' : `PAUSED, ${waiting} ${waiting === 1 ? 'event' : 'events'} since`];
  }

  #objectText(object: ObjectView): string {
    return `${object.title} · line ${this.#position.line + 1} of ${object.length}`;
  }

  #counts(): string {
    const counts = [...this.#sections.values()].map((section) => section.count()).filter((text) => text !== '');
    const some = counts.length === 0 ? (this.#isLoading ? 'loading' : 'no objects') : counts.join(', ');
    const objects = this.#offset === 0 ? some : `${some} · from row ${this.#offset + 1}`;
    if (!this.#last) return objects;
    const { event, type } = this.#last;
    const name = cellText(qualifiedName(event.object.metadata.name ?? '', type));
    const events = this.#paused?.events ?? this.#events;
    return `${objects} · ${events} ${events === 1 ? 'event' : 'events'}, last ${localTime(event.time, 'seconds')} ${event.type} ${name}`;
  }
}

/** A place after a move; the end is beyond every place. */
function moved(from: number, by: Distance): number {
  if (by === 'top') return 0;
  return by === 'bottom' ? Number.POSITIVE_INFINITY : Math.max(0, from + by);
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

/** Identifies a type in its place. */
const idOf = (type: PrintedType) => nameInPlace(type, formatGvr(type.gvr));
