import { everyNth } from '../../kit/every-nth.ts';
import { lazyList } from '../../kit/lazy-list.ts';
import type { Address } from '../../model/field-path.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { Block } from '../compact/block.ts';
import { CompactStore, type CompactStoreOptions, type StoreMemory } from '../compact/compact-store.ts';
import type { FieldColumn, LookedAt } from '../compact/field-columns.ts';
import { type Cached, PackedObject, type PreparedValues } from '../compact/packed-object.ts';
import type { InformerNotification, NotificationSink } from '../handlers/notification.ts';
import { openingSink } from '../handlers/opened-notification.ts';
import { Arrivals } from './arrivals.ts';
import type { ArrivingObjects, CacheStore, StoreSearch } from './cache-store.ts';
import { KeyOrder } from './key-order.ts';
import { type Index, type IndexFn, UNFILED, valuesFrom } from './object-index.ts';

/** Settings of {@link CompactObjects}. */
export interface CompactObjectsOptions<T> {
  keyOf(object: unknown): ObjectKey;
  /** The indexes of the objects, by name. */
  readonly indexes: ReadonlyMap<string, Index<T>>;
}

/** The most lists of one index value that are shared before the objects are stored. */
const MOST_LISTS = 16_384;

/**
 * A store whose entries are handles of objects in a {@link CompactStore}. An object is its own entry while objects are
 * few (`auto`), and if JSON cannot express it.
 */
export class CompactObjects<T> implements CacheStore<T> {
  readonly keepsObjects = false;
  readonly slice = 64;
  readonly #texts: CompactStore<T>;
  readonly #options: CompactObjectsOptions<T>;
  #items = new Map<ObjectKey, Cached<T>>();
  readonly #order = new KeyOrder<Cached<T>>();
  #isPacking = false;
  readonly #lists = new Map<string, readonly string[]>();

  constructor(options: CompactObjectsOptions<T>, texts: CompactStoreOptions) {
    this.#options = options;
    this.#texts = new CompactStore<T>(texts);
  }

  get items(): ReadonlyMap<ObjectKey, Cached<T>> {
    return this.#items;
  }

  get memory(): StoreMemory {
    return this.#texts.memory(this.#items.size);
  }

  put(key: ObjectKey, object: Cached<T>): void {
    const before = this.#items.get(key);
    const cached = this.#entry(key, object);
    this.#items.set(key, cached);
    this.#order.put(key, cached);
    if (before !== undefined && before !== cached) this.#texts.drop(before);
  }

