import { InformerError, messageOf } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { addressOf } from '../../model/field-path.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import { hasMetadata } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import type { Block } from '../compact/block.ts';
import {
  CompactStore,
  type CompactStoreOptions,
  NOT_PACKED,
  type StoreKind,
  type StoreMemory,
} from '../compact/compact-store.ts';
import type { FieldColumn } from '../compact/field-columns.ts';
import { type Held, PackedObject, type PreparedValues } from '../compact/packed-object.ts';
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

/** What a search of all objects needs of them. */
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

/** Called with what a replacement of the whole content of an {@link Indexer} changes. */
export interface ReplaceObserver<T> {
  /** Called first, and again when a write between two steps makes the calls since then invalid. */
  begin(): void;
  put(key: ObjectKey, old: T | undefined, object: T): void;
  gone(key: ObjectKey, old: T): void;
}

/** The number of objects in one step, which takes a few milliseconds. */
const SLICE = 1024;
/** The same for objects that may have to be decoded. */
const COMPACT_SLICE = 64;
/** The most lists of one index value that are shared before the objects are stored. */
const MOST_LISTS = 16_384;

/** In place of the values of an object for which the index function threw. The function is called again next time. */
const UNFILED: readonly string[] = [];

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
class Index<T> {
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
      if (sameValues(before, values)) return;
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

function sameValues(before: string | readonly string[], values: readonly string[]): boolean {
  if (typeof before === 'string') return values.length === 1 && values[0] === before;
  if (before.length !== values.length) return false;
  for (let i = 0; i < values.length; i++) if (before[i] !== values[i]) return false;
  return true;
}

/** The objects of a replacement. Keys and transformed objects are computed when they are needed. */
interface Incoming<T> {
  readonly objects: readonly T[];
  readonly keys: ObjectKey[];
  readonly kept: readonly Held<T>[];
}

/** One object to be stored, with its values for each index. */
interface Put<T> {
  readonly object: Held<T>;
  readonly values: readonly (readonly string[])[];
}

/** The whole content of a store. */
interface State<T> {
  readonly items: Map<ObjectKey, Held<T>>;
  readonly indexes: Map<string, Index<T>>;
  readonly indexErrors: readonly InformerError[];
}

/**
 * Objects by key, and by the values of any number of named indexes. The writer's side of the cache; readers use a
 * {@link Lister}.
 * Promises: items and indexes agree whenever other code runs. A write that throws has changed nothing. An index changes
 * only where a value changed.
 * Objects are stored and returned without a copy, so they must not be changed. With a compact store, the handle of a
 * packed object may be written in its place, and `held` returns handles; all other reads return objects.
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
  readonly #compact: CompactStore<T> | undefined;
  #items = new Map<ObjectKey, Held<T>>();
  #indexes = new Map<string, Index<T>>();
  /** The keys that were written while an index is being built; one set for each build. */
  readonly #written = new Set<Set<ObjectKey>>();
  /** Counts writes. A replacement in several steps sees by it whether the store has changed meanwhile. */
  #writes = 0;
  #isPacking = false;
  readonly #lists = new Map<string, readonly string[]>();
  #resourceVersion: ResourceVersion = '';

  constructor(options?: IndexerOptions<T>);
  /** @internal */
  constructor(options?: IndexerOptions<T>, compact?: Omit<CompactStoreOptions, 'kind'>);
  constructor(options: IndexerOptions<T> = {}, compact: Omit<CompactStoreOptions, 'kind'> = {}) {
    checkOptions('Indexer', options, KNOWN_OPTIONS);
    const { store = 'objects' } = options;
    if (store !== 'objects') this.#compact = new CompactStore<T>({ ...compact, kind: store });
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
    const held = this.#items.get(key);
    return held === undefined ? undefined : this.object(held);
  }

  /** @internal The object under a key, or the handle of a packed one. A change of the object gives another handle. */
  held(key: ObjectKey): Held<T> | undefined {
    return this.#items.get(key);
  }

  /** @internal As `entries`, with the handles of packed objects. */
  heldEntries(): MapIterator<[ObjectKey, Held<T>]> {
    return this.#items.entries();
  }

  /** @internal The object of a handle; an object itself. `isPassing`: it is one of many, and does not stay parsed. */
  object(held: Held<T>, isPassing = false): T {
    return this.#compact ? this.#compact.unpack(held, isPassing) : (held as T);
  }

  /** What is kept in memory. */
  get memory(): StoreMemory {
    return this.#compact?.memory(this.size) ?? { ...NOT_PACKED, objects: this.size };
  }

