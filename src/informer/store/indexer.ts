import { InformerError, messageOf } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import { hasMetadata } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import { RangeFinder, type ValueRange } from './value-range.ts';

/** The values under which an object is found. None, one or several; repeated ones count once. Must depend on the object alone. */
export type IndexFn<T> = (object: T) => readonly string[];
export type Indexers<T> = Readonly<Record<string, IndexFn<T>>>;

/** The index every informer has. Source: client-go tools/cache NamespaceIndex. */
export const NAMESPACE_INDEX = 'namespace';
export const indexByNamespace: IndexFn<unknown> = (object) => (hasMetadata(object) ? [object.metadata.namespace ?? ''] : []);

export type StoreOperation<T> =
  | { readonly type: 'add' | 'update'; readonly object: T }
  | { readonly type: 'delete'; readonly object: unknown };

export interface TransactionResult {
  /** Positions of the operations that took effect. */
  readonly successful: readonly number[];
  readonly total: number;
  /** One per operation that did not, in order. */
  readonly errors: readonly Error[];
}

export interface IndexerOptions<T> {
  indexers?: Indexers<T>;
  keyOf?: (object: unknown) => ObjectKey;
  /** Applied to each object before it is stored; the key is the original's. */
  transform?: ((object: T) => T) | undefined;
  /**
   * Hears of an index function that threw, or gave no list, for one object; the object is stored all the same, under nothing in that index.
   * Default: the write throws.
   */
  onIndexError?: ((error: InformerError) => void) | undefined;
}

const KNOWN_OPTIONS = {
  indexers: true,
  keyOf: 'function',
  transform: 'function',
  onIndexError: 'function',
} satisfies KnownOptionsOf<IndexerOptions<unknown>>;

export interface ReplaceOptions<T = unknown> {
  /** Only keys for which this holds are replaced; the rest of the store stays. */
  within?: ((key: ObjectKey) => boolean) | undefined;
  /** The objects' keys, where they are known already. Belong to the replacement from then on. */
  keys?: ObjectKey[] | undefined;
  /** Hears what the replacement changes, before it shows. */
  observer?: ReplaceObserver<T> | undefined;
}

export interface ReplaceObserver<T> {
  /** What was told so far does not count: the store was written to meanwhile. */
  begin(): void;
  put(key: ObjectKey, old: T | undefined, object: T): void;
  gone(key: ObjectKey, old: T): void;
}

/** So many objects are dealt with before others get their turn: a few milliseconds. */
const SLICE = 1024;

/** One index: values to keys, and what each key was filed under. */
class Index<T> {
  readonly fn: IndexFn<T>;
  readonly keys = new Map<string, Set<ObjectKey>>();
  /** Remembered, so that an object changed in place or a function that changes its mind can leave nothing behind. */
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

/** What is to be stored: keys and transformed objects are filled in as they are needed. */
interface Incoming<T> {
  readonly objects: readonly T[];
  readonly keys: ObjectKey[];
  readonly kept: readonly T[];
}

/** One object to be stored, and what each index files it under. */
interface Put<T> {
  readonly object: T;
  readonly values: readonly (readonly string[])[];
}

/** Everything a store holds. */
interface State<T> {
  readonly items: Map<ObjectKey, T>;
  readonly indexes: Map<string, Index<T>>;
  readonly indexErrors: readonly InformerError[];
}

/**
 * Objects by key, and by the values of any number of named indexes. The writer's side of the cache; readers get a {@link Lister}.
 *
 * Promises: between any two statements of other code, items and indexes agree; a write that throws has changed nothing; an index is
 * touched only where a value changed. Objects are kept as given and handed out as kept: nobody may change them.
 * Source: client-go tools/cache/thread_safe_store.go, store.go.
 */
export class Indexer<T> {
  readonly #keyOf: (object: unknown) => ObjectKey;
  readonly #transform: ((object: T) => T) | undefined;
  readonly #onIndexError: ((error: InformerError) => void) | undefined;
  #items = new Map<ObjectKey, T>();
  #indexes = new Map<string, Index<T>>();
  /** Counts writes, so that what was prepared in several turns knows whether it still fits. */
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

