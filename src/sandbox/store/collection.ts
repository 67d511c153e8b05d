import type { EventLog, StoreEvent } from './event-log.ts';
import type { StoredObject } from './stored-object.ts';

/** The part of a collection that a list returns: keys that start with `prefix`, beginning at `from`. */
export interface KeyRange {
  readonly prefix: string;
  readonly from?: string | undefined;
}

/** The objects of one resource and their latest changes. Only the store writes to it. */
export class Collection {
  readonly id: string;
  readonly log: EventLog;
  readonly #objects = new Map<string, StoredObject>();
  /** In the byte order of `namespace/name`, as etcd lists them. */
  readonly #keys: string[] = [];
  /**
   * New keys that are not in `#keys` yet. They are inserted together, because single inserts are slow while many
   * objects are loaded.
   */
  #added: string[] = [];
  readonly #watchers = new Set<() => void>();
  #closed = false;
  readonly #retired = new WeakSet<object>();

  constructor(id: string, log: EventLog) {
    this.id = id;
    this.log = log;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** True when the type is no longer served. Open watches end then. */
  get closed(): boolean {
    return this.#closed;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  values(): Iterable<StoredObject> {
    return this.#objects.values();
  }

  /**
   * The objects of a range, in key order, as they were at a revision. The revision must not be older than the
   * compaction mark.
   */
  list({ prefix, from = prefix }: KeyRange, revision: number): StoredObject[] {
    this.#placeKeys();
    const start = lowerBound(this.#keys, from > prefix ? from : prefix);
    const undone = this.#changesSince(revision);
    if (undone.size === 0) return this.#run(start, prefix);
    return this.#runBefore(start, prefix, from, undone);
  }

  apply(event: StoreEvent): void {
    const { key } = event.object;
    if (event.type === 'DELETED') {
      this.#placeKeys();
      this.#objects.delete(key);
      this.#keys.splice(lowerBound(this.#keys, key), 1);
    } else {
      if (event.type === 'ADDED') this.#insertKey(key);
      this.#objects.set(key, event.object);
    }
    this.log.push(event);
    this.#wakeWatchers();
  }

  /** Replaces an object by the same state read through another definition: no event, no new revision. */
  replace(object: StoredObject): void {
    this.#objects.set(object.key, object);
  }

  close(): void {
    this.#closed = true;
    this.#wakeWatchers();
  }

  /**
   * Ends the watches that were opened for these types, because their objects are now served in another way or in
   * another version.
   */
  retire(types: readonly object[]): void {
    for (const type of types) this.#retired.add(type);
    this.#wakeWatchers();
  }

  isRetired(type: object): boolean {
    return this.#retired.has(type);
  }

  /** Calls `wake` after every change and when the collection closes, until disposed. */
  onChange(wake: () => void): Disposable {
    this.#watchers.add(wake);
    return { [Symbol.dispose]: () => this.#watchers.delete(wake) };
  }

  #wakeWatchers(): void {
    for (const wake of this.#watchers) wake();
  }

  #insertKey(key: string): void {
    const last = this.#keys.at(-1);
    if (this.#added.length === 0 && (last === undefined || last < key)) this.#keys.push(key);
    else this.#added.push(key);
  }

  #placeKeys(): void {
    if (this.#added.length === 0) return;
    if (this.#added.length > MANY) {
      for (const key of this.#added) this.#keys.push(key);
      this.#keys.sort();
    } else for (const key of this.#added) this.#keys.splice(lowerBound(this.#keys, key), 0, key);
    this.#added = [];
  }

  #run(start: number, prefix: string): StoredObject[] {
    const found: StoredObject[] = [];
    for (let i = start; i < this.#keys.length; i++) {
      const key = this.#keys[i] as string;
      if (!key.startsWith(prefix)) break;
      found.push(this.#objects.get(key) as StoredObject);
    }
    return found;
  }

  #runBefore(
    start: number,
    prefix: string,
    from: string,
    undone: Map<string, StoredObject | undefined>,
  ): StoredObject[] {
    const found = this.#run(start, prefix).filter((o) => !undone.has(o.key));
    for (const [key, object] of undone) if (object && key.startsWith(prefix) && key >= from) found.push(object);
    return found.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** The state at a revision of each key that changed later; undefined for a key that did not exist. */
  #changesSince(revision: number): Map<string, StoredObject | undefined> {
    const states = new Map<string, StoredObject | undefined>();
    const first = this.log.after(revision);
    for (let at = this.log.next - 1; at >= first; at--) {
      const event = this.log.at(at) as StoreEvent;
      states.set(event.object.key, event.previous);
    }
    return states;
  }
}

/** More new keys than this are placed faster by sorting all keys. */
const MANY = 100;

/** The first index whose key is not less than `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