  /** @internal See `Lister.scan`. */
  scan(options: ScanOptions = {}): Iterable<T | undefined> {
    checkOptions('scan', options, KNOWN_SCAN);
    const { having = [], fields } = options;
    const addresses = fields?.map(addressOf);
    const objects = [...this.#items.values()];
    const compact = this.#compact;
    if (!compact) return objects as T[];
    const texts = having.map((text) => Buffer.from(text));
    return searched(objects, compact, { texts, column: addresses && compact.columnOf(addresses) });
  }

  /** @internal Keeps these fields of all objects parsed from now on, for `scan`. */
  keepFields(fields: readonly string[]): void {
    const addresses = fields.map(addressOf);
    if (addresses.length > 0) this.#compact?.columnOf(addresses, true);
  }

  /** @internal */
  get isCompact(): boolean {
    return this.#compact !== undefined;
  }

  has(key: ObjectKey): boolean {
    return this.#items.has(key);
  }

  /** Objects that are read in a row do not stay parsed. */
  values(): MapIterator<T> {
    const compact = this.#compact;
    if (!compact) return this.#items.values() as MapIterator<T>;
    return this.#items.values().map((held) => compact.unpack(held, true)) as MapIterator<T>;
  }

  keys(): MapIterator<ObjectKey> {
    return this.#items.keys();
  }

  entries(): MapIterator<[ObjectKey, T]> {
    const compact = this.#compact;
    if (!compact) return this.#items.entries() as MapIterator<[ObjectKey, T]>;
    const opened = this.#items.entries().map(([key, held]) => [key, compact.unpack(held, true)]);
    return opened as MapIterator<[ObjectKey, T]>;
  }

  keyOf(object: unknown): ObjectKey {
    if (object instanceof PackedObject) return object.key;
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

  /** @internal As `byIndex`, with the handles of packed objects. */
  heldByIndex(name: string, value: string): Held<T>[] {
    return Array.from(this.#index(name).keysOf(value), (key) => this.#items.get(key) as Held<T>);
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

  // --- packing, for a compact store ---

  /** @internal Whether an object is packed that is one of at least this many. */
  packsFrom(objects: number): boolean {
    const compact = this.#compact;
    if (!compact) return false;
    compact.expect(objects);
    return compact.isActive;
  }

  /**
   * @internal
   * The handle of an object that will be stored, or of the same object in the store; the object itself if it is not
   * packed. A handle that is not stored is to be dropped. Throws `store` for an object without a key.
   */
  pack(object: T, options: { isHot?: boolean; bytes?: Uint8Array | undefined } = {}): Held<T> {
    const key = this.keyOf(object);
    const known = this.#items.get(key);
    const held = this.#compact?.pack(key, object, { ...options, known }) ?? object;
    if (held instanceof PackedObject && held !== known) held.prepared = this.#prepared(key, object);
    return held;
  }

  /** @internal Gives back the memory of a handle that is not stored. */
  drop(held: Held<T>): void {
    this.#compact?.drop(held);
  }

  // --- writing ---

  add(object: T): void {
    const key = this.keyOf(object);
    try {
      const kept = this.#transformed(object);
      this.#put(key, kept, this.#valuesOf(key, kept));
      this.#advanceTo(kept);
    } catch (error) {
      if (!this.#isStored(object)) this.#compact?.drop(object);
      throw error;
    }
  }

  #isStored(held: unknown): boolean {
    return held instanceof PackedObject && this.#items.get(held.key) === held;
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
    if (object instanceof PackedObject) this.#compact?.drop(object as PackedObject<T>);
  }

  /** Deletes by key. The store's version stays. */
  deleteKey(key: ObjectKey): void {
    const held = this.#items.get(key);
    if (!this.#items.delete(key)) return;
    this.#compact?.drop(held);
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
    const areKept = !this.#transform && !this.#compact;
    const incoming: Incoming<T> = { objects, keys: options.keys ?? [], kept: areKept ? objects : [] };
    let before: Map<ObjectKey, Held<T>> | undefined;
    try {
      if (options.within && this.#replaceFew(incoming, resourceVersion, options.within, options.observer)) return;
      const writes = this.#writes;
      let next = yield* this.#stateWith(incoming, options);
      if (this.#writes !== writes) next = toEnd(this.#stateWith(incoming, options));
      before = this.#items;
      this.#items = next.items;
      this.#indexes = next.indexes;
      this.#writes++;
      this.#resourceVersion = resourceVersion;
      for (const error of next.indexErrors) this.#onIndexError?.(error);
    } finally {
      this.#compact?.whenIdle(this.#settling(incoming, before));
    }
  }

  /**
   * When nothing else runs: gives back the memory of what a replacement has put aside, and of what it has not stored.
   */
  *#settling({ objects, kept }: Incoming<T>, before: Map<ObjectKey, Held<T>> | undefined): Generator<undefined, void> {
    let steps = 0;
    for (const held of before?.values() ?? []) {
      if (!this.#isStored(held)) this.#compact?.drop(held);
      if (this.#isFull(++steps)) yield;
    }
    for (let i = 0; i < objects.length; i++) {
      const held = i < kept.length ? kept[i] : objects[i];
      if (this.#isFull(++steps)) yield;
      if (!(held instanceof PackedObject)) continue;
      held.prepared = undefined;
      if (!this.#isStored(held)) this.#compact?.drop(held as PackedObject<T>);
      else this.#compact?.adopt(held as PackedObject<T>); // another replacement may have dropped it before it was stored
    }
    this.#packWhenIdle();
  }

  /** Packs objects that were stored when they were few, or before the store was asked to. */
  #packWhenIdle(): void {
    const compact = this.#compact;
    if (compact?.isActive && !this.#isPacking) {
      this.#isPacking = true;
      compact.whenIdle(this.#packing(compact), () => (this.#isPacking = false));
    }
  }

  *#packing(compact: CompactStore<T>): Generator<undefined, void> {
    let items = this.#items;
    let steps = 0;
    do {
      items = this.#items;
      for (const [key, held] of items) {
        if (!(held instanceof PackedObject)) items.set(key, compact.pack(key, held));
        if (this.#isFull(++steps)) yield;
        if (this.#items !== items) break;
      }
    } while (this.#items !== items); // all objects were replaced meanwhile
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
        errors.push(error instanceof Error ? error : new Error(String(error)));
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
      for (const [key, held] of this.#items) index.file(key, this.#valuesFrom(name, index.fn, key, held));
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
    const items = this.#items;
    let steps = 0;
    for (const [key, object] of items) {
      for (const [name, index] of added) index.file(key, this.#valuesFrom(name, index.fn, key, object));
      if (!this.#isFull(++steps)) continue;
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
    for (const [key, { object }] of puts) observer?.put(key, this.#items.get(key) as T | undefined, object as T);
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
    const items = new Map<ObjectKey, Held<T>>();
    if (within) yield* this.#copyOthers(within, items, indexes);
    const seen = within ? new Map<ObjectKey, Held<T>>() : items;
    observer?.begin();
    for (let i = 0; i < incoming.objects.length; i++) {
      if (this.#isFull(i + 1)) yield;
      const key = this.#keyAt(incoming, i);
      const object = this.#keptAt(incoming, i);
      for (const [name, index] of indexes)
        index.file(key, this.#valuesOrNone(name, index.fn, key, object, onIndexError));
      const held = this.#heldAt(incoming, i, key, object);
      // a replacement of a part may be done twice, if another part changes meanwhile
      if (!within && held instanceof PackedObject) held.prepared = undefined;
      items.set(key, held);
      if (within) seen.set(key, held);
      observer?.put(key, this.#items.get(key) as T | undefined, held as T);
    }
    if (observer && seen.size < incoming.objects.length) this.#putOnce(seen, observer);
    if (observer) yield* this.#reportGone(items, observer);
    return { items, indexes: new Map(indexes), indexErrors };
  }

  #keyAt({ objects, keys }: Incoming<T>, i: number): ObjectKey {
    if (i === keys.length) keys.push(this.keyOf(objects[i]));
    return keys[i] as ObjectKey;
  }

  #keptAt({ objects, kept }: Incoming<T>, i: number): Held<T> {
    if (i < kept.length) return kept[i] as Held<T>;
    const object = this.#transformed(objects[i] as T);
    (kept as Held<T>[]).push(object);
    return object;
  }

  #heldAt({ objects, kept }: Incoming<T>, i: number, key: ObjectKey, object: Held<T>): Held<T> {
    const compact = this.#compact;
    if (!compact) return object;
    compact.expect(objects.length);
    if (object instanceof PackedObject) compact.adopt(object);
    else (kept as Held<T>[])[i] = compact.pack(key, object, { known: this.#items.get(key) });
    return kept[i] as Held<T>;
  }

  /** Copies the objects that are not part of the replacement, with their index values. */
  *#copyOthers(
    within: (key: ObjectKey) => boolean,
    items: Map<ObjectKey, Held<T>>,
    indexes: readonly (readonly [string, Index<T>])[],
  ): Generator<undefined, void> {
    let steps = 0;
    for (const [key, object] of this.#items) {
      if (this.#isFull(++steps)) yield;
      if (within(key)) continue;
      items.set(key, object);
      for (const [name, index] of indexes) index.file(key, this.#indexes.get(name)?.valuesOf(key) ?? []);
    }
  }

  /** Repeats the calls for a list that contains a key twice, with each key once. */
  #putOnce(seen: Map<ObjectKey, Held<T>>, observer: ReplaceObserver<T>): void {
    observer.begin();
    for (const [key, object] of seen) observer.put(key, this.#items.get(key) as T | undefined, object as T);
  }

  *#reportGone(items: Map<ObjectKey, Held<T>>, observer: ReplaceObserver<T>): Generator<undefined, void> {
    let steps = 0;
    for (const [key, old] of this.#items) {
      if (this.#isFull(++steps)) yield;
      if (!items.has(key)) observer.gone(key, old as T);
    }
  }

  #put(key: ObjectKey, object: Held<T>, values: readonly (readonly string[])[]): void {
    this.#writes++;
    const before = this.#compact && this.#items.get(key);
    const held = this.#packed(key, object);
    this.#items.set(key, held);
    if (before !== undefined && before !== held) this.#compact?.drop(before);
    for (const keys of this.#written) keys.add(key);
    let i = 0;
    for (const index of this.#indexes.values()) index.file(key, values[i++] as readonly string[]);
  }

  #valuesOf(key: ObjectKey, object: Held<T>, onIndexError = this.#onIndexError): (readonly string[])[] {
    const values: (readonly string[])[] = [];
    for (const [name, { fn }] of this.#indexes) values.push(this.#valuesOrNone(name, fn, key, object, onIndexError));
    return values;
  }

  #valuesOrNone(
    name: string,
    fn: IndexFn<T>,
    key: ObjectKey,
    object: Held<T>,
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

  #valuesFrom(name: string, fn: IndexFn<T>, key: ObjectKey, held: Held<T>): readonly string[] {
    if (held instanceof PackedObject) {
      const prepared = held.prepared?.values[held.prepared.of.indexOf(fn)];
      if (prepared) return prepared;
      const index = this.#indexes.get(name);
      const known = index?.fn === fn && this.#items.get(key) === held ? index.valuesOf(key) : UNFILED;
      if (known !== UNFILED) return known;
    }
    return valuesFrom(name, fn, key, () => this.object(held));
  }

  /**
   * The index values of an object that will be stored packed, computed while it is parsed. Without those of a function
   * that throws, which is called again when the object is stored.
   */
  #prepared(key: ObjectKey, object: T): PreparedValues {
    const of: IndexFn<T>[] = [];
    const values: (readonly string[])[] = [];
    for (const [name, { fn }] of this.#indexes) {
      try {
        values.push(this.#shared(valuesFrom(name, fn, key, () => object)));
        of.push(fn);
      } catch {
        // see above
      }
    }
    return { of, values };
  }

  /** The same list for the same single value. */
  #shared(values: readonly string[]): readonly string[] {
    if (values.length !== 1) return values;
    const known = this.#lists.get(values[0] as string);
    if (known) return known;
    if (this.#lists.size >= MOST_LISTS) this.#lists.clear();
    this.#lists.set(values[0] as string, values);
    return values;
  }

  /** The object as the store keeps it. */
  #packed(key: ObjectKey, object: Held<T>): Held<T> {
    const compact = this.#compact;
    if (!compact) return object;
    if (object instanceof PackedObject) {
      compact.adopt(object);
      object.prepared = undefined;
      return object;
    }
    if (compact.expect(this.#items.size)) this.#packWhenIdle();
    return compact.pack(key, object, { isHot: true });
  }

  #isFull(steps: number): boolean {
    return steps % (this.#compact ? COMPACT_SLICE : SLICE) === 0;
  }

  #transformed(object: Held<T>): Held<T> {
    if (!this.#transform || object instanceof PackedObject) return object;
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
    for (const key of keys) objects.push(this.object(this.#items.get(key) as Held<T>));
    return objects;
  }
}

/** The objects of a search one by one; undefined in place of one that does not have the texts. */
function* searched<T>(
  objects: readonly Held<T>[],
  compact: CompactStore<T>,
  { texts, column }: { texts: readonly Buffer[]; column: FieldColumn | undefined },
): Generator<T | undefined> {
  const without = new Set<Block>();
  for (const held of objects) {
    if (column && !column.isGivenUp) yield compact.fieldsOf(held, column);
    else yield texts.length === 0 || compact.mayHave(held, texts, without) ? compact.unpack(held, true) : undefined;
  }
}

/** The keys that `holds` accepts; undefined when there are more than one step handles. */
function fewOf(keys: Iterable<ObjectKey>, holds: (key: ObjectKey) => boolean): ObjectKey[] | undefined {
  const few: ObjectKey[] = [];
  for (const key of keys) if (holds(key) && few.push(key) > SLICE) return undefined;
  return few;
}

/** Runs all steps at once and returns the result. */
export function toEnd<R>(steps: Generator<undefined, R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function valuesFrom<T>(name: string, fn: IndexFn<T>, key: ObjectKey, object: () => T): readonly string[] {
  try {
    const values: unknown = fn(object());
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
