import { Bell } from '../../kit/bell.ts';
import type { Clock } from '../../kit/clock.ts';
import { copyOf } from '../../kit/copy-of.ts';
import type { UnknownObject } from '../../model/object.ts';
import { AgeWindow } from './age-window.ts';
import { Collection } from './collection.ts';
import { EventLog, StoreEvent } from './event-log.ts';
import { atRevision, StoredObject } from './stored-object.ts';
import { shared } from './structure-sharing.ts';

/**
 * Called right after a change is visible in the store. It must not write to the store before it returns; use a timer.
 */
export type ChangeListener = (storage: string, event: StoreEvent) => void;

export interface ObjectStoreOptions {
  /** Each collection keeps at most this many changes. */
  readonly historySize: number;
  /** How long changes, and the states that a list can go back to, are kept, in ms. Without a limit by default. */
  readonly historyMs?: number | undefined;
  /** Measures `historyMs`. Without a clock nothing grows old. */
  readonly clock?: Pick<Clock, 'monotonic'> | undefined;
  /** The revision before the first write; 1 by default. */
  readonly revision?: number | undefined;
}

export interface StoreSnapshot {
  readonly revision: number;
  readonly objects: readonly { readonly storage: string; readonly object: StoredObject }[];
}

/** An {@link ObjectStore}, or a view of one. */
export type Store = Pick<ObjectStore, keyof ObjectStore>;

/**
 * Every object of the server, with one revision counter, as etcd has them.
 *
 * Promises: each write gets the next revision, and the object carries it. A collection's log holds its latest changes,
 * limited by number and age. Equal parts of an object's states share memory.
 * Does not promise: any check of a write. The write path checks preconditions; it runs without an interruption between
 * read and write.
 */
export class ObjectStore {
  readonly #historySize: number;
  readonly #ages: AgeWindow;
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<ChangeListener>();
  readonly #advanced = new Bell();
  #revision: number;
  #compacted = 0;
  #oldestState = 0;

  constructor({ historySize, historyMs, clock = FROZEN, revision = 1 }: ObjectStoreOptions) {
    this.#historySize = historySize;
    this.#ages = new AgeWindow(clock, historyMs ?? Number.POSITIVE_INFINITY);
    this.#revision = revision;
  }

  /** The revision of the latest write. */
  get revision(): number {
    return this.#revision;
  }

  /** The collection of a resource, created at first use. A closed collection is replaced by a new one. */
  collection(storage: string): Collection {
    let collection = this.#collections.get(storage);
    if (!collection || collection.closed) {
      collection = new Collection(storage, this.#newLog(collection ? this.#revision : this.#compacted));
      this.#collections.set(storage, collection);
    }
    return collection;
  }

  collections(): Iterable<Collection> {
    return this.#collections.values();
  }

  get(storage: string, key: string): StoredObject | undefined {
    return this.#collections.get(storage)?.get(key);
  }

  /** Stores a new state. The object belongs to the store from then on: the caller must not keep or change it. */
  put(storage: string, key: string, object: UnknownObject): StoredObject {
    const revision = ++this.#revision;
    object.metadata.resourceVersion = String(revision);
    const previous = this.get(storage, key);
    const stored = new StoredObject(key, shared(previous?.object, object), revision);
    this.#commit(storage, new StoreEvent(previous ? 'MODIFIED' : 'ADDED', stored, previous));
    return stored;
  }

  /**
   * Removes an object. Returns its last state with the revision of the deletion, or undefined when there is no such
   * object.
   */
  remove(storage: string, key: string): StoredObject | undefined {
    const previous = this.get(storage, key);
    if (!previous) return undefined;
    const last = atRevision(previous, ++this.#revision);
    this.#commit(storage, new StoreEvent('DELETED', last, previous));
    return last;
  }

  /**
   * Changes how the objects of a collection read. `change` is called with a copy of each. Revisions stay and there are
   * no events: it is the same state, seen through a newer definition.
   */
  rewrite(storage: string, change: (object: UnknownObject) => void): void {
    const collection = this.collection(storage);
    for (const { key, object, revision } of [...collection.values()]) {
      const next = copyOf(object);
      change(next);
      collection.replace(new StoredObject(key, shared(object, next), revision));
    }
  }

  /** The oldest revision whose state a list of a collection can still return. */
  oldestState(storage: string): number {
    return Math.max(this.#oldestState, this.#ages.floor, this.collection(storage).log.compacted);
  }

  /**
   * Drops the history up to now. Older continue tokens and exact lists get 410 from then on. Older watches get it too,
   * unless `watches` is false. (In a real server, etcd keeps the history of lists and the watch cache that of watches.)
   */
  compact({ watches = true }: { watches?: boolean } = {}): void {
    this.#oldestState = this.#revision;
    if (!watches) return;
    this.#compacted = this.#revision;
    for (const { log } of this.#collections.values()) log.compact(this.#revision);
  }

  snapshot(): StoreSnapshot {
    const objects = [...this.#collections.values()].flatMap((collection) =>
      [...collection.values()].map((object) => ({ storage: collection.id, object })),
    );
    return { revision: this.#revision, objects: objects.sort((a, b) => a.object.revision - b.object.revision) };
  }

  /**
   * Fills an empty store with the objects of a snapshot, with the revisions they had. Watches from before the snapshot
   * get 410.
   */
  load({ revision, objects }: StoreSnapshot): void {
    for (const { storage, object } of objects) this.#commit(storage, new StoreEvent('ADDED', object, undefined));
    this.#revision = revision;
    this.compact();
  }

  /** Ends every watch of a collection. */
  close(storage: string): void {
    this.#collections.get(storage)?.close();
  }

  onChange(listener: ChangeListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Resolves at the next write; rejects with the signal's reason if that aborts first. */
  nextWrite(signal: AbortSignal): Promise<void> {
    return this.#advanced.wait(signal);
  }

  #newLog(compacted: number): EventLog {
    return new EventLog({ capacity: this.#historySize, compacted, floor: () => this.#ages.floor });
  }

  #commit(storage: string, event: StoreEvent): void {
    this.#ages.note(event.revision);
    this.collection(storage).apply(event);
    event.previous?.forgetText();
    this.#advanced.wake();
    for (const listener of this.#listeners) listener(storage, event);
  }
}

const FROZEN = { monotonic: () => 0 };
