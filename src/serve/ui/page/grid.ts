import { humanDuration } from '../../../kit/duration.ts';
import type { UiColumn, UiRow } from '../wire.ts';
import { el, safe } from './dom.ts';

interface Row {
  readonly key: string;
  cells: readonly string[];
  states: string;
  created: number | null;
  /** When it last changed on the page. */
  changedAt: number;
  sort: string | number;
  /** The view that it was last sent for. */
  view: number;
}

const ROW_HEIGHT = 28;
/** Rows beyond the edges that are drawn too. */
const MARGIN = 8;
/** While many rows come, they are sorted this often, ms. */
const SORT_EVERY_MS = 300;
const FLASH_MS = 1600;
const WIDEST = 56;

export interface GridOptions {
  /** The user wants to see an object. */
  onOpen(key: string): void;
  /** The user moved to a row. */
  onMove(key: string): void;
  /** The server's clock. */
  now(): number;
}

/**
 * A table of any number of rows, of which only those in view are elements. Arrow keys, Page Up and Down, Home and End
 * move; Enter opens.
 */
export class Grid {
  readonly #root: HTMLElement;
  readonly #options: GridOptions;
  readonly #head = el('div', { class: 'head', role: 'row', 'aria-rowindex': '1' });
  readonly #body = el('div', { class: 'body', role: 'rowgroup' });
  readonly #empty = el('p', { class: 'empty' });
  readonly #drawn = new Map<Row, HTMLElement>();
  #columns: readonly UiColumn[] = [];
  #shown: readonly number[] = [];
  #widths: number[] = [];
  #rows = new Map<string, Row>();
  #order: Row[] = [];
  #isSorted = true;
  #sortedAt = 0;
  #by: number | undefined;
  #isDescending = false;
  #isWide = false;
  #isScheduled = false;
  /** Rows that are there from the start do not flash. */
  #isLive = false;
  #active: string | undefined;
  #opened: string | undefined;
  #view = 0;
  #present = 0;

