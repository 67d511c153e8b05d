import { InformerError, messageOf } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import { hasMetadata } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import { RangeFinder, type ValueRange } from './value-range.ts';

/**
 * Returns the index values of an object: none, one or several. Repeated values count once. Must depend on the object
 * alone.
 */
export type IndexFn<T> = (object: T) => readonly string[];
/** Index functions by the names of their indexes. */
export type Indexers<T> = Readonly<Record<string, IndexFn<T>>>;

/** The index that every informer has. Source: client-go tools/cache NamespaceIndex. */
export const NAMESPACE_INDEX = 'namespace';
/** The index function of the index `namespace`, which every informer has. */
export const indexByNamespace: IndexFn<unknown> = (object) =>
  hasMetadata(object) ? [object.metadata.namespace ?? ''] : [];

/** One write of a transaction on an {@link Indexer}. */
export type StoreOperation<T> =
  | { readonly type: 'add' | 'update'; readonly object: T }
  | { readonly type: 'delete'; readonly object: unknown };

/** What a transaction on an {@link Indexer} stored, and what it could not store. */
export interface TransactionResult {
  /** The positions of the operations that took effect. */
  readonly successful: readonly number[];
  readonly total: number;
  /** One error for each operation that failed, in order. */
  readonly errors: readonly Error[];
}

/** Options of {@link Indexer}. */
export interface IndexerOptions<T> {
  indexers?: Indexers<T>;
  keyOf?: (object: unknown) => ObjectKey;
  /** Called for each object before it is stored. The key is the original object's. */
  transform?: ((object: T) => T) | undefined;
  /**
   * Called when an index function throws, or returns no list, for one object. The object is stored nevertheless,
   * without an entry in that index. Default: the write throws.
   */
  onIndexError?: ((error: InformerError) => void) | undefined;
}

const KNOWN_OPTIONS = {
  indexers: true,
  keyOf: 'function',
  transform: 'function',
  onIndexError: 'function',
} satisfies KnownOptionsOf<IndexerOptions<unknown>>;

/** Options of {@link Indexer.replace}. */
export interface ReplaceOptions<T = unknown> {
  /** Whether a key is part of the replacement. All other keys stay as they are. Default: all are part of it. */
  within?: ((key: ObjectKey) => boolean) | undefined;
  /** The keys of the objects, when they are known. The replacement may change this array. */
  keys?: ObjectKey[] | undefined;
  /** Called with each change before readers can see it. */
  observer?: ReplaceObserver<T> | undefined;
}

const KNOWN_REPLACE = {
  within: 'function',
  keys: 'list',
  observer: true,
} satisfies KnownOptionsOf<ReplaceOptions>;

/** Called with what a replacement of the whole content of an {@link Indexer} changes. */
export interface ReplaceObserver<T> {
  /** Called first, and again when a write between two steps makes the calls since then invalid. */
  begin(): void;
  put(key: ObjectKey, old: T | undefined, object: T): void;
  gone(key: ObjectKey, old: T): void;
}

/** The number of objects in one step, which takes a few milliseconds. */
const SLICE = 1024;

/** One index: values to keys, and the values of each key. */
class Index<T> {
  readonly fn: IndexFn<T>;
  readonly keys = new Map<string, Set<ObjectKey>>();
  /**
   * The values of each key. Removal uses these, so that it is complete also when an object was changed in place or a
   * function changed its mind.
   */
  readonly filed = new Map<ObjectKey, readonly string[]>();
  readonly ranges = new RangeFinder();

  constructor(fn: IndexFn<T>) {
    this.fn = fn;
  }

  file(key: ObjectKey, values: readonly string[]): void {
    const before = this.filed.get(key);
    if (before && sameValues(before, values)) return;
    if (before) this.#remove(key, before, values);
    if (values.length === 0) {
      this.filed.delete(key);
      return;
    }
    this.filed.set(key, values);
    for (const value of values) {
      const keys = this.keys.get(value);
      if (keys) {
        keys.add(key);
        continue;
      }
      this.keys.set(value, new Set([key]));
      this.ranges.added(value);
    }
  }

  #remove(key: ObjectKey, before: readonly string[], after: readonly string[]): void {
    for (const value of before) {
      if (after.includes(value)) continue;
      const keys = this.keys.get(value);
      keys?.delete(key);
      if (keys?.size !== 0) continue;
      this.keys.delete(value);
      this.ranges.removed(value);
    }
  }
}

