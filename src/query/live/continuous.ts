/** How a row of a result changes: it enters, it leaves, or what is printed of it differs. */
export type RowOp = '+' | '-' | '~';

/**
 * Why a row changes. `initial`: it belongs to the first result. `watch`, `relist`: its object was created, changed or
 * deleted. `filter`: its object exists before and after, and begins or ceases to match. `limit`: only its rank changed.
 */
export type RowCause = 'initial' | 'watch' | 'relist' | 'filter' | 'limit';

/** A row of a result: an object, a group, a count. One id is one row. */
export interface ResultRow {
  readonly id: string;
}

/** One change of a result, as {@link ContinuousResult.take} gives it. */
export interface RowChange<R extends ResultRow> {
  readonly op: RowOp;
  /** The row as it is now; of a row that left, its last known state. */
  readonly row: R;
  readonly cause: RowCause;
}

/** The change of the subject of a row. */
export interface RowEvent {
  /** Whether the subject came, changed or went. */
  readonly kind: 'added' | 'updated' | 'deleted';
  readonly cause: 'initial' | 'watch' | 'relist' | 'filter';
}

/** Options of a {@link ContinuousResult}. */
export interface ContinuousOptions<R extends ResultRow> {
  /** Whether two states of one row are printed in the same way. */
  readonly looksSame: (before: R, after: R) => boolean;
  /**
   * The rows that are shown, in their order: of a result with a limit, the first N. It is called with all rows of the
   * result, once for each {@link ContinuousResult.take} before which something changed. Absent: all rows are shown, and
   * the cost of a change does not depend on the number of rows.
   */
  readonly window?: ((rows: readonly R[]) => readonly R[]) | undefined;
}

interface Pending<R> {
  readonly row: R;
  readonly isIn: boolean;
  readonly event: RowEvent;
}

/**
 * A result that is kept up to date: takes changes of rows, and gives the difference between what was printed and what
 * is true now. Changes of one row between two calls of {@link take} are merged, so its memory is bounded by the rows.
 *
 * Promises: the printed changes, applied to nothing, always give the present result. A row that enters again under its
 * id without a call of `take` in between is one that changed.
 */
export class ContinuousResult<R extends ResultRow> {
  readonly #options: ContinuousOptions<R>;
  /** The rows as the reader knows them. */
  readonly #shown = new Map<string, R>();
  /** All rows of the result, where not all are shown. */
  readonly #rows = new Map<string, R>();
  #pending = new Map<string, Pending<R>>();
  #merged = 0;

  constructor(options: ContinuousOptions<R>) {
    this.#options = options;
  }

  /** The number of rows that the reader knows. */
  get shown(): number {
    return this.#shown.size;
  }

  /** The number of rows that may have changed since the last {@link take}. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** The number of changes since the last {@link take} that a later change of their row has replaced. */
  get merged(): number {
    return this.#merged;
  }

  /** Records the present state of a row, and whether it belongs to the result. */
  put(row: R, isIn: boolean, event: RowEvent): void {
    const { id } = row;
    const before = this.#pending.get(id);
    if (before) this.#merged++;
    else if (!isIn && !this.#isKnown(id)) return;
    const isNew = before?.event.kind === 'added' && event.kind === 'updated';
    this.#pending.set(id, { row, isIn, event: isNew ? before.event : event });
    if (!this.#options.window) return;
    if (isIn) this.#rows.set(id, row);
    else this.#rows.delete(id);
  }

  /** The changes since the last call: rows that left come first. The reader is then taken to know it. */
  take(): RowChange<R>[] {
    const pending = this.#pending;
    if (pending.size === 0) return [];
    this.#pending = new Map();
    this.#merged = 0;
    const { window } = this.#options;
    return window ? this.#reorder(window([...this.#rows.values()]), pending) : this.#apply(pending);
  }

  #isKnown(id: string): boolean {
    return this.#options.window ? this.#rows.has(id) : this.#shown.has(id);
  }

  #apply(pending: ReadonlyMap<string, Pending<R>>): RowChange<R>[] {
    const gone: RowChange<R>[] = [];
    const rest: RowChange<R>[] = [];
    for (const each of pending.values()) {
      const change = each.isIn ? this.#enter(each.row, each) : this.#leave(each.row, each);
      if (change) (change.op === '-' ? gone : rest).push(change);
    }
    return [...gone, ...rest];
  }

  #reorder(window: readonly R[], pending: ReadonlyMap<string, Pending<R>>): RowChange<R>[] {
    const ids = new Set(window.map(({ id }) => id));
    const lost = [...this.#shown.values()].filter(({ id }) => !ids.has(id));
    const gone = lost.map((row) => this.#leave(pending.get(row.id)?.row ?? row, pending.get(row.id)));
    return [...gone, ...window.map((row) => this.#enter(row, pending.get(row.id)))].filter(
      (change) => change !== undefined,
    );
  }

  #enter(row: R, pending: Pending<R> | undefined): RowChange<R> | undefined {
    const before = this.#shown.get(row.id);
    this.#shown.set(row.id, row);
    if (!before) return { op: '+', row, cause: pending ? causeOf(pending, 'added') : 'limit' };
    if (before === row || this.#options.looksSame(before, row)) return undefined;
    return { op: '~', row, cause: pending?.event.cause ?? 'limit' };
  }

  #leave(row: R, pending: Pending<R> | undefined): RowChange<R> | undefined {
    if (!this.#shown.delete(row.id)) return undefined;
    return { op: '-', row, cause: pending && !pending.isIn ? causeOf(pending, 'deleted') : 'limit' };
  }
}

/** An object that was there before, and still is, began or ceased to match. */
const causeOf = ({ event }: Pending<unknown>, kind: RowEvent['kind']): RowCause =>
  event.kind === kind ? event.cause : 'filter';
