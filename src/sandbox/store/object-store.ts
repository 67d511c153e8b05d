import { Bell } from '../../kit/bell.ts';
import type { Clock } from '../../kit/clock.ts';
import { copyOf } from '../../kit/copy-of.ts';
import type { UnknownObject } from '../../model/object.ts';
import { AgeWindow } from './age-window.ts';
import { Collection } from './collection.ts';
import { EventLog, StoreEvent } from './event-log.ts';
import { shared } from './shared.ts';
import { atRevision, StoredObject } from './stored-object.ts';

/** Told of a change right after the store shows it. Must not write to the store at once; use a timer. */
export type ChangeListener = (storage: string, event: StoreEvent) => void;

export interface ObjectStoreOptions {
  /** So many changes of each collection are kept. */
  readonly historySize: number;
  /** Changes, and states a list can go back to, are kept for so long, ms; for good unless said. */
  readonly historyMs?: number | undefined;
  /** What `historyMs` goes by. */
  readonly clock?: Pick<Clock, 'monotonic'> | undefined;
  /** Where revisions begin. */
  readonly revision?: number | undefined;
}

/** All that was stored at a revision. */
export interface StoreSnapshot {
  readonly revision: number;
  readonly objects: readonly { readonly storage: string; readonly object: StoredObject }[];
}

/**
 * Every object of the server under one revision counter, as etcd keeps them.
 *
 * Promises: each write gets the next revision and stamps it on the object; a collection's log holds its latest changes, by number and age.
 * Equal parts of an object's states are one and the same in memory.
 * Does not promise: any check of a write. Preconditions are the write path's affair, which runs without a break between read and write.
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

  /** Made at first use; a closed one is replaced by a new one. */
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

  /** Stores a new state. Takes the object over: the caller must not keep or change it. */
  put(storage: string, key: string, object: UnknownObject): StoredObject {
    const revision = ++this.#revision;
    object.metadata.resourceVersion = String(revision);
    const previous = this.get(storage, key);
    const stored = new StoredObject(key, shared(previous?.object, object), revision);
    this.#commit(storage, new StoreEvent(previous ? 'MODIFIED' : 'ADDED', stored, previous));
    return stored;
  }

  /** Removes an object. Returns its last state under the revision of the deletion, or undefined when there is none. */
  remove(storage: string, key: string): StoredObject | undefined {
    const previous = this.get(storage, key);
    if (!previous) return undefined;
    const last = atRevision(previous, ++this.#revision);
    this.#commit(storage, new StoreEvent('DELETED', last, previous));
    return last;
  }

  /**
   * Changes how the objects of a collection read, each by `change`, which is given a copy. Their revisions stay and nobody is told: it is
   * the same state, seen through a newer definition.
   */
  rewrite(storage: string, change: (object: UnknownObject) => void): void {
    const collection = this.collection(storage);
    for (const { key, object, revision } of [...collection.values()]) {
      const next = copyOf(object);
      change(next);
      collection.replace(new StoredObject(key, shared(object, next), revision));
    }
  }

  /** The oldest revision whose state a list of a collection can still show. */
  oldestState(storage: string): number {
    return Math.max(this.#oldestState, this.#ages.floor, this.collection(storage).log.compacted);
  }

  /**
   * Forgets history up to now: older continue tokens and exact lists get 410 from then on, and older watches do too unless `watches`
   * is false. (In a real server etcd keeps the one and the watch cache the other.)
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

  /** Fills an empty store with what a snapshot holds, under the revisions of then. Nothing before is known: older watches get 410. */
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

/** Without a clock nothing grows old. */
const FROZEN = { monotonic: () => 0 };