function sameValues(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The objects of a replacement. Keys and transformed objects are computed when they are needed. */
interface Incoming<T> {
  readonly objects: readonly T[];
  readonly keys: ObjectKey[];
  readonly kept: readonly T[];
}

/** One object to be stored, with its values for each index. */
interface Put<T> {
  readonly object: T;
  readonly values: readonly (readonly string[])[];
}

/** The whole content of a store. */
interface State<T> {
  readonly items: Map<ObjectKey, T>;
  readonly indexes: Map<string, Index<T>>;
  readonly indexErrors: readonly InformerError[];
}

/**
 * Objects by key, and by the values of any number of named indexes. The writer's side of the cache; readers use a
 * {@link Lister}.
 * Promises: items and indexes agree whenever other code runs. A write that throws has changed nothing. An index changes
 * only where a value changed.
 * Objects are stored and returned without a copy, so they must not be changed.
 * Source: client-go tools/cache/thread_safe_store.go, store.go.
 */
export class Indexer<T> {
  readonly #keyOf: (object: unknown) => ObjectKey;
  readonly #transform: ((object: T) => T) | undefined;
  readonly #onIndexError: ((error: InformerError) => void) | undefined;
  #items = new Map<ObjectKey, T>();
  #indexes = new Map<string, Index<T>>();
  /** The keys that were written while an index is being built; one set for each build. */
  readonly #written = new Set<Set<ObjectKey>>();
  /** Counts writes. A replacement in several steps sees by it whether the store has changed meanwhile. */
  #writes = 0;
  #resourceVersion: ResourceVersion = '';

  constructor(options: IndexerOptions<T> = {}) {
    checkOptions('Indexer', options, KNOWN_OPTIONS);
    this.#keyOf = options.keyOf ?? keyOf;
    this.#transform = options.transform;
    this.#onIndexError = options.onIndexError;
    if (options.indexers) this.addIndexers(options.indexers);
  }

  get size(): number {
    return this.#items.size;
  }

  /**
   * The version of the last change that readers can see. Unlike the reflector's version it never runs ahead of what
   * they see.
   */
  get resourceVersion(): ResourceVersion {
    return this.#resourceVersion;
  }

  get indexNames(): string[] {
    return [...this.#indexes.keys()];
  }

  // --- reading ---

  get(key: ObjectKey): T | undefined {
    return this.#items.get(key);
  }

  has(key: ObjectKey): boolean {
    return this.#items.has(key);
  }

  values(): MapIterator<T> {
    return this.#items.values();
  }

  keys(): MapIterator<ObjectKey> {
    return this.#items.keys();
  }

  entries(): MapIterator<[ObjectKey, T]> {
    return this.#items.entries();
  }

  keyOf(object: unknown): ObjectKey {
    try {
      return this.#keyOf(object);
    } catch (error) {
      throw new InformerError('store', `couldn't create key for object: ${messageOf(error)}`, { cause: error });
    }
  }

  /** The objects under a value; empty when there are none. Throws `argument` for an index that does not exist. */
  byIndex(name: string, value: string): T[] {
    return this.#objectsOf(this.#index(name).keys.get(value) ?? []);
  }

  /**
   * The objects that share at least one value with the given object, each once. The given object need not be stored.
   */
  index(name: string, object: T): T[] {
    const index = this.#index(name);
    const keys = new Set<ObjectKey>();
    for (const value of index.fn(object)) for (const key of index.keys.get(value) ?? []) keys.add(key);
    return this.#objectsOf(keys);
  }

  /** The keys under a value, ascending. Throws `argument` for an index that does not exist. */
  indexKeys(name: string, value: string): ObjectKey[] {
    return [...(this.#index(name).keys.get(value) ?? [])].sort();
  }

  /** The number of objects under a value. */
  indexCount(name: string, value: string): number {
    return this.#index(name).keys.get(value)?.size ?? 0;
  }

  /**
   * All values of an index in no order, or those in a range, ascending. Empty for an index that does not exist.
   * The first range query of an index sorts its values. After that, a range costs as much as it returns.
   */
  indexValues(name: string, range?: ValueRange): string[] {
    const index = this.#indexes.get(name);
    if (!index) return [];
    return range ? index.ranges.find(range, index.keys.keys()) : [...index.keys.keys()];
  }

  /**
   * The objects under the values in a range, by ascending value, each once. Throws `argument` for an index that does
   * not exist.
   */
  byIndexRange(name: string, range: ValueRange): T[] {
    const index = this.#index(name);
    const keys = new Set<ObjectKey>();
    for (const value of index.ranges.find(range, index.keys.keys()))
      for (const key of index.keys.get(value) ?? []) keys.add(key);
    return this.#objectsOf(keys);
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name);
  }

  // --- writing ---

  add(object: T): void {
    const key = this.keyOf(object);
    const kept = this.#transformed(object);
    this.#put(key, kept, this.#valuesOf(key, kept));
    this.#advanceTo(kept);
  }

  update(object: T): void {
    this.add(object);
  }

  /**
   * Deletes by object or tombstone, and sets the store's version to the object's. Items and indexes stay when the
   * object is not stored.
   */
  delete(object: unknown): void {
    this.deleteKey(this.keyOf(object));
    this.#advanceTo(object);
  }

  /** Deletes by key. The store's version stays. */
  deleteKey(key: ObjectKey): void {
    if (!this.#items.delete(key)) return;
    this.#writes++;
    for (const keys of this.#written) keys.add(key);
    for (const index of this.#indexes.values()) index.file(key, []);
  }

  /** Replaces all objects at once. Throws before any change when a key or an index value cannot be computed. */
  replace(objects: readonly T[], resourceVersion: ResourceVersion, options: ReplaceOptions<T> = {}): void {
    toEnd(this.replacing(objects, resourceVersion, options));
  }

  /**
   * `replace` in steps of a few milliseconds, between which other code may read and write. Nothing of it is visible
   * before the last step. Then all of it is, as if it had been done in that moment.
   */
  *replacing(
    objects: readonly T[],
    resourceVersion: ResourceVersion,
    options: ReplaceOptions<T> = {},
  ): Generator<undefined, void> {
    checkOptions('replace', options, KNOWN_REPLACE);
    const incoming: Incoming<T> = { objects, keys: options.keys ?? [], kept: this.#transform ? [] : objects };
    if (options.within && this.#replaceFew(incoming, resourceVersion, options.within, options.observer)) return;
    const writes = this.#writes;
    let next = yield* this.#stateWith(incoming, options);
    if (this.#writes !== writes) next = toEnd(this.#stateWith(incoming, options));
    this.#items = next.items;
    this.#indexes = next.indexes;
    this.#writes++;
    this.#resourceVersion = resourceVersion;
    for (const error of next.indexErrors) this.#onIndexError?.(error);
  }

  /**
   * Several writes, with no reader in between. A write that fails is left out; the others take effect. The store's
   * version becomes that of the last one.
   */
  transaction(operations: readonly StoreOperation<T>[]): TransactionResult {
    const successful: number[] = [];
    const errors: Error[] = [];
    for (const [i, { type, object }] of operations.entries()) {
      try {
        if (type === 'delete') this.delete(object);
        else this.add(object);
        successful.push(i);
      } catch (error) {
        errors.push(error instanceof Error ? error : new Error(String(error)));
      }
    }
    return { successful, total: operations.length, errors };
  }

  bookmark(resourceVersion: ResourceVersion): void {
    this.#resourceVersion = resourceVersion;
  }

  /**
   * Adds indexes over the stored objects. Throws `argument` ("indexer conflict"), and adds none, when one of the names
   * is taken.
   */
  addIndexers(indexers: Indexers<T>): void {
    this.#refuseTaken(indexers);
    const added = Object.entries(indexers).map(([name, fn]) => [name, new Index<T>(fn)] as const);
    for (const [name, index] of added) {
      for (const [key, object] of this.#items) index.file(key, valuesFrom(name, index.fn, key, object));
    }
    for (const [name, index] of added) this.#indexes.set(name, index);
    this.#writes++;
  }

  /**
   * `addIndexers` in steps of a few milliseconds, between which other code may read and write. The indexes are visible
   * after the last step, and then agree with the objects.
   */
  *addingIndexers(indexers: Indexers<T>): Generator<undefined, void> {
    this.#refuseTaken(indexers);
    const changed = new Set<ObjectKey>();
    this.#written.add(changed);
    try {
      let added = yield* this.#built(indexers);
      while (added === undefined) added = yield* this.#built(indexers); // all objects were replaced meanwhile
      for (const [name, index] of added) {
        for (const key of changed) {
          const object = this.#items.get(key);
          index.file(key, object === undefined ? [] : valuesFrom(name, index.fn, key, object));
        }
      }
      this.#refuseTaken(indexers);
      for (const [name, index] of added) this.#indexes.set(name, index);
      this.#writes++;
    } finally {
      this.#written.delete(changed);
    }
  }

  /** Removes indexes. Names that are not there are left out. */
  removeIndexers(names: Iterable<string>): void {
    for (const name of names) this.#indexes.delete(name);
    this.#writes++;
  }

  #refuseTaken(indexers: Indexers<T>): void {
    const taken = Object.keys(indexers).filter((name) => this.#indexes.has(name));
    if (taken.length > 0) throw new InformerError('argument', `indexer conflict: ${taken.sort().join(', ')}`);
  }

  /** Indexes over all objects; undefined if the objects were replaced between two steps. */
  *#built(indexers: Indexers<T>): Generator<undefined, [string, Index<T>][] | undefined> {
    const added = Object.entries(indexers).map(([name, fn]): [string, Index<T>] => [name, new Index<T>(fn)]);
    const items = this.#items;
    let steps = 0;
    for (const [key, object] of items) {
      for (const [name, index] of added) index.file(key, valuesFrom(name, index.fn, key, object));
      if (!isFull(++steps)) continue;
      yield;
      if (this.#items !== items) return undefined;
    }
    return added;
  }

  /**
   * Replaces a few objects among many in place. Building a second state beside the current one would copy all the
   * others. Returns whether they were few.
   */
  #replaceFew(
    incoming: Incoming<T>,
    resourceVersion: ResourceVersion,
    within: (key: ObjectKey) => boolean,
    observer: ReplaceObserver<T> | undefined,
  ): boolean {
    const before = incoming.objects.length > SLICE ? undefined : fewOf(this.#items.keys(), within);
    if (!before) return false;
    const indexErrors: InformerError[] = [];
    // everything that may throw comes before the first change
    const puts = this.#preparedPuts(incoming, (error) => indexErrors.push(error));
    observer?.begin();
    for (const [key, { object }] of puts) observer?.put(key, this.#items.get(key), object);
    for (const key of before) {
      if (puts.has(key)) continue;
      observer?.gone(key, this.#items.get(key) as T);
      this.deleteKey(key);
    }
    for (const [key, { object, values }] of puts) this.#put(key, object, values);
    this.#writes++;
    this.#resourceVersion = resourceVersion;
    for (const error of indexErrors) this.#onIndexError?.(error);
    return true;
  }

  #preparedPuts(incoming: Incoming<T>, onIndexError: (error: InformerError) => void): Map<ObjectKey, Put<T>> {
    const puts = new Map<ObjectKey, Put<T>>();
    for (let i = 0; i < incoming.objects.length; i++) {
      const key = this.#keyAt(incoming, i);
      const object = this.#keptAt(incoming, i);
      puts.set(key, { object, values: this.#valuesOf(key, object, onIndexError) });
    }
    return puts;
  }

  /** The state after a replacement. It is built beside the current state and visits each object once. */
  *#stateWith(incoming: Incoming<T>, { within, observer }: ReplaceOptions<T>): Generator<undefined, State<T>> {
    const indexes = [...this.#indexes].map(([name, { fn }]) => [name, new Index<T>(fn)] as const);
    const indexErrors: InformerError[] = [];
    const onIndexError = (error: InformerError) => indexErrors.push(error);
    const items = new Map<ObjectKey, T>();
    if (within) yield* this.#copyOthers(within, items, indexes);
    const seen = within ? new Map<ObjectKey, T>() : items;
    observer?.begin();
    for (let i = 0; i < incoming.objects.length; i++) {
      if (isFull(i + 1)) yield;
      const key = this.#keyAt(incoming, i);
      const object = this.#keptAt(incoming, i);
      items.set(key, object);
      if (within) seen.set(key, object);
      observer?.put(key, this.#items.get(key), object);
      for (const [name, index] of indexes)
        index.file(key, this.#valuesOrNone(name, index.fn, key, object, onIndexError));
    }
    if (observer && seen.size < incoming.objects.length) this.#putOnce(seen, observer);
    if (observer) yield* this.#reportGone(items, observer);
    return { items, indexes: new Map(indexes), indexErrors };
  }

  #keyAt({ objects, keys }: Incoming<T>, i: number): ObjectKey {
    if (i === keys.length) keys.push(this.keyOf(objects[i]));
    return keys[i] as ObjectKey;
  }

  #keptAt({ objects, kept }: Incoming<T>, i: number): T {
    if (i < kept.length) return kept[i] as T;
    const object = this.#transformed(objects[i] as T);
    (kept as T[]).push(object);
    return object;
  }

  /** Copies the objects that are not part of the replacement, with their index values. */
  *#copyOthers(
    within: (key: ObjectKey) => boolean,
    items: Map<ObjectKey, T>,
    indexes: readonly (readonly [string, Index<T>])[],
  ): Generator<undefined, void> {
    let steps = 0;
    for (const [key, object] of this.#items) {
      if (isFull(++steps)) yield;
      if (within(key)) continue;
      items.set(key, object);
      for (const [name, index] of indexes) index.file(key, this.#indexes.get(name)?.filed.get(key) ?? []);
    }
  }

  /** Repeats the calls for a list that contains a key twice, with each key once. */
  #putOnce(seen: Map<ObjectKey, T>, observer: ReplaceObserver<T>): void {
    observer.begin();
    for (const [key, object] of seen) observer.put(key, this.#items.get(key), object);
  }

  *#reportGone(items: Map<ObjectKey, T>, observer: ReplaceObserver<T>): Generator<undefined, void> {
    let steps = 0;
    for (const [key, old] of this.#items) {
      if (isFull(++steps)) yield;
      if (!items.has(key)) observer.gone(key, old);
    }
  }

  #put(key: ObjectKey, object: T, values: readonly (readonly string[])[]): void {
    this.#writes++;
    this.#items.set(key, object);
    for (const keys of this.#written) keys.add(key);
    let i = 0;
    for (const index of this.#indexes.values()) index.file(key, values[i++] as readonly string[]);
  }

  #valuesOf(key: ObjectKey, object: T, onIndexError = this.#onIndexError): (readonly string[])[] {
    const values: (readonly string[])[] = [];
    for (const [name, { fn }] of this.#indexes) values.push(this.#valuesOrNone(name, fn, key, object, onIndexError));
    return values;
  }

  #valuesOrNone(
    name: string,
    fn: IndexFn<T>,
    key: ObjectKey,
    object: T,
    onError: IndexerOptions<T>['onIndexError'],
  ): readonly string[] {
    try {
      return valuesFrom(name, fn, key, object);
    } catch (error) {
      if (!this.#onIndexError) throw error;
      onError?.(error as InformerError);
      return [];
    }
  }

  #transformed(object: T): T {
    if (!this.#transform) return object;
    try {
      return this.#transform(object);
    } catch (error) {
      throw new InformerError('store', `transforming: ${messageOf(error)}`, { cause: error });
    }
  }

  #advanceTo(object: unknown): void {
    if (hasMetadata(object)) this.#resourceVersion = object.metadata.resourceVersion ?? '';
  }

  #index(name: string): Index<T> {
    const index = this.#indexes.get(name);
    if (!index) throw new InformerError('argument', `Index with name ${name} does not exist`);
    return index;
  }

  #objectsOf(keys: Iterable<ObjectKey>): T[] {
    const objects: T[] = [];
    for (const key of keys) objects.push(this.#items.get(key) as T);
    return objects;
  }
}

/** The keys that `holds` accepts; undefined when there are more than one step handles. */
function fewOf(keys: Iterable<ObjectKey>, holds: (key: ObjectKey) => boolean): ObjectKey[] | undefined {
  const few: ObjectKey[] = [];
  for (const key of keys) if (holds(key) && few.push(key) > SLICE) return undefined;
  return few;
}

function isFull(steps: number): boolean {
  return steps % SLICE === 0;
}

/** Runs all steps at once and returns the result. */
export function toEnd<R>(steps: Generator<undefined, R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function valuesFrom<T>(name: string, fn: IndexFn<T>, key: ObjectKey, object: T): readonly string[] {
  try {
    const values: unknown = fn(object);
    if (!Array.isArray(values))
      throw new TypeError(`it returned ${values === null ? 'null' : typeof values} in place of a list`);
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
