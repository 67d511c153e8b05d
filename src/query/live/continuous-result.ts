import { formatGvr, isSecretResource } from '../../model/gvr.ts';
import { keyOf } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ObjectChange } from '../../stream/envelope.ts';
import type { Redactor } from '../../stream/redact.ts';
import { shownObject, whyUnprintable } from '../../stream/shown-object.ts';
import { sortedBy } from '../answer/arrange.ts';
import { type CachedObjects, scanned } from '../answer/cached-objects.ts';
import type { Found } from '../answer/found.ts';
import { groupValues, rowRecord, shownIn } from '../answer/grouping.ts';
import { type GroupRow, NO_GROUP, sortedRows } from '../answer/groups.ts';
import type { Matcher } from '../answer/matcher.ts';
import { columnOf } from '../answer/measure-flags.ts';
import { asksForObjects, type ScopedQuery } from '../answer/query.ts';
import { amountsOf } from '../answer/sums.ts';
import type { IndexCatalog } from '../index/index-catalog.ts';
import { runLookups } from '../index/lookup-plan.ts';
import {
  ContinuousResult,
  type ResultRow,
  type RowCause,
  type RowChange,
  type RowEvent,
  type RowOp,
} from './continuous.ts';
import { ContinuousGroups } from './continuous-groups.ts';

/** A type of a continuous query, and which of its objects were asked for. */
export type ContinuousTarget = Pick<CachedObjects, 'type' | 'names' | 'namespaces'>;

export interface ContinuousResultOptions {
  readonly plan: ScopedQuery;
  readonly targets: readonly ContinuousTarget[];
  /** The indexes for the objects of a target. */
  readonly catalogOf: (target: ContinuousTarget) => IndexCatalog;
  readonly matches: Matcher;
  readonly redactor: Redactor;
  /** Whether two states of an object are printed in the same way. */
  readonly looksSame: (before: Found, after: Found) => boolean;
  /** Numbers are for people: amounts are rounded, and named by their columns. */
  readonly isReadable: boolean;
  /** Called with an error of the order of rows; rows keep the order of the server then. */
  readonly onUnsorted: (error: unknown) => void;
}

interface ObjectRow extends ResultRow, Found {
  readonly target: ContinuousTarget;
}

interface NumberRow extends ResultRow, GroupRow {
  readonly cells: Readonly<Record<string, unknown>>;
}

/**
 * A change of a result. One of an object has `object`, `key` and `gvr`; one of a group or a count has `row`.
 */
export interface ResultRecord {
  readonly op: RowOp;
  /** The object as it is now; of one that left, its last known state. Redacted. */
  readonly object?: ReadonlyObject;
  /** The cells of a group or a count, by their names. */
  readonly row?: Readonly<Record<string, unknown>>;
  /** `namespace/name`, or `name`. */
  readonly key?: string;
  /** `apps/v1/deployments`, `v1/pods`. */
  readonly gvr?: string;
  /** The name of the object's cluster; absent where there is only one. */
  readonly cluster?: string;
  readonly cause: RowCause;
  /** The reason why the object cannot be printed. Then `object` has only what identifies it. */
  readonly error?: string;
}

/** A change of a result that has no number and no time yet, and the type of its object. */
export interface UnstampedChange {
  readonly record: ResultRecord;
  readonly type?: Found['type'] | undefined;
}

/** The rows of a result that are kept up to date: objects, or numbers about them. */
interface Rows {
  put(found: ObjectRow, isIn: boolean, event: RowEvent): void;
  take(): UnstampedChange[];
  readonly shown: number;
  readonly waiting: number;
  readonly merged: number;
}

/**
 * The result of a question, kept up to date from the changes of objects. Each changed object is judged by itself: the
 * cost of a change does not depend on how many objects there are. With a limit the order of the whole result is looked
 * at once for each {@link take}.
 */
export class LiveResult {
  readonly #options: ContinuousResultOptions;
  readonly #rows: Rows;

  constructor(options: ContinuousResultOptions) {
    this.#options = options;
    this.#rows = asksForObjects(options.plan) ? new ObjectRows(options) : new NumberRows(options);
  }

  /** The rows that the reader knows. */
  get shown(): number {
    return this.#rows.shown;
  }

  /** The rows that may have changed since the last {@link take}. */
  get waiting(): number {
    return this.#rows.waiting;
  }

  /** The changes since the last {@link take} that a later one of the same row has replaced. */
  get merged(): number {
    return this.#rows.merged;
  }

  /** Takes a change of an object. */
  put(change: ObjectChange, target: ContinuousTarget): void {
    const { type, object, oldObject, cause } = change;
    const event = { kind: type, cause: causeOf(cause) };
    const row = this.#rowOf(object, target);
    const before = oldObject && this.#rowOf(oldObject, target);
    if (before && before.id !== row.id) {
      this.#rows.put(before, false, { kind: 'deleted', cause: event.cause });
      this.#rows.put(row, this.#isIn(row), { kind: 'added', cause: event.cause });
    } else this.#rows.put(row, type !== 'deleted' && this.#isIn(row), event);
  }

