import type { ObjectKey } from '../../model/key.ts';
import type { StoreMemory } from '../compact/compact-store.ts';
import type { PackedObject } from '../compact/packed-object.ts';
import type { NotificationSink } from '../handlers/notification.ts';
import type { CacheStore } from './cache-store.ts';
import { KeyOrder } from './key-order.ts';

const NOTHING_PACKED: Omit<StoreMemory, 'objects'> = {
  packed: 0,
  textBytes: 0,
  storedBytes: 0,
  blocks: 0,
  hotObjects: 0,
  hotBytes: 0,
  hotReads: 0,
  coldReads: 0,
  repacked: 0,
  isCompressed: false,
};

/** A store whose entries are the objects themselves. */
export class ParsedObjects<T> implements CacheStore<T, T> {
  #items = new Map<ObjectKey, T>();
  readonly #order = new KeyOrder<T>();
  readonly keepsObjects = true;
  readonly slice = 1024;

  get items(): ReadonlyMap<ObjectKey, T> {
    return this.#items;
  }

  get memory(): StoreMemory {
    return { ...NOTHING_PACKED, objects: this.#items.size };
  }

  put(key: ObjectKey, object: T): void {
    this.#items.set(key, object);
    this.#order.put(key, object);
  }

  drop(key: ObjectKey): boolean {
    this.#order.drop(key);
    return this.#items.delete(key);
  }

  open(object: T): T {
    return object;
  }

  openPart(object: T): T {
    return object;
  }

  glance(object: T): T {
    return object;
  }

  opened(): MapIterator<T> {
    return this.#items.values();
  }

  openedEntries(): MapIterator<[ObjectKey, T]> {
    return this.#items.entries();
  }

  openEach(entries: Iterable<readonly [ObjectKey, T | undefined]>): Iterable<readonly [ObjectKey, T | undefined]> {
    return entries;
  }

  byKey(): readonly T[] {
    return this.#order.entries(this.#items);
  }

  view(found: readonly T[]): readonly T[] {
    return found;
  }

  opening(sink: NotificationSink<T>): NotificationSink<T> {
    return sink;
  }

  search(): Iterable<T> {
    return [...this.#items.values()];
  }

  reader<R>(_looked: unknown, say: (object: T) => R): (object: T) => R {
    return say;
  }

  incoming(_key: ObjectKey, object: T): T {
    return object;
  }

  exchange(items: Map<ObjectKey, T>): ReadonlyMap<ObjectKey, T> {
    const before = this.#items;
    this.#items = items;
    this.#order.forget();
    return before;
  }

  isHandle(_object: unknown): _object is PackedObject<T> {
    return false;
  }

  // nothing is packed

  knownValues(): undefined {}
  arrivals(): undefined {}
  keep(): void {}
  discard(): void {}
  settle(): void {}
}
