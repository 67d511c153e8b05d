import { InformerError, messageOf } from '../../kit/error.ts';
import type { Address } from '../../model/field-path.ts';
import type { ObjectKey } from '../../model/key.ts';
import { hasMetadata } from '../../model/object.ts';
import { RangeFinder } from './value-range.ts';

/**
 * Returns the index values of an object: none, one or several. Repeated values count once. Must depend on the object
 * alone.
 */
export type IndexFn<T> = (object: T) => readonly string[];

/** The fields that an index function reads, where it says so: {@link reading}. */
const READ = new WeakMap<IndexFn<never>, readonly Address[]>();

/** The same function. An index over texts is then built from these fields, and the objects have no others. */
export function reading<F extends IndexFn<never>>(fields: readonly Address[] | undefined, fn: F): F {
  if (fields) READ.set(fn, fields);
  return fn;
}

/** The fields that an index function reads; undefined if they are not known. */
const fieldsReadBy = (fn: IndexFn<never>): readonly Address[] | undefined => READ.get(fn);

/** Index functions by the names of their indexes. */
export type Indexers<T> = Readonly<Record<string, IndexFn<T>>>;

/** The index that every informer has. Source: client-go tools/cache NamespaceIndex. */
export const NAMESPACE_INDEX = 'namespace';
/** The index function of the index `namespace`, which every informer has. */
export const indexByNamespace: IndexFn<unknown> = (object) =>
  hasMetadata(object) ? [object.metadata.namespace ?? ''] : [];

/** In place of the values of an object for which the index function threw. The function is called again next time. */
export const UNFILED: readonly string[] = [];

/** The keys of a value that several objects have, and the text of the value that they share. */
class SharedValue {
  readonly value: string;
  readonly keys: Set<ObjectKey>;

  constructor(value: string, keys: Set<ObjectKey>) {
    this.value = value;
    this.keys = keys;
  }
}

/**
 * One index: values to keys, and the values of each key. The usual case, one value for a key or one key for a value,
 * takes no memory beside the two entries.
 */
export class Index<T> {
  readonly fn: IndexFn<T>;
  readonly #keys = new Map<string, ObjectKey | SharedValue>();
  /**
   * The values of each key. Removal uses these, so that it is complete also when an object was changed in place or a
   * function changed its mind.
   */
  readonly #values = new Map<ObjectKey, string | readonly string[]>();
  /** The keys of the objects for which the function threw. */
  readonly #unfiled = new Set<ObjectKey>();
  readonly ranges = new RangeFinder();

  constructor(fn: IndexFn<T>) {
    this.fn = fn;
  }

  values(): MapIterator<string> {
    return this.#keys.keys();
  }

  keysOf(value: string): Iterable<ObjectKey> {
    const keys = this.#keys.get(value);
    return keys instanceof SharedValue ? keys.keys : keys === undefined ? [] : [keys];
  }

  countOf(value: string): number {
    const keys = this.#keys.get(value);
    return keys instanceof SharedValue ? keys.keys.size : keys === undefined ? 0 : 1;
  }

  valuesOf(key: ObjectKey): readonly string[] {
    const values = this.#values.get(key);
    if (typeof values === 'string') return [values];
    return values ?? (this.#unfiled.has(key) ? UNFILED : []);
  }

  file(key: ObjectKey, values: readonly string[]): void {
    if (values === UNFILED) this.#unfiled.add(key);
    else if (this.#unfiled.size > 0) this.#unfiled.delete(key);
    const before = this.#values.get(key);
    if (before !== undefined) {
      if (values.length === 1 && values[0] === before) return; // the usual case, without any work
      this.#remove(key, typeof before === 'string' ? [before] : before, values);
    }
    if (values.length === 0) {
      this.#values.delete(key);
      return;
    }
    const shared = values.map((value) => this.#add(key, value));
    this.#values.set(key, shared.length === 1 ? (shared[0] as string) : shared);
  }

  /** Files a key under a value. Returns the text that all objects with this value share. */
  #add(key: ObjectKey, value: string): string {
    const keys = this.#keys.get(value);
    if (keys === undefined) {
      this.#keys.set(value, key);
      this.ranges.added(value);
      return value;
    }
    if (keys instanceof SharedValue) {
      keys.keys.add(key);
      return keys.value;
    }
    if (keys === key) return value;
    this.#keys.set(value, new SharedValue(value, new Set([keys, key])));
    return value;
  }

  #remove(key: ObjectKey, before: readonly string[], after: readonly string[]): void {
    for (const value of before) {
      if (after.includes(value)) continue;
      const keys = this.#keys.get(value);
      if (keys === undefined || (keys instanceof SharedValue ? !isEmptyWithout(keys.keys, key) : keys !== key))
        continue;
      this.#keys.delete(value);
      this.ranges.removed(value);
    }
  }
}

function isEmptyWithout(keys: Set<ObjectKey>, key: ObjectKey): boolean {
  keys.delete(key);
  return keys.size === 0;
}

/** The values that an index function returns for the object of an entry. Throws `store` when it throws or returns no list of texts. */
export function valuesFrom<T, C>(
  name: string,
  fn: IndexFn<T>,
  key: ObjectKey,
  store: { openPart(cached: C, fields: readonly Address[] | undefined): T },
  cached: C,
): readonly string[] {
  try {
    const values: unknown = fn(store.openPart(cached, fieldsReadBy(fn)));
    if (!Array.isArray(values))
      throw new TypeError(`it returned ${values === null ? 'null' : typeof values} in place of a list`);
    const wrong = values.findIndex((value) => typeof value !== 'string');
    if (wrong >= 0) throw new TypeError(`it returned a list with ${typeof values[wrong]} in place of a text`);
    return values;
  } catch (error) {
    throw new InformerError(
      'store',
      `unable to calculate an index entry for key "${key}" on index "${name}": ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}