  /** Judges an object that has not changed again: the time, or an owner, may have moved it. */
  reconsider(object: ReadonlyObject, target: ContinuousTarget): void {
    const row = this.#rowOf(object, target);
    this.#rows.put(row, this.#isIn(row), { kind: 'updated', cause: 'filter' });
  }

  /** The changes for the reader since the last call. The first call gives the first result in its order. */
  take(): UnstampedChange[] {
    return this.#rows.take();
  }

  #rowOf(object: ReadonlyObject, target: ContinuousTarget): ObjectRow {
    const place = this.#options.targets.indexOf(target);
    return { id: `${place} ${keyOf(object)} ${object.metadata.uid ?? ''}`, object, type: target.type, target };
  }

  #isIn({ object, type, target }: ObjectRow): boolean {
    const { plan, matches, catalogOf } = this.#options;
    const { names } = target;
    if (names && !names.has(object.metadata.name ?? '')) return false;
    const isFound =
      plan.lookups.length === 0 ||
      runLookups({ store: scanned([object]), catalog: catalogOf(target), lookups: plan.lookups }).objects.length > 0;
    return isFound && matches(object, type);
  }
}

const causeOf = (cause: ObjectChange['cause']): RowEvent['cause'] => (cause === 'resync' ? 'watch' : cause);

class ObjectRows implements Rows {
  readonly #options: ContinuousResultOptions;
  readonly #result: ContinuousResult<ObjectRow>;
  #isFirst = true;

  constructor(options: ContinuousResultOptions) {
    this.#options = options;
    const { plan, looksSame } = options;
    this.#result = new ContinuousResult<ObjectRow>({
      looksSame,
      window: plan.limit === undefined ? undefined : (rows) => this.#arranged(rows),
    });
  }

  get shown(): number {
    return this.#result.shown;
  }

  get waiting(): number {
    return this.#result.waiting;
  }

  get merged(): number {
    return this.#result.merged;
  }

  put(row: ObjectRow, isIn: boolean, event: RowEvent): void {
    this.#result.put(row, isIn, event);
  }

  take(): UnstampedChange[] {
    const changes = this.#result.take();
    const ordered = this.#isFirst ? this.#inOrder(changes) : changes;
    this.#isFirst = false;
    return ordered.map(({ op, row: { object, type }, cause }) => this.#changeOf(op, object, type, cause));
  }

  #changeOf(op: RowOp, object: ReadonlyObject, type: Found['type'], cause: RowCause): UnstampedChange {
    const shown = this.#shownObject(object, type);
    const reason = whyUnprintable(shown);
    const error = reason === undefined ? {} : { error: `this object cannot be printed: ${reason}` };
    const cluster = type.cluster === undefined ? {} : { cluster: type.cluster };
    const record = { op, object: shown, key: keyOf(object), gvr: formatGvr(type.gvr), ...cluster, cause, ...error };
    return { record, type };
  }

  #shownObject(object: ReadonlyObject, type: Found['type']): ReadonlyObject {
    const { redactor, plan } = this.#options;
    return shownObject(object, type, { redactor, showManagedFields: plan.showManagedFields });
  }

  #inOrder(changes: readonly RowChange<ObjectRow>[]): readonly RowChange<ObjectRow>[] {
    const byRow = new Map(changes.map((change) => [change.row, change]));
    return this.#arranged([...byRow.keys()]).flatMap((row) => byRow.get(row) ?? []);
  }

  /**
   * As a new answer would have them: as the server lists them, then sorted, and no more than the limit. Where an answer
   * that is given once would be refused, because no object has the field yet, the rows stay in the server's order.
   */
  #arranged(rows: readonly ObjectRow[]): readonly ObjectRow[] {
    const { plan, onUnsorted } = this.#options;
    const { sortBy, sortsDescending: isDescending } = plan;
    const sortedRows = (all: readonly ObjectRow[]) =>
      sortBy ? sortedBy(all, ({ object }) => sortBy.values(object), { expression: sortBy.text, isDescending }) : all;
    const listed = rows
      .map((row) => ({ row, place: this.#placeOf(row) }))
      .sort((a, b) => comparePlaces(a.place, b.place))
      .map(({ row }) => row);
    try {
      return sortedRows(listed).slice(0, plan.limit);
    } catch (error) {
      onUnsorted(error);
      return listed.slice(0, plan.limit);
    }
  }

  #placeOf({ object, target }: ObjectRow): Place {
    const { name = '', namespace = '' } = object.metadata;
    return [
      this.#options.targets.indexOf(target),
      target.names ? [...target.names].indexOf(name) : 0,
      target.namespaces ? target.namespaces.indexOf(namespace) : 0,
      keyOf(object),
    ];
  }
}

/** The places of type, name and namespace in what was asked for, and the key: the order of a server's list. */
type Place = readonly [number, number, number, string];

