import { InformerError, messageOf } from '../../kit/error.ts';
import { everyNth } from '../../kit/every-nth.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { addressOf } from '../../model/field-path.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import { hasMetadata } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import type { CompactStoreOptions, StoreKind, StoreMemory } from '../compact/compact-store.ts';
import type { LookedAt } from '../compact/field-columns.ts';
import type { Cached } from '../compact/packed-object.ts';
import type { CacheStore } from './cache-store.ts';
import { CompactObjects } from './compact-objects.ts';
import { Index, type Indexers, type IndexFn, UNFILED, valuesFrom } from './object-index.ts';
import { ParsedObjects } from './parsed-objects.ts';
import { checkReplaceOptions, type PartChanges, type ReplaceOptions, StoreReplacement } from './replacement.ts';
import type { ValueRange } from './value-range.ts';
import { WrittenKeys } from './written-keys.ts';

/** One write of a transaction on an {@link Indexer}. */
export type StoreOperation<T> =
  | { readonly type: 'add' | 'update'; readonly object: T }
  | { readonly type: 'delete'; readonly object: unknown };

/** The stored objects of a transaction on an {@link Indexer}, and those that it could not store. */
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
  /**
   * How objects are kept. `objects` (default): parsed; a read returns the same object until it changes. `compact`: as
   * compressed text, in about a tenth of the memory; a read may decode, and two reads may return two equal objects.
   * `auto`: parsed while they are few, then compact. An object that JSON cannot express (a Date, an instance of a
   * class) is always kept as it is.
   */
  store?: StoreKind | undefined;
}

const KNOWN_OPTIONS = {
  indexers: true,
  keyOf: 'function',
  transform: 'function',
  onIndexError: 'function',
  store: ['objects', 'compact', 'auto'],
} satisfies KnownOptionsOf<IndexerOptions<unknown>>;

/** The parts of the objects that a search of all of them reads. */
export interface ScanOptions {
  /**
   * JSON texts, such as `"web-1"` with its quotes, that what is searched has. An object that is kept as text without
   * all of them need not be decoded.
   */
  having?: readonly string[] | undefined;
  /**
   * The fields that the search reads, such as `.status.phase` and `.spec.containers[*].image`; the name, namespace, uid,
   * resourceVersion and labels need not be among them. A compact store remembers their values, so that the next search
   * of the same fields decodes nothing. The objects of the search may then have no other fields.
   */
  fields?: readonly string[] | undefined;
}

const KNOWN_SCAN = { having: 'list', fields: 'list' } satisfies KnownOptionsOf<ScanOptions>;

/**
 * Objects by key, and by the values of any number of named indexes. The writer's side of the cache; readers use a
 * {@link Lister}.
 * Promises: items and indexes agree whenever other code runs. A write that throws has changed nothing. An index changes
 * only where a value changed.
 * Objects are stored and returned without a copy, so they must not be changed.
 * Source: client-go tools/cache/thread_safe_store.go, store.go.
 * @example
 * const indexer = new Indexer<UnknownObject>({ indexers: { app: (object) => [object.metadata.labels?.app ?? ''] } });
 * const metadata = { name: 'web-1', namespace: 'shop', labels: { app: 'web' } };
 * indexer.add({ apiVersion: 'v1', kind: 'Pod', metadata });
 * indexer.byIndex('app', 'web');
 */
export class Indexer<T> {
  readonly #keyOf: (object: unknown) => ObjectKey;
  readonly #transform: ((object: T) => T) | undefined;
  readonly #onIndexError: ((error: InformerError) => void) | undefined;
  /** @internal The objects, as they are kept. Only the indexer writes it. */
  readonly store: CacheStore<T>;
  #indexes = new Map<string, Index<T>>();
  /** The keys that were written while an index is being built; one set for each build. */
  readonly #written = new Set<Set<ObjectKey>>();
  readonly #followers = new Set<WrittenKeys>();
  /** Counts writes. A replacement in several steps sees by it whether the store has changed meanwhile. */
  #writes = 0;
  #resourceVersion: ResourceVersion = '';