  /** The version of the last change that is visible here. Unlike the reflector's it never runs ahead of what readers see. */
  get resourceVersion(): ResourceVersion {
    return this.#resourceVersion;
  }

  get indexNames(): string[] {
    return [...this.#indexes.keys()];
  }

  // --- reading ---------------------------------------------------------------------------------------------------------------------

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

  /** The objects filed under a value; none for a value nobody has. Throws `argument` for an index that does not exist. */
  byIndex(name: string, value: string): T[] {
    return this.#objectsOf(this.#index(name).keys.get(value) ?? []);
  }

  /** The objects that share at least one value with the given one, which need not be stored, each once. */
  index(name: string, object: T): T[] {
    const index = this.#index(name);
    const keys = new Set<ObjectKey>();
    for (const value of index.fn(object)) for (const key of index.keys.get(value) ?? []) keys.add(key);
    return this.#objectsOf(keys);
  }

  /** The keys filed under a value, ascending. Throws `argument` for an index that does not exist. */
  indexKeys(name: string, value: string): ObjectKey[] {
    return [...(this.#index(name).keys.get(value) ?? [])].sort();
  }

  /** How many objects are filed under a value. */
  indexCount(name: string, value: string): number {
    return this.#index(name).keys.get(value)?.size ?? 0;
  }

  /**
   * Every value some object is filed under, in no order, or those in a range, ascending; none for an index that does not exist.
   * The first range asked of an index sorts its values; from then on a range costs what it returns.
   */
  indexValues(name: string, range?: ValueRange): string[] {
    const index = this.#indexes.get(name);
    if (!index) return [];
    return range ? index.ranges.find(range, index.keys.keys()) : [...index.keys.keys()];
  }

  /** The objects filed under any value in a range, by ascending value, each once. Throws `argument` for an index that does not exist. */
  byIndexRange(name: string, range: ValueRange): T[] {
    const index = this.#index(name);
    const keys = new Set<ObjectKey>();
    for (const value of index.ranges.find(range, index.keys.keys())) for (const key of index.keys.get(value) ?? []) keys.add(key);
    return this.#objectsOf(keys);
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name);
  }

  // --- writing ---------------------------------------------------------------------------------------------------------------------

  add(object: T): void {
    const key = this.keyOf(object);
    const kept = this.#transformed(object);
    this.#put(key, kept, this.#valuesOf(key, kept));
    this.#advanceTo(kept);
  }

  update(object: T): void {
    this.add(object);
  }

  /** Deletes by object or tombstone; the store's version becomes the object's. Nothing happens to items or indexes when it is not there. */
  delete(object: unknown): void {
    this.deleteKey(this.keyOf(object));
    this.#advanceTo(object);
  }

  /** Deletes by key; the store's version stays. */
  deleteKey(key: ObjectKey): void {
    if (!this.#items.delete(key)) return;
    this.#writes++;
    for (const index of this.#indexes.values()) index.file(key, []);
  }

  /** Makes these the only objects, all at once. Throws before anything has changed when a key or index value cannot be had. */
  replace(objects: readonly T[], resourceVersion: ResourceVersion, options: ReplaceOptions<T> = {}): void {
    toEnd(this.replacing(objects, resourceVersion, options));
  }

  /**
   * `replace` in steps of a few milliseconds, between which others may read and write. Nothing of it shows before the last step; then all
   * does, as if it had been done in that moment.
   */
  *replacing(objects: readonly T[], resourceVersion: ResourceVersion, options: ReplaceOptions<T> = {}): Generator<undefined, void> {
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

  /** Several writes with no reader in between. Those that fail are left out; the rest take effect. The version is the last one's. */
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

  /** Adds indexes and files what is stored. Throws `argument` ("indexer conflict") and adds none when one of the names is taken. */
  addIndexers(indexers: Indexers<T>): void {
    const taken = Object.keys(indexers).filter((name) => this.#indexes.has(name));
    if (taken.length > 0) throw new InformerError('argument', `indexer conflict: ${taken.sort().join(', ')}`);
    const added = Object.entries(indexers).map(([name, fn]) => [name, new Index<T>(fn)] as const);
    for (const [name, index] of added) {
      for (const [key, object] of this.#items) index.file(key, valuesFrom(name, index.fn, key, object));
    }
    for (const [name, index] of added) this.#indexes.set(name, index);
    this.#writes++;
  }

  /** Few objects among many are replaced in place, for a state beside the present one would hold all the others as well. Says whether they were few. */
  #replaceFew(
    incoming: Incoming<T>,
    resourceVersion: ResourceVersion,
    within: (key: ObjectKey) => boolean,
    observer: ReplaceObserver<T> | undefined,
  ): boolean {
    const before = incoming.objects.length > SLICE ? undefined : fewOf(this.#items.keys(), within);
    if (!before) return false;
    const indexErrors: InformerError[] = [];
    const puts = this.#preparedPuts(incoming, (error) => indexErrors.push(error)); // all that may throw comes before the first change
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

  /** The state after a replacement, built beside the present one, with one look at each object. */
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
      for (const [name, index] of indexes) index.file(key, this.#valuesOrNone(name, index.fn, key, object, onIndexError));
    }
    if (observer && seen.size < incoming.objects.length) this.#tellOnce(seen, observer);
    if (observer) yield* this.#tellGone(items, observer);
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

  /** What a replacement leaves alone, as it is filed. */
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

  /** A list that holds a key twice was told too much. */
  #tellOnce(seen: Map<ObjectKey, T>, observer: ReplaceObserver<T>): void {
    observer.begin();
    for (const [key, object] of seen) observer.put(key, this.#items.get(key), object);
  }

  *#tellGone(items: Map<ObjectKey, T>, observer: ReplaceObserver<T>): Generator<undefined, void> {
    let steps = 0;
    for (const [key, old] of this.#items) {
      if (isFull(++steps)) yield;
      if (!items.has(key)) observer.gone(key, old);
    }
  }

  #put(key: ObjectKey, object: T, values: readonly (readonly string[])[]): void {
    this.#writes++;
    this.#items.set(key, object);
    let i = 0;
    for (const index of this.#indexes.values()) index.file(key, values[i++] as readonly string[]);
  }

  #valuesOf(key: ObjectKey, object: T, onIndexError = this.#onIndexError): (readonly string[])[] {
    const values: (readonly string[])[] = [];
    for (const [name, { fn }] of this.#indexes) values.push(this.#valuesOrNone(name, fn, key, object, onIndexError));
    return values;
  }

  #valuesOrNone(name: string, fn: IndexFn<T>, key: ObjectKey, object: T, onError: IndexerOptions<T>['onIndexError']): readonly string[] {
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

/** The keys for which something holds; undefined when there are more than are dealt with at once. */
function fewOf(keys: Iterable<ObjectKey>, holds: (key: ObjectKey) => boolean): ObjectKey[] | undefined {
  const few: ObjectKey[] = [];
  for (const key of keys) if (holds(key) && few.push(key) > SLICE) return undefined;
  return few;
}

function isFull(steps: number): boolean {
  return steps % SLICE === 0;
}

/** All the steps at once. */
export function toEnd<R>(steps: Generator<undefined, R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function valuesFrom<T>(name: string, fn: IndexFn<T>, key: ObjectKey, object: T): readonly string[] {
  try {
    const values: unknown = fn(object);
    if (!Array.isArray(values)) throw new TypeError(`it gave no list but ${values === null ? 'null' : typeof values}`);
    return values;
  } catch (error) {
    throw new InformerError('store', `unable to calculate an index entry for key "${key}" on index "${name}": ${messageOf(error)}`, {
      cause: error,
    });
  }
}
