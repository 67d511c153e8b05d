import type { Address } from '../../model/field-path.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { StoreMemory } from '../compact/compact-store.ts';
import type { LookedAt } from '../compact/field-columns.ts';
import type { Cached, PackedObject } from '../compact/packed-object.ts';
import type { NotificationSink } from '../handlers/notification.ts';
import type { IndexFn } from './object-index.ts';

/** A search of all objects of a store. */
export interface StoreSearch {
  /** JSON texts that a wanted object has. */
  readonly having: readonly string[];
  /** The fields that the search reads. Absent: any field. */
  readonly fields: readonly Address[] | undefined;
}

/** Packs the objects of one source as they arrive, before they are queued. */
export interface ArrivingObjects<C> {
  /** A list begins. What is left of one that failed is given back. */
  begin(): void;
  /** The list has arrived. The replacement that stores it gives back what it does not store. */
  end(): void;
  /** Takes an object of a list as it arrives, with its text if that is known. The result takes its place. */
  take(object: C, bytes?: Uint8Array): C;
  /** Whether an object needs nothing more before it is queued. It has a key. */
  isPacked(object: C): boolean;
  /** Prepares an object to be queued: one of a watch, or one of a list that was not packed. Throws as the transform. */
  prepare(object: C): C;
}

/**
 * How an indexer keeps its objects. `C` is the type of an entry: the object itself, or a handle with its metadata that
 * only the store opens.
 */
export interface CacheStore<T, C = Cached<T>> {
  /** The entries by their keys. Only the store changes them. */
  readonly items: ReadonlyMap<ObjectKey, C>;
  /** Whether every entry is the object itself. */
  readonly keepsObjects: boolean;
  /** The number of entries that one step of a few milliseconds handles. */
  readonly slice: number;
  readonly memory: StoreMemory;

  put(key: ObjectKey, object: C): void;
  /** Deletes by key. Returns whether there was an object. */
  drop(key: ObjectKey): boolean;

  /** The object of an entry. `isPassing`: it is one of many, and does not stay parsed. */
  open(cached: C, isPassing?: boolean): T;
  /** The object of an entry with these fields at least; undefined: all. It is one of many. */
  openPart(cached: C, fields: readonly Address[] | undefined): T;
  /** An object of which no more is certain than a row of a table shows: key, labels, time of creation and cells. */
  glance(cached: C): T;
  /** All objects one by one. They do not stay parsed. */
  opened(): MapIterator<T>;
  openedEntries(): MapIterator<[ObjectKey, T]>;
  /** The objects of some entries one by one. They do not stay parsed. */
  openEach(entries: Iterable<readonly [ObjectKey, C | undefined]>): Iterable<readonly [ObjectKey, T | undefined]>;
  /** The entries of this moment by ascending key. */
  byKey(): readonly C[];
  /** The objects of some entries as a list. Each is opened when it is read. */
  view(found: readonly C[]): readonly T[];
  /** A sink for notifications with entries. `sink` gets objects. */
  opening(sink: NotificationSink<T>): NotificationSink<C>;
  /** The objects of this moment; undefined in place of one that the search cannot want. */
  search(search: StoreSearch): Iterable<T | undefined>;
  /** Says something of entries by parts of them, once for all entries in which they are equal, where that can be. */
  reader<R>(looked: LookedAt, say: (object: T) => R): (cached: C) => R;
  /** Keeps these parts of all objects parsed from now on, for `search` and `reader`. */
  keep(looked: LookedAt): void;

  isHandle(object: unknown): object is PackedObject<T>;
  /** Index values that are known without a call of the index function. */
  knownValues(name: string, fn: IndexFn<T>, key: ObjectKey, cached: C): readonly string[] | undefined;
  /** Undefined for a store that does not pack. */
  arrivals(transform: ((object: T) => T) | undefined): ArrivingObjects<C> | undefined;

  /** The entry for an object in a replacement of `count` objects. `isOnce`: its index values are not needed again. */
  incoming(key: ObjectKey, object: C, count: number, isOnce: boolean): C;
  /** Exchanges all entries at once. Returns the former ones. */
  exchange(items: Map<ObjectKey, C>): ReadonlyMap<ObjectKey, C>;
  /** Gives back the memory of an object that a write did not store. */
  discard(object: unknown): void;
  /** The same after a replacement, when nothing else runs: of the given entries, and of those that were exchanged. */
  settle(given: Iterable<unknown>, before: ReadonlyMap<ObjectKey, C> | undefined): void;
}
