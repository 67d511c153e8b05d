import { Bell } from '../../kit/bell.ts';
import type { Cluster } from '../cluster.ts';
import { Collection } from '../store/collection.ts';
import { EventLog, StoreEvent } from '../store/event-log.ts';
import { StoredObject } from '../store/stored-object.ts';
import type { ApiType } from '../types/api-type.ts';
import type { Converter } from './converter.ts';

/** How long after a failed conversion it is tried again. Source: apiserver storage/cacher, as a 1.36 does. */
const RETRY_MS = 100;

/** At most this many objects are converted at once when a cache begins. */
const AT_ONCE = 32;

/** The changes that a cache keeps. Source: apiserver storage/cacher defaultUpperBoundCapacity is more; a test needs few. */
const HISTORY = 10_000;

/**
 * The objects of a collection in one version, as lists and watches of it show them: a copy that follows the collection,
 * as the watch cache of a real server does. Each state is converted once. While the webhook fails, the copy stays as it
 * is, watches of it stay open and silent, and the conversion is tried again.
 */
export class VersionCache implements Disposable {
  readonly #cluster: Cluster;
  readonly #converter: Converter;
  readonly #type: ApiType;
  readonly #source: Collection;
  readonly #moved = new Bell();
  readonly #wake = new Bell();
  readonly #over = new AbortController();
  readonly #changes: Disposable;
  /** The objects in the version, and their changes since the cache began. */
  readonly collection: Collection;
  #revision = 0;
  #began = 0;
  #failure: unknown;

  constructor(cluster: Cluster, converter: Converter, type: ApiType) {
    this.#cluster = cluster;
    this.#converter = converter;
    this.#type = type;
    this.#source = cluster.store.collection(type.storage);
    const floor = () => Math.max(this.#began, this.#source.log.compacted);
    this.collection = new Collection(type.storage, new EventLog({ capacity: HISTORY, floor }));
    this.#changes = this.#source.onChange(() => this.#wake.wake());
    void this.#follow();
  }

  /** The revision whose state the cache shows. */
  get revision(): number {
    return this.#revision;
  }

  /** The oldest revision whose state the cache can show. */
  get began(): number {
    return this.#began;
  }

  /** The error of the latest conversion; undefined when it went well. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Whether its type is no longer served in this way. */
  get isOver(): boolean {
    return this.#over.signal.aborted || this.#source.closed || this.#source.isRetired(this.#type);
  }

  /** Resolves when the cache shows a revision or a later one; rejects with the reason of the signal. */
  async reached(revision: number, signal: AbortSignal): Promise<void> {
    this.#wake.wake(); // it may be idle since other collections were written
    while (this.#revision < revision) await this.#moved.wait(signal);
  }

  /** Forgets what the collection has forgotten. */
  compact(): void {
    this.collection.log.compact(Math.max(this.#began, this.#source.log.compacted));
  }

  [Symbol.dispose](): void {
    this.#over.abort();
    this.#changes[Symbol.dispose]();
    this.#wake.wake();
  }

  async #follow(): Promise<void> {
    const { log } = this.#source;
    let next = log.next;
    const { revision } = this.#cluster.store;
    const states = [...this.#source.values()];
    for (let at = 0; at < states.length; at += AT_ONCE) {
      const some = await Promise.all(states.slice(at, at + AT_ONCE).map((state) => this.#converted(state)));
      for (const state of some) this.collection.apply(new StoreEvent('ADDED', state, undefined));
    }
    this.#began = revision;
    this.compact();
    this.#reach(revision);
    while (!this.isOver) {
      const event = next < log.first ? undefined : log.at(next);
      if (next < log.first) break; // it cannot know what it missed
      if (!event) {
        this.#reach(this.#cluster.store.revision);
        await this.#wake.wait();
        continue;
      }
      await this.#take(event);
      next++;
      this.#reach(next === log.next ? this.#cluster.store.revision : event.revision);
    }
    this[Symbol.dispose]();
    this.collection.close();
  }

  async #take({ type, object, revision }: StoreEvent): Promise<void> {
    const before = this.collection.get(object.key);
    const state = await this.#converted(object);
    this.collection.apply(new StoreEvent(type, new StoredObject(object.key, state.object, revision), before));
  }

  async #converted(state: StoredObject): Promise<StoredObject> {
    const { signal } = this.#over;
    for (;;) {
      if (this.isOver) return state;
      try {
        const object = await this.#converter.convert(this.#type, state.object, signal);
        this.#failure = undefined;
        return new StoredObject(state.key, object, state.revision);
      } catch (error) {
        this.#failure = error;
        await this.#cluster.clock.sleep(RETRY_MS, { signal }).catch(() => {});
      }
    }
  }

  #reach(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    this.#moved.wake();
  }
}