function comparePlaces(a: Place, b: Place): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || (a[3] < b[3] ? -1 : a[3] > b[3] ? 1 : 0);
}

/** Groups of objects, or how many there are. */
class NumberRows implements Rows {
  readonly #plan: ScopedQuery;
  readonly #isReadable: boolean;
  readonly #groups: ContinuousGroups<ObjectRow>;
  readonly #result: ContinuousResult<NumberRow>;
  readonly #amounts: (items: Iterable<Found>) => GroupRow['amounts'];
  #changed = new Map<string, number>();
  #isFirst = true;

  constructor({ plan, redactor, isReadable, catalogOf }: ContinuousResultOptions) {
    this.#plan = plan;
    this.#isReadable = isReadable;
    this.#groups = new ContinuousGroups<ObjectRow>((row) =>
      valuesOf(row, { plan, redactor, catalog: catalogOf(row.target) }),
    );
    this.#result = new ContinuousResult<NumberRow>({
      looksSame: (before, after) => JSON.stringify(before.cells) === JSON.stringify(after.cells),
      window:
        plan.limit === undefined || plan.count
          ? undefined
          : (rows) => sortedRows(rows, plan.groupOrder).slice(0, plan.limit),
    });
    this.#amounts = amountsIn(plan, redactor);
  }

  get shown(): number {
    return this.#result.shown;
  }

  get waiting(): number {
    return this.#changed.size;
  }

  get merged(): number {
    let merged = 0;
    for (const times of this.#changed.values()) merged += times - 1;
    return merged;
  }

  put(row: ObjectRow, isIn: boolean): void {
    this.#groups.put(row.id, isIn ? row : undefined);
    this.#changed.set(row.id, (this.#changed.get(row.id) ?? 0) + 1);
  }

  take(): UnstampedChange[] {
    this.#changed = new Map();
    const cause = this.#isFirst ? 'initial' : 'watch';
    const states = this.#groups.take();
    const isOne = isOneRow(this.#plan);
    if (isOne && states.length === 0 && this.#isFirst) states.push({ value: '', count: 0, items: [] });
    for (const { value, count, items } of states) {
      const amounts = this.#amounts(items);
      const cells = this.#cellsOf({ value: isOne ? undefined : value, count, amounts });
      const isIn = count > 0 || isOne;
      this.#result.put({ id: value, value, cells, count, amounts }, isIn, { kind: isIn ? 'added' : 'deleted', cause });
    }
    const changes = this.#result.take();
    const byRow = new Map(changes.map((change) => [change.row, change]));
    const ordered = this.#isFirst
      ? sortedRows([...byRow.keys()], this.#plan.groupOrder).flatMap((row) => byRow.get(row) ?? [])
      : changes;
    this.#isFirst = false;
    return ordered.map(({ op, row: { cells }, cause: why }) => ({ record: { op, row: cells, cause: why } }));
  }

  #cellsOf(row: GroupRow): Readonly<Record<string, unknown>> {
    const { measures } = this.#plan;
    if (!this.#isReadable) return rowRecord(row, measures);
    const { value, count, amounts } = row;
    const cells = measures.map((measure, i) => [columnOf(measure), amounts[i]?.readable ?? NO_GROUP]);
    return { ...(value === undefined ? {} : { value }), count, ...Object.fromEntries(cells) };
  }
}

/** Whether all objects are one row: how many there are, or amounts without groups. */
const isOneRow = ({ values, groupBy }: ScopedQuery) => values === undefined && groupBy === undefined;

/** The amounts of a group. What an expression finds in an object is kept as long as the object is. */
function amountsIn({ measures }: ScopedQuery, redactor: Redactor): (items: Iterable<Found>) => GroupRow['amounts'] {
  const kept = measures.map(() => new WeakMap<ReadonlyObject, readonly unknown[]>());
  return (items) => {
    const found = measures.length === 0 ? [] : [...items];
    return measures.map(({ verb, expression }, i) => {
      const valuesIn = (item: Found) => {
        const known = kept[i]?.get(item.object);
        const values = known ?? expression.values(shownIn(item, redactor));
        if (!known) kept[i]?.set(item.object, values);
        return values;
      };
      return amountsOf(verb, [found.map(valuesIn)]).amounts[0];
    });
  };
}

function valuesOf(
  { object, type }: Found,
  { plan, redactor, catalog }: { plan: ScopedQuery; redactor: Redactor; catalog: IndexCatalog },
): readonly string[] {
  if (isOneRow(plan)) return [''];
  if (plan.values !== undefined) {
    const definition = catalog.get(plan.values);
    const read = isSecretResource(type.gvr) ? redactor.redact(object, type.gvr) : object;
    return definition.listed?.(read) ?? definition.valuesOf(read);
  }
  const values = plan.groupBy ? groupValues(shownIn({ object, type }, redactor), plan.groupBy) : [];
  return values.length === 0 ? [NO_GROUP] : values;
}