  constructor(options?: IndexerOptions<T>);
  /** @internal */
  constructor(options?: IndexerOptions<T>, compact?: Omit<CompactStoreOptions, 'kind'>);
  constructor(options: IndexerOptions<T> = {}, compact: Omit<CompactStoreOptions, 'kind'> = {}) {
    checkOptions('Indexer', options, KNOWN_OPTIONS);
    this.#keyOf = options.keyOf ?? keyOf;
    this.#transform = options.transform;
    this.#onIndexError = options.onIndexError;
    this.store = this.#createStore(options.store ?? 'objects', compact);
    if (options.indexers) this.addIndexers(options.indexers);
  }

  #createStore(kind: StoreKind, compact: Omit<CompactStoreOptions, 'kind'>): CacheStore<T> {
    // no entry of parsed objects is a handle: only a compact store makes handles
    if (kind === 'objects') return new ParsedObjects<T>() as unknown as CacheStore<T>;
    return new CompactObjects<T>(this, { ...compact, kind });
  }

  /** @internal */
  get indexes(): ReadonlyMap<string, Index<T>> {
    return this.#indexes;
  }

  /** @internal */
  get isTransforming(): boolean {
    return this.#transform !== undefined;
  }

  get size(): number {
    return this.store.items.size;
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
    const cached = this.store.items.get(key);
    return cached === undefined ? undefined : this.store.open(cached);
  }

  /** @internal See `Lister.glance`. */
  glance(key: ObjectKey): T | undefined {
    const cached = this.store.items.get(key);
    return cached === undefined ? undefined : this.store.glance(cached);
  }

  /** The memory of the store. */
  get memory(): StoreMemory {
    return this.store.memory;
  }

  /** @internal See `Lister.scan`. */
  scan(options: ScanOptions = {}): Iterable<T | undefined> {
    checkOptions('scan', options, KNOWN_SCAN);
    const { having = [], fields } = options;
    return this.store.search({ having, fields: fields?.map(addressOf) });
  }

  /** @internal Keeps these fields of all objects parsed from now on, for `scan`. */
  keepFields(fields: readonly string[]): void {
    this.store.keep({ fields: fields.map(addressOf) });
  }

  /** @internal As `keepFields`, also of cells. */
  keep(looked: LookedAt): void {
    this.store.keep(looked);
  }

  /** @internal The values under which an index has an object; none for an index that does not exist. */
  valuesUnder(name: string, key: ObjectKey): readonly string[] {
    return this.#indexes.get(name)?.valuesOf(key) ?? [];
  }

  /** @internal See `Lister.follow`. */
  follow(most: number): WrittenKeys {
    const written = new WrittenKeys(most, (ended) => this.#followers.delete(ended));
    this.#followers.add(written);
    return written;
  }

  has(key: ObjectKey): boolean {
    return this.store.items.has(key);
  }

  /** Objects that are read in a row do not stay parsed. */
  values(): MapIterator<T> {
    return this.store.opened();
  }

  keys(): MapIterator<ObjectKey> {
    return this.store.items.keys();
  }

  entries(): MapIterator<[ObjectKey, T]> {
    return this.store.openedEntries();
  }

  keyOf(object: unknown): ObjectKey {
    if (this.store.isHandle(object)) return object.key;
    try {
      return this.#keyOf(object);
    } catch (error) {
      throw new InformerError('store', `couldn't create key for object: ${messageOf(error)}`, { cause: error });
    }
  }

  /** The objects under a value; empty when there are none. Throws `argument` for an index that does not exist. */
  byIndex(name: string, value: string): T[] {
    return this.#objectsOf(this.#index(name).keysOf(value));
  }

  /** @internal As `byIndex`, with the entries of the store. */
  cachedByIndex(name: string, value: string): Cached<T>[] {
    return Array.from(this.#index(name).keysOf(value), (key) => this.store.items.get(key) as Cached<T>);
  }

  /**
   * The objects that share at least one value with the given object, each once. The given object need not be stored.
   */
  index(name: string, object: T): T[] {
    const index = this.#index(name);
    const keys = new Set<ObjectKey>();
    for (const value of index.fn(object)) for (const key of index.keysOf(value)) keys.add(key);
    return this.#objectsOf(keys);
  }

  /** The keys under a value, ascending. Throws `argument` for an index that does not exist. */
  indexKeys(name: string, value: string): ObjectKey[] {
    return [...this.#index(name).keysOf(value)].sort();
  }

  /** The number of objects under a value. */
  indexCount(name: string, value: string): number {
    return this.#index(name).countOf(value);
  }

  /**
   * All values of an index in no order, or those in a range, ascending. Empty for an index that does not exist.
   * The first range query of an index sorts its values. After that, a range costs as much as it returns.
   */
  indexValues(name: string, range?: ValueRange): string[] {
    const index = this.#indexes.get(name);
    if (!index) return [];
    return range ? index.ranges.find(range, index.values()) : [...index.values()];
  }

  /**
   * The objects under the values in a range, by ascending value, each once. Throws `argument` for an index that does
   * not exist.
   */
  byIndexRange(name: string, range: ValueRange): T[] {
    const index = this.#index(name);
    const keys = new Set<ObjectKey>();
    for (const value of index.ranges.find(range, index.values())) for (const key of index.keysOf(value)) keys.add(key);
    return this.#objectsOf(keys);
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name);
  }

  // --- writing ---

  add(object: T): void;
  /** @internal */
  add(object: Cached<T>): void;
  add(object: Cached<T>): void {
    const key = this.keyOf(object);
    try {
      const kept = this.transformed(object);
      this.#put(key, kept, this.#allValuesOf(key, kept));
      this.#advanceTo(kept);
    } catch (error) {
      this.store.discard(object);
      throw error;
    }
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
    this.store.discard(object);
  }

  /** Deletes by key. The store's version stays. */
  deleteKey(key: ObjectKey): void {
    if (!this.store.drop(key)) return;
    this.#writes++;
    this.#note(key);
    for (const index of this.#indexes.values()) index.file(key, []);
  }

  /** Replaces all objects at once. Throws before any change when a key or an index value cannot be computed. */
  replace(objects: readonly T[], resourceVersion: ResourceVersion, options?: ReplaceOptions<T>): void;
  /** @internal With entries of the store. */
  replace(objects: readonly Cached<T>[], resourceVersion: ResourceVersion, options?: ReplaceOptions<Cached<T>>): void;
  replace(
    objects: readonly Cached<T>[],
    resourceVersion: ResourceVersion,
    options: ReplaceOptions<Cached<T>> = {},
  ): void {
    toEnd(this.replacing(objects, resourceVersion, options));
  }

  /**
   * `replace` in steps of a few milliseconds, between which other code may read and write. Nothing of it is visible
   * before the last step. Then all of it is, as if it had been done in that moment.
   */
  replacing(
    objects: readonly T[],
    resourceVersion: ResourceVersion,
    options?: ReplaceOptions<T>,
  ): Generator<undefined, void>;
  /** @internal With entries of the store. */
  replacing(
    objects: readonly Cached<T>[],
    resourceVersion: ResourceVersion,
    options?: ReplaceOptions<Cached<T>>,
  ): Generator<undefined, void>;
  *replacing(
    objects: readonly Cached<T>[],
    resourceVersion: ResourceVersion,
    options: ReplaceOptions<Cached<T>> = {},
  ): Generator<undefined, void> {
    checkReplaceOptions(options);
    const replacement = new StoreReplacement<T>(this, objects, options);
    let before: ReadonlyMap<ObjectKey, Cached<T>> | undefined;
    try {
      const changes = replacement.fewChanges();
      if (changes) return this.#change(changes, resourceVersion);
      const writes = this.#writes;
      let next = yield* replacement.state();
      if (this.#writes !== writes) next = toEnd(replacement.state());
      before = this.store.exchange(next.items);
      for (const written of this.#followers) written.end();
      this.#indexes = next.indexes;
      this.#replacedAt(resourceVersion, next.indexErrors);
    } finally {
      this.store.settle(replacement.given(), before);
    }
  }

  #change({ gone, puts, indexErrors }: PartChanges<T>, resourceVersion: ResourceVersion): void {
    for (const key of gone) this.deleteKey(key);
    for (const [key, { object, values }] of puts) this.#put(key, object, values);
    this.#replacedAt(resourceVersion, indexErrors);
  }

  #replacedAt(resourceVersion: ResourceVersion, indexErrors: readonly InformerError[]): void {
    this.#writes++;
    this.#resourceVersion = resourceVersion;
    for (const error of indexErrors) this.#onIndexError?.(error);
  }

  /**
   * Several writes, with no reader in between. A write that fails is left out; the others take effect. The store's
   * version becomes that of the last one, and stays as it was before the transaction if that has none.
   */
  transaction(operations: readonly StoreOperation<T>[]): TransactionResult {
    const successful: number[] = [];
    const errors: Error[] = [];
    const before = this.#resourceVersion;
    let version = before;
    for (const [i, { type, object }] of operations.entries()) {
      this.#resourceVersion = before; // a write without a version leaves it so
      try {
        if (type === 'delete') this.delete(object);
        else this.add(object);
        successful.push(i);
        version = this.#resourceVersion;
      } catch (error) {
        errors.push(error as Error); // what a callback threw is the cause of an InformerError
      }
    }
    this.#resourceVersion = version;
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
      for (const [key, cached] of this.store.items) index.file(key, this.#valuesFrom(name, index.fn, key, cached));
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
          const object = this.store.items.get(key);
          index.file(key, object === undefined ? [] : this.#valuesFrom(name, index.fn, key, object));
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
    const items = this.store.items;
    const isFull = everyNth(this.store.slice);
    for (const [key, object] of items) {
      for (const [name, index] of added) index.file(key, this.#valuesFrom(name, index.fn, key, object));
      if (!isFull()) continue;
      yield;
      if (this.store.items !== items) return undefined;
    }
    return added;
  }

  #put(key: ObjectKey, object: Cached<T>, values: readonly (readonly string[])[]): void {
    this.#writes++;
    this.store.put(key, object);
    this.#note(key);
    let i = 0;
    for (const index of this.#indexes.values()) index.file(key, values[i++] as readonly string[]);
  }

  #note(key: ObjectKey): void {
    for (const keys of this.#written) keys.add(key);
    for (const keys of this.#followers) keys.add(key);
  }

  #allValuesOf(key: ObjectKey, object: Cached<T>): (readonly string[])[] {
    const values: (readonly string[])[] = [];
    for (const [name, { fn }] of this.#indexes) values.push(this.valuesOf(name, fn, key, object, this.#onIndexError));
    return values;
  }

  /** @internal The values of an object for one index; none when its function throws, which `onError` gets. */
  valuesOf(
    name: string,
    fn: IndexFn<T>,
    key: ObjectKey,
    object: Cached<T>,
    onError: IndexerOptions<T>['onIndexError'],
  ): readonly string[] {
    try {
      return this.#valuesFrom(name, fn, key, object);
    } catch (error) {
      if (!this.#onIndexError) throw error;
      onError?.(error as InformerError);
      return UNFILED;
    }
  }

  #valuesFrom(name: string, fn: IndexFn<T>, key: ObjectKey, cached: Cached<T>): readonly string[] {
    const { store } = this;
    return store.knownValues(name, fn, key, cached) ?? valuesFrom(name, fn, key, store, cached);
  }

  /** @internal The object as it is stored. */
  transformed(object: Cached<T>): Cached<T> {
    if (!this.#transform || this.store.isHandle(object)) return object;
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
    for (const key of keys) objects.push(this.store.open(this.store.items.get(key) as Cached<T>));
    return objects;
  }
}

/** Runs all steps at once and returns the result. */
export function toEnd<R>(steps: Generator<undefined, R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
