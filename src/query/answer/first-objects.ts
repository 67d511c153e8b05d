import type { WrittenKeys } from '../../informer/store/written-keys.ts';
import { lightsOf } from '../../kit/lazy-list.ts';
import { compareText } from '../../kit/text-order.ts';
import { isSecretResource } from '../../model/gvr.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { WholeCache } from '../index/stored-index.ts';
import { compareKeys, isSortable } from './arrange.ts';
import { keyIn } from './cached-objects.ts';
import type { FoundIn } from './found-in.ts';
import { lookedAtBy, saidOf } from './looked-at.ts';
import type { Expression } from './query.ts';

/** An order by the first value of an expression, then by key. */
export interface ValueOrder {
  readonly expression: Expression;
  readonly isDescending: boolean;
}

/** An object by its key, and the value by which it is sorted. */
export interface SortedKey {
  readonly key: ObjectKey;
  readonly value: unknown;
}

/** Of more objects the first ones are not kept between questions. */
const MOST_KEPT = 2000;
/** The orders of a cache whose first objects are kept. */
const MOST_ORDERS = 8;
/** After more writes between two questions all objects are looked at again. */
const MOST_WRITTEN = 4096;
/** Objects that are kept beside those that were asked for, so that a few may go. */
const SPARE = 64;

const KEPT = new WeakMap<WholeCache, Map<string, FirstObjects>>();

const idOf = ({ expression, isDescending }: ValueOrder) => `${isDescending ? '-' : ''}${expression.text}`;

/**
 * The first objects of a whole cache, from the last time that they were found and what was written since. Undefined if
 * all objects must be looked at.
 */
export function keptFirst(found: FoundIn, order: ValueOrder, count: number): readonly ReadonlyObject[] | undefined {
  const cache = found.store.whole;
  const kept = cache && isAllOf(found) ? KEPT.get(cache)?.get(idOf(order)) : undefined;
  const first = kept?.first(found, count);
  return first && cache?.viewByKeys(first.map(({ key }) => key));
}

/**
 * Begins to keep the first objects of an order. Gives a function that takes them when they were found. Undefined if
 * nothing can be kept of this order.
 */
export function keepFirst(
  found: FoundIn,
  order: ValueOrder,
  count: number,
): { readonly most: number; keep(first: readonly SortedKey[]): void } | undefined {
  const { whole } = found.store;
  if (!whole || count > MOST_KEPT || isSecretResource(found.type.gvr)) return undefined;
  const written = whole.follow(MOST_WRITTEN);
  if (!isAllOf(found)) {
    written.end(); // something was written since the objects were found
    return undefined;
  }
  return {
    most: 2 * count + SPARE,
    keep(first) {
      const kept = KEPT.get(whole) ?? new Map<string, FirstObjects>();
      KEPT.set(whole, kept);
      const id = idOf(order);
      kept.get(id)?.end();
      kept.delete(id);
      for (const [oldest, each] of kept) {
        if (kept.size < MOST_ORDERS) break;
        each.end();
        kept.delete(oldest);
      }
      kept.set(id, new FirstObjects(order, first, first.length < found.objects.length, written));
    },
  };
}

/** Whether all objects of the cache were found, by key, and nothing was written since. */
const isAllOf = ({ store, objects }: FoundIn) =>
  objects.length === store.size && lightsOf(objects) === lightsOf(store.whole?.viewByKey() ?? []);

/** The first objects of a cache in an order, and the keys that were written since they were found. */
class FirstObjects {
  readonly #order: ValueOrder;
  readonly #written: WrittenKeys;
  #first: readonly SortedKey[];
  /** No object that is not among the first is before it; undefined if there is no other object. */
  #last: SortedKey | undefined;

  constructor(order: ValueOrder, first: readonly SortedKey[], areMore: boolean, written: WrittenKeys) {
    this.#order = order;
    this.#first = first;
    this.#last = areMore ? first.at(-1) : undefined;
    this.#written = written;
  }

  /** Undefined if they are not known any more. */
  first(found: FoundIn, count: number): readonly SortedKey[] | undefined {
    const written = this.#written.take();
    if (!written) return undefined;
    if (written.size > 0 && !this.#takeIn(found, written)) {
      this.end();
      return undefined;
    }
    const areEnough = this.#last === undefined || this.#first.length >= count;
    // that no object has the field is found out by a look at all
    const isFound = this.#first.some(({ value }) => value !== undefined);
    return areEnough && isFound ? this.#first.slice(0, count) : undefined;
  }

  end(): void {
    this.#written.end();
  }

  /** Brings the first objects up to date. Returns false if a value has no order. */
  #takeIn({ store }: FoundIn, written: ReadonlySet<ObjectKey>): boolean {
    const { expression } = this.#order;
    const objects = store.whole?.viewByKeys([...written]) ?? [];
    const looked = lookedAtBy([expression]);
    const valueAt = saidOf(
      objects,
      { ...store, list: () => objects },
      looked,
      (object) => expression.values(object)[0],
    );
    const come = lightsOf(objects).map((entry, place): SortedKey => ({ key: keyIn(entry as ReadonlyObject), value: valueAt(place) })); // biome-ignore format: one line
    if (!come.every(({ value }) => isSortable(value))) return false;
    const left = this.#first.filter(({ key }) => !written.has(key));
    const among = come.filter((each) => this.#last === undefined || this.#compare(each, this.#last) <= 0);
    this.#first = [...left, ...among].sort((a, b) => this.#compare(a, b));
    const most = 2 * MOST_KEPT + SPARE;
    if (this.#first.length > most) {
      this.#first = this.#first.slice(0, most);
      this.#last = this.#first.at(-1);
    }
    return true;
  }

  #compare(a: SortedKey, b: SortedKey): number {
    const order = compareKeys(a.value, b.value);
    return (this.#order.isDescending ? -order : order) || compareText(a.key, b.key);
  }
}