  constructor(root: HTMLElement, options: GridOptions) {
    this.#root = root;
    this.#options = options;
    root.append(this.#head, this.#body, this.#empty);
    root.addEventListener('scroll', () => this.#schedule(), { passive: true });
    root.addEventListener('keydown', (event) => this.#key(event));
    this.#body.addEventListener('click', ({ target }) => this.#clicked(target as HTMLElement));
    new ResizeObserver(() => this.#schedule()).observe(root);
  }

  /** The number of rows of the present view. */
  get size(): number {
    return this.#present;
  }

  /**
   * Begins another view. Rows of the same question stay until all rows of the new view are there, so that the table
   * does not flicker and keeps its place. Rows of another question do not: they may not match this one.
   */
  begin(which: 'same question' | 'same type' | 'other type'): void {
    this.#view++;
    this.#present = 0;
    this.#isLive = false;
    if (which === 'same question') return;
    this.#rows = new Map();
    this.#order = [];
    this.#root.scrollTop = 0;
    this.#redraw();
    if (which === 'same type') return;
    this.#active = undefined;
    this.#by = undefined;
  }

  /** Whether the rows are not the answer to what is asked now. They are dimmed. */
  get old(): boolean {
    return this.#root.classList.contains('old');
  }

  set old(isOld: boolean) {
    this.#root.classList.toggle('old', isOld);
    this.#root.setAttribute('aria-busy', String(isOld));
  }

  set columns(columns: readonly UiColumn[]) {
    if (columns.map(({ heading }) => heading).join() !== this.#columns.map(({ heading }) => heading).join())
      this.#by = undefined;
    this.#columns = columns;
    this.#widths = columns.map(({ heading }) => heading.length + 2);
    for (const row of this.#rows.values()) this.#fit(row);
    this.#heading();
  }

  set wide(isWide: boolean) {
    this.#isWide = isWide;
    this.#heading();
  }

  /** Whether all rows that match are there. From then on changes are marked. */
  set live(isLive: boolean) {
    if (isLive && !this.#isLive) this.#dropOld();
    this.#isLive = isLive;
    this.#schedule();
  }

  set empty(text: string) {
    if (this.#empty.textContent !== text) this.#empty.textContent = text;
  }

  /** Marks the row whose object is open. */
  set opened(key: string | undefined) {
    this.#opened = key;
    this.#redraw();
  }

  apply(set: readonly UiRow[], gone: readonly string[]): void {
    const at = performance.now();
    for (const [key, cells, states, created] of set) {
      const row = this.#rows.get(key);
      const changedAt = this.#isLive ? at : Number.NEGATIVE_INFINITY;
      if (row) {
        Object.assign(row, { cells, states, created, changedAt });
        if (row.view !== this.#view) this.#present++;
        row.view = this.#view;
        const sort = this.#sortKey(row);
        if (sort !== row.sort) this.#isSorted = false;
        row.sort = sort;
        this.#drawn.get(row)?.remove();
        this.#drawn.delete(row);
        this.#fit(row);
      } else {
        const fresh: Row = { key, cells, states, created, changedAt, sort: '', view: this.#view };
        this.#present++;
        fresh.sort = this.#sortKey(fresh);
        this.#rows.set(key, fresh);
        this.#order.push(fresh);
        this.#isSorted = false;
        this.#fit(fresh);
      }
    }
    let isThinned = false;
    for (const key of gone) {
      if (this.#rows.get(key)?.view === this.#view) this.#present--;
      isThinned = this.#rows.delete(key) || isThinned;
    }
    if (isThinned) this.#order = this.#order.filter((row) => this.#rows.get(row.key) === row);
    this.#schedule();
  }

  /** All rows of the view are there: what has not been sent for it is of the view before. */
  #dropOld(): void {
    for (const [key, { view }] of this.#rows) if (view !== this.#view) this.#rows.delete(key);
    this.#order = this.#order.filter((row) => this.#rows.get(row.key) === row);
    this.#isSorted = false;
  }

  /** Ages grow. */
  tick(): void {
    const age = this.#columns.findIndex(({ isAge }) => isAge);
    const place = this.#shown.indexOf(age);
    if (place < 0) return;
    for (const [row, drawn] of this.#drawn) {
      const cell = drawn.children[place];
      const text = this.#text(row, age);
      if (cell && cell.textContent !== text) cell.textContent = text;
    }
  }

  focus(): void {
    this.#root.focus({ preventScroll: true });
  }

  /** Moves to another row: down by a number of rows, up by a negative one. */
  step(rows: number): void {
    const at = this.#order.findIndex(({ key }) => key === this.#active);
    if (this.#order.length > 0) this.#moveTo(Math.max(0, Math.min(this.#order.length - 1, at + rows)));
  }

  openActive(): void {
    if (this.#active !== undefined) this.#options.onOpen(this.#active);
  }

  #heading(): void {
    this.#shown = this.#columns.flatMap(({ isWide }, i) => (this.#isWide || !isWide ? [i] : []));
    this.#head.replaceChildren(
      ...this.#shown.map((i) => {
        const { heading } = this.#columns[i] as UiColumn;
        const direction = this.#isDescending ? 'descending' : 'ascending';
        const button = el('button', { type: 'button', title: `sort by ${heading}` }, heading);
        button.addEventListener('click', () => this.#sortBy(i));
        return el('div', { role: 'columnheader', 'aria-sort': this.#by === i ? direction : 'none' }, button);
      }),
    );
    this.#root.setAttribute('aria-colcount', String(this.#shown.length));
    this.#redraw();
  }

  #sortBy(column: number): void {
    if (this.#by !== column) [this.#by, this.#isDescending] = [column, false];
    else if (!this.#isDescending) this.#isDescending = true;
    else [this.#by, this.#isDescending] = [undefined, false];
    for (const row of this.#rows.values()) row.sort = this.#sortKey(row);
    this.#isSorted = false;
    this.#sortedAt = 0;
    const hadFocus = this.#head.contains(document.activeElement);
    this.#heading();
    if (hadFocus) this.#head.children[this.#shown.indexOf(column)]?.querySelector('button')?.focus();
  }

  /** A number where the cell begins with one; ages by the time of creation, the youngest first. */
  #sortKey({ key, cells, created }: Row): string | number {
    if (this.#by === undefined) return key;
    if (this.#columns[this.#by]?.isAge) return created === null ? Number.POSITIVE_INFINITY : -created;
    const cell = cells[this.#by] ?? '';
    const found = /^-?\d+(\.\d+)?(?![\d.]*[.:-]\d)/.exec(cell)?.[0];
    return found === undefined ? cell : Number(found);
  }

  #sort(): void {
    if (this.#isSorted) return;
    const now = performance.now();
    if (!this.#isLive && this.#order.length > 2000 && now - this.#sortedAt < SORT_EVERY_MS) {
      setTimeout(() => this.#schedule(), SORT_EVERY_MS);
      return;
    }
    const sign = this.#isDescending ? -1 : 1;
    this.#order.sort((a, b) => sign * compare(a.sort, b.sort) || compare(a.key, b.key));
    this.#isSorted = true;
    this.#sortedAt = now;
  }

  #fit({ cells }: Row): void {
    for (let i = 0; i < cells.length; i++) {
      const length = Math.min((cells[i] as string).length, WIDEST);
      if (length > (this.#widths[i] ?? 0)) this.#widths[i] = length;
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#draw();
    });
  }

  #redraw(): void {
    for (const drawn of this.#drawn.values()) drawn.remove();
    this.#drawn.clear();
    this.#schedule();
  }

  #draw(): void {
    this.#sort();
    const columns = this.#shown
      .map((i, place) => {
        const width = this.#columns[i]?.isAge ? Math.max(6, this.#widths[i] ?? 0) : (this.#widths[i] ?? 0);
        return place === this.#shown.length - 1 ? `minmax(${width}ch, 1fr)` : `${width}ch`;
      })
      .join(' ');
    if (this.#root.style.getPropertyValue('--columns') !== columns) this.#root.style.setProperty('--columns', columns);
    const count = this.#order.length;
    this.#root.setAttribute('aria-rowcount', String(count + 1));
    this.#body.style.height = `${count * ROW_HEIGHT}px`;
    this.#body.hidden = count === 0;
    this.#empty.hidden = count > 0;
    const first = Math.max(0, Math.floor(this.#root.scrollTop / ROW_HEIGHT) - MARGIN);
    const last = Math.min(count, Math.ceil((this.#root.scrollTop + this.#root.clientHeight) / ROW_HEIGHT) + MARGIN);
    const wanted = new Set(this.#order.slice(first, last));
    for (const [row, drawn] of this.#drawn) {
      if (wanted.has(row)) continue;
      drawn.remove();
      this.#drawn.delete(row);
    }
    for (let i = first; i < last; i++) this.#place(this.#order[i] as Row, i);
    this.#markActive();
  }

  #place(row: Row, i: number): void {
    let drawn = this.#drawn.get(row);
    if (!drawn) {
      drawn = this.#rowElement(row);
      this.#drawn.set(row, drawn);
      this.#body.append(drawn);
    }
    const top = `${i * ROW_HEIGHT}px`;
    if (drawn.style.top !== top) {
      drawn.style.top = top;
      drawn.setAttribute('aria-rowindex', String(i + 2));
      drawn.dataset.at = String(i);
      drawn.id = `row-${i}`;
    }
  }

  #rowElement(row: Row): HTMLElement {
    const isNew = performance.now() - row.changedAt < FLASH_MS;
    const classes = ['row', isNew ? 'new' : '', row.key === this.#opened ? 'open' : ''].filter(Boolean).join(' ');
    return el(
      'div',
      { class: classes, role: 'row' },
      ...this.#shown.map((i) => {
        const state = row.states[i] ?? ' ';
        const isNamespace = this.#columns[i]?.heading === 'NAMESPACE';
        const style = state === ' ' ? (isNamespace ? 'ns' : undefined) : state;
        const text = this.#text(row, i);
        return el(
          'span',
          { role: 'gridcell', class: style, title: text.length > WIDEST ? safe(text) : undefined },
          text,
        );
      }),
    );
  }

  #text({ cells, created }: Row, i: number): string {
    if (this.#columns[i]?.isAge && created !== null) return humanDuration(this.#options.now() - created);
    return cells[i] ?? '';
  }

  #markActive(): void {
    for (const [row, drawn] of this.#drawn) {
      const isActive = row.key === this.#active;
      drawn.classList.toggle('active', isActive);
      drawn.setAttribute('aria-selected', String(isActive));
      if (isActive) this.#root.setAttribute('aria-activedescendant', drawn.id);
    }
    if (this.#active === undefined) this.#root.removeAttribute('aria-activedescendant');
  }

  #clicked(target: HTMLElement): void {
    const at = target.closest<HTMLElement>('.row')?.dataset.at;
    const row = at === undefined ? undefined : this.#order[Number(at)];
    if (!row || String(getSelection()) !== '') return; // text is being selected
    this.#active = row.key;
    this.#markActive();
    this.#options.onOpen(row.key);
  }

  #key(event: KeyboardEvent): void {
    if (event.target !== this.#root || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.#root.clientHeight / ROW_HEIGHT) - 2);
    const at = this.#order.findIndex(({ key }) => key === this.#active);
    const last = this.#order.length - 1;
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? 0 : at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: last,
    };
    const to = moves[event.key];
    if (to !== undefined && last >= 0) {
      event.preventDefault();
      this.#moveTo(Math.max(0, Math.min(last, to)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      this.openActive();
    }
  }

  #moveTo(at: number): void {
    this.#active = this.#order[at]?.key;
    const [top, height] = [at * ROW_HEIGHT, this.#root.clientHeight - ROW_HEIGHT];
    if (top < this.#root.scrollTop) this.#root.scrollTop = top;
    else if (top + ROW_HEIGHT > this.#root.scrollTop + height) this.#root.scrollTop = top + ROW_HEIGHT - height;
    this.#draw();
    if (this.#active !== undefined) this.#options.onMove(this.#active);
  }
}

/** Numbers before texts; texts by code units, as names are listed. */
function compare(a: string | number, b: string | number): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