  #entry(key: ObjectKey, object: Cached<T>): Cached<T> {
    const texts = this.#texts;
    if (object instanceof PackedObject) {
      texts.adopt(object);
      object.prepared = undefined;
      return object;
    }
    if (texts.expect(this.#items.size)) this.#packWhenIdle();
    return texts.pack(key, object, { isHot: true });
  }

  drop(key: ObjectKey): boolean {
    const cached = this.#items.get(key);
    if (!this.#items.delete(key)) return false;
    this.#order.drop(key);
    this.#texts.drop(cached);
    return true;
  }

  // --- reading ---

  open(cached: Cached<T>, isPassing = false): T {
    return this.#texts.unpack(cached, isPassing);
  }

  openPart(cached: Cached<T>, fields: readonly Address[] | undefined): T {
    return fields ? this.#texts.partOf(cached, fields) : this.#texts.unpack(cached, true);
  }

  glance(cached: Cached<T>): T {
    return this.#texts.glance(cached);
  }

  opened(): MapIterator<T> {
    return this.#items.values().map((cached) => this.#texts.unpack(cached, true));
  }

  openedEntries(): MapIterator<[ObjectKey, T]> {
    return this.#items.entries().map(([key, cached]): [ObjectKey, T] => [key, this.#texts.unpack(cached, true)]);
  }

  *openEach(
    entries: Iterable<readonly [ObjectKey, Cached<T> | undefined]>,
  ): Generator<readonly [ObjectKey, T | undefined]> {
    for (const [key, cached] of entries)
      yield [key, cached === undefined ? undefined : this.#texts.unpack(cached, true)];
  }

  byKey(): readonly Cached<T>[] {
    return this.#order.entries(this.#items);
  }

  view(found: readonly Cached<T>[]): readonly T[] {
    const at = (i: number) => this.#texts.unpack(found[i] as Cached<T>, true);
    return lazyList(found.length, at, found);
  }

  opening(sink: NotificationSink<T>): NotificationSink<Cached<T>> {
    const opening = openingSink(sink, (cached) => this.#texts.unpack(cached));
    const notify = (notification: InformerNotification<Cached<T>>) =>
      hasHandle(notification) ? opening.notify(notification) : sink.notify(notification as InformerNotification<T>);
    return { ...opening, notify };
  }

  search({ having, fields }: StoreSearch): Iterable<T | undefined> {
    const texts = having.map((text) => Buffer.from(text));
    return this.#searched([...this.#items.values()], texts, fields && this.#texts.columnOf({ fields }));
  }

  *#searched(
    all: readonly Cached<T>[],
    texts: readonly Buffer[],
    column: FieldColumn | undefined,
  ): Generator<T | undefined> {
    const without = new Set<Block>();
    for (const cached of all) {
      if (column && !column.isGivenUp) yield this.#texts.fieldsOf(cached, column);
      else {
        const isWanted = texts.length === 0 || this.#texts.mayHave(cached, texts, without);
        yield isWanted ? this.#texts.unpack(cached, true) : undefined;
      }
    }
  }

  reader<R>(looked: LookedAt, say: (object: T) => R): (cached: Cached<T>) => R {
    return this.#texts.saidOf(this.#texts.columnOf(looked), say);
  }

  keep(looked: LookedAt): void {
    if (looked.fields.length + (looked.cells?.length ?? 0) > 0) this.#texts.columnOf(looked, true);
  }

  // --- handles ---

  isHandle(object: unknown): object is PackedObject<T> {
    return object instanceof PackedObject;
  }

  #isStored(handle: PackedObject<T>): boolean {
    return this.#items.get(handle.key) === handle;
  }

  knownValues(name: string, fn: IndexFn<T>, key: ObjectKey, cached: Cached<T>): readonly string[] | undefined {
    if (!(cached instanceof PackedObject)) return undefined;
    const prepared = cached.prepared?.values[cached.prepared.of.indexOf(fn)];
    if (prepared) return prepared;
    const index = this.#options.indexes.get(name);
    const known = index?.fn === fn && this.#items.get(key) === cached ? index.valuesOf(key) : UNFILED;
    return known === UNFILED ? undefined : known;
  }

  arrivals(transform: ((object: T) => T) | undefined): ArrivingObjects<Cached<T>> {
    return new Arrivals<T>({
      transform,
      packsFrom: (count) => {
        this.#texts.expect(count);
        return this.#texts.isActive;
      },
      pack: (object, options) => this.#pack(object, options),
      discard: (handle) => this.discard(handle),
    });
  }

  /**
   * The entry of an object that will be stored, with its index values; the object itself if it is not packed. Throws
   * `store` for an object without a key.
   */
  #pack(object: T, options: { isHot?: boolean; bytes?: Uint8Array | undefined }): Cached<T> {
    const key = this.#options.keyOf(object);
    const known = this.#items.get(key);
    const cached = this.#texts.pack(key, object, { ...options, known });
    if (cached instanceof PackedObject && cached !== known) cached.prepared = this.#prepared(key, object);
    return cached;
  }

  /**
   * The index values of an object, computed while it is parsed. Without those of a function that throws, which is called
   * again when the object is stored.
   */
  #prepared(key: ObjectKey, object: T): PreparedValues {
    const of: IndexFn<T>[] = [];
    const values: (readonly string[])[] = [];
    for (const [name, { fn }] of this.#options.indexes) {
      try {
        values.push(this.#shared(valuesFrom<T, Cached<T>>(name, fn, key, this, object)));
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

  // --- replacement ---

  incoming(key: ObjectKey, object: Cached<T>, count: number, isOnce: boolean): Cached<T> {
    this.#texts.expect(count);
    if (object instanceof PackedObject) this.#texts.adopt(object);
    const cached =
      object instanceof PackedObject ? object : this.#texts.pack(key, object, { known: this.#items.get(key) });
    if (isOnce && cached instanceof PackedObject) cached.prepared = undefined;
    return cached;
  }

  exchange(items: Map<ObjectKey, Cached<T>>): ReadonlyMap<ObjectKey, Cached<T>> {
    const before = this.#items;
    this.#items = items;
    this.#order.forget();
    return before;
  }

  discard(object: unknown): void {
    if (this.isHandle(object) && !this.#isStored(object)) this.#texts.drop(object);
  }

  settle(given: Iterable<unknown>, before: ReadonlyMap<ObjectKey, Cached<T>> | undefined): void {
    this.#texts.whenIdle(this.#settling(given, before));
  }

  *#settling(
    given: Iterable<unknown>,
    before: ReadonlyMap<ObjectKey, Cached<T>> | undefined,
  ): Generator<undefined, void> {
    const isFull = everyNth(this.slice);
    for (const cached of before?.values() ?? []) {
      this.discard(cached);
      if (isFull()) yield;
    }
    for (const cached of given) {
      if (isFull()) yield;
      if (!this.isHandle(cached)) continue;
      cached.prepared = undefined;
      if (this.#isStored(cached))
        this.#texts.adopt(cached); // another replacement may have dropped it before it was stored
      else this.#texts.drop(cached);
    }
    this.#packWhenIdle();
  }

  /** Packs objects that were stored when they were few, or before the store was asked to. */
  #packWhenIdle(): void {
    if (!this.#texts.isActive || this.#isPacking) return;
    this.#isPacking = true;
    this.#texts.whenIdle(this.#packing(), () => (this.#isPacking = false));
  }

  *#packing(): Generator<undefined, void> {
    const isFull = everyNth(this.slice);
    for (;;) {
      const items = this.#items;
      for (const [key, cached] of items) {
        if (!(cached instanceof PackedObject)) {
          items.set(key, this.#texts.pack(key, cached));
          this.#order.forget(); // it would keep the object parsed
        }
        if (isFull()) yield;
        if (this.#items !== items) break;
      }
      if (this.#items === items) return; // else all objects were replaced meanwhile
    }
  }
}

/** Whether a notification is about packed objects. */
const hasHandle = (notification: InformerNotification<unknown>): boolean =>
  notification.object instanceof PackedObject ||
  (notification.kind === 'updated' && notification.oldObject instanceof PackedObject);
