import { Bell } from '../../kit/bell.ts';
import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { Ring } from '../../kit/ring.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import { Tombstone } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import type { OrderedContinuity } from '../watch/continuity-ledger.ts';
import type { ReflectorStore } from '../watch/reflector-store.ts';

/** One change to one object. `key` is undefined when the transform has removed the object's name. */
export interface ObjectDelta<T> {
  readonly type: 'Added' | 'Updated' | 'Deleted';
  readonly object: T | Tombstone<T>;
  readonly key: ObjectKey | undefined;
}

/**
 * An entry of the queue between the reflector and the store. `ReplacedAll` is a whole list. `Merged` is a list of
 * what has become a part of the collection; what it does not keep has left it. `SyncAll` asks for a
 * notification of every stored object. `Bookmark` sets the store's version. `Continuity` is a continuity event, in its
 * place among the changes.
 * Source: client-go tools/cache/delta_fifo.go; Sync and Replaced belong to the non-atomic queue.
 */
export type Delta<T> =
  | ObjectDelta<T>
  | {
      readonly type: 'ReplacedAll';
      readonly objects: readonly T[];
      /** The keys of the objects, when they are known. */
      readonly keys?: readonly ObjectKey[];
      readonly resourceVersion: ResourceVersion;
      /** Whether an earlier run has stored the list. */
      readonly isStored?: boolean;
    }
  | {
      readonly type: 'Merged';
      readonly objects: readonly T[];
      readonly keeps: (object: T) => boolean;
      readonly resourceVersion: ResourceVersion;
    }
  | { readonly type: 'SyncAll' }
  | { readonly type: 'Bookmark'; readonly resourceVersion: ResourceVersion }
  | { readonly type: 'Continuity'; readonly event: OrderedContinuity };

export function isObjectDelta<T>(delta: Delta<T>): delta is ObjectDelta<T> {
  return delta.type === 'Added' || delta.type === 'Updated' || delta.type === 'Deleted';
}

/**
 * The key of an object, a tombstone, a delta, or a list of deltas (its newest). Throws `store` for an empty list and
 * for a value without a key.
 */
export function keyOfDeltas(value: unknown): ObjectKey {
  if (Array.isArray(value)) {
    if (value.length === 0) throw new InformerError('store', '0 length Deltas object; cannot get key');
    return keyOfDeltas(value[value.length - 1]);
  }
  return isDelta(value) ? keyOf(value.object) : keyOf(value);
}

function isDelta(value: unknown): value is ObjectDelta<unknown> {
  return typeof value === 'object' && value !== null && 'type' in value && 'object' in value && !('metadata' in value);
}

/**
 * Called with the deltas that were taken, oldest first. `isInInitialList`: they belong to the initial list, and the
 * queue has not synced yet.
 */
export type ProcessDeltas<T> = (deltas: readonly Delta<T>[], isInInitialList: boolean) => void | Promise<void>;

/** Options of {@link DeltaFifo}. */
export interface DeltaFifoOptions<T> {
  keyOf?: (object: unknown) => ObjectKey;
  /** Called once for each object before it is queued; may change it in place. Not called for tombstones. */
  transform?: ((object: T) => T) | undefined;
  /** @internal Takes the objects of a list as they arrive, and gives what is queued in their place. They are not checked then. */
  arrivals?:
    | { begin(): void; end(): void; take(object: T, bytes?: Uint8Array): T; isPacked(object: T): boolean }
    | undefined;
  /** The largest number of deltas in one batch. Default 1000. */
  batchSize?: number;
  /** The number of queued deltas at which `room` makes the producer wait. Default twice the batch size. */
  highWater?: number;
  /** Called once, when the initial list has been processed. */
  onSynced?: () => void;
  /** `queued` is called with the number of deltas in the queue, after a push or a pop. */
  metrics?: { queued?(depth: number): void } | undefined;
}

const KNOWN_OPTIONS = {
  keyOf: 'function',
  transform: 'function',
  arrivals: true,
  batchSize: 'number',
  highWater: 'number',
  onSynced: 'function',
  metrics: 'object',
} satisfies KnownOptionsOf<DeltaFifoOptions<unknown>>;

/**
 * The ordered queue between a reflector and a store. The producer pulls from the server; behind the queue, changes are
 * pushed.
 * Promises: deltas come out in the order they went in, and none are merged. A whole list is one entry. Nothing is lost
 * on close.
 * Does not promise: anything to two consumers at once, or that a delta whose processing threw is tried again.
 * Source: client-go tools/cache/the_real_fifo.go in atomic mode.
 */
export class DeltaFifo<T> implements ReflectorStore<T>, Disposable {
  readonly #keyOf: (object: unknown) => ObjectKey;
  readonly #transform: ((object: T) => T) | undefined;
  readonly #arrivals: DeltaFifoOptions<T>['arrivals'];
  readonly #batchSize: number;
  readonly #highWater: number;
  readonly #onSynced: () => void;
  readonly #metrics: DeltaFifoOptions<T>['metrics'];
  readonly #items = new Ring<Delta<T>>();
  readonly #filled = new Bell();
  readonly #drained = new Bell();
  #populated = false;
  #synced = false;
  /** The number of deltas at the head that belong to the initial list. */
  #initial = 0;
  #closed = false;
  #isProcessing = false;

  constructor(options: DeltaFifoOptions<T> = {}) {
    checkOptions('DeltaFifo', options, KNOWN_OPTIONS);
    this.#batchSize = options.batchSize ?? 1000;
    this.#highWater = options.highWater ?? 2 * this.#batchSize;
    for (const [name, value] of [['batchSize', this.#batchSize] as const, ['highWater', this.#highWater] as const]) {
      if (!(value >= 1)) throw new InformerError('argument', `${name} must be at least 1, not ${value}`);
    }
    this.#keyOf = options.keyOf ?? keyOf;
    this.#transform = options.transform;
    this.#arrivals = options.arrivals;
    this.#onSynced = options.onSynced ?? (() => {});
    this.#metrics = options.metrics;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Whether no delta is queued and none that was taken is still being processed. */
  get isIdle(): boolean {
    return this.#items.size === 0 && !this.#isProcessing;
  }

  /**
   * Whether the initial list (a replace, or a change that came before any replace) has been processed. Never turns
   * false again.
   */
  get hasSynced(): boolean {
    return this.#synced;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  add(object: T): void {
    this.#change('Added', object);
  }

  update(object: T): void {
    this.#change('Updated', object);
  }

  /** Queues a deletion, also of an object that is not stored. */
  delete(object: T | Tombstone<T>): void {
    this.#change('Deleted', object);
  }

  arriving(): void {
    this.#arrivals?.begin();
  }

  arrived(object: T, bytes?: Uint8Array): T {
    return this.#arrivals ? this.#arrivals.take(object, bytes) : object;
  }

  replace(objects: readonly T[], resourceVersion: ResourceVersion): void {
    const arrivals = this.#arrivals;
    if (arrivals) {
      const prepared = objects.map((object) => (arrivals.isPacked(object) ? object : this.#prepared(object)));
      this.#pushState({ type: 'ReplacedAll', objects: prepared, resourceVersion });
      arrivals.end();
      return;
    }
    let keys = objects.map((object) => this.#checkedKey(object));
    const transformed = this.#transform ? objects.map((object) => this.#transformed(object)) : objects;
    if (this.#transform) keys = transformed.map((object) => this.#checkedKey(object));
    this.#pushState({ type: 'ReplacedAll', objects: transformed, keys, resourceVersion });
  }

  #prepared(object: T): T {
    this.#checkedKey(object);
    const prepared = this.#transform ? this.#transformed(object) : object;
    this.#checkedKey(prepared);
    return prepared;
  }

  #pushState(state: Delta<T> & { type: 'ReplacedAll' }): void {
    this.#push(state);
    if (this.#populated) return;
    this.#populated = true;
    this.#initial = this.#items.size;
  }

  merge(objects: readonly T[], keeps: (object: T) => boolean, resourceVersion: ResourceVersion): void {
    const arrivals = this.#arrivals;
    const prepared = objects.map((object) => (arrivals?.isPacked(object) ? object : this.#prepared(object)));
    this.#push({ type: 'Merged', objects: prepared, keeps, resourceVersion });
    arrivals?.end();
  }

  /** As `replace`, with objects that were transformed in an earlier run. */
  restore(objects: readonly T[], resourceVersion: ResourceVersion): void {
    const keys = objects.map((object) => this.#checkedKey(object));
    this.#pushState({ type: 'ReplacedAll', objects, keys, resourceVersion, isStored: true });
  }

  resync(): void {
    this.#push({ type: 'SyncAll' });
  }

  bookmark(resourceVersion: ResourceVersion): void {
    this.#push({ type: 'Bookmark', resourceVersion });
  }

  /**
   * Queues a continuity event, to be taken after every change that is queued now. Ignored before the initial list,
   * where there is nothing to be continuous with.
   */
  continuity(event: OrderedContinuity): void {
    if (this.#populated) this.#push({ type: 'Continuity', event });
  }

  /** Undefined while there is room; otherwise a promise that resolves when there is. Rejects when the signal aborts. */
  room(signal: AbortSignal): Promise<void> | undefined {
    return this.#items.size < this.#highWater || this.#closed ? undefined : this.#waitForRoom(signal);
  }

  /** Ends all waiting. Deltas in the queue can still be taken; after the last one `pop` rejects. */
  close(): void {
    this.#closed = true;
    this.#filled.wake();
    this.#drained.wake();
  }

  /** {@link close}: what `using` calls. */
  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * Waits for a delta and takes it. Rejects with `closed` when the queue is closed and empty, with the signal's reason,
   * or with what `process` threw.
   */
  pop(process: ProcessDeltas<T>, options: { signal?: AbortSignal } = {}): Promise<void> {
    return this.#take(process, 1, options.signal);
  }

  /**
   * Takes the deltas that may be applied together: at most the batch size, each of another key, and only changes of
   * single objects. The initial list is an entry of its own, so it is never in a batch with later changes. Otherwise
   * like `pop`.
   */
  popBatch(process: ProcessDeltas<T>, options: { signal?: AbortSignal } = {}): Promise<void> {
    return this.#take(process, this.#batchSize, options.signal);
  }

  async #take(process: ProcessDeltas<T>, most: number, signal: AbortSignal | undefined): Promise<void> {
    while (this.#items.size === 0) {
      if (this.#closed) throw new InformerError('closed', 'the delta queue is closed');
      await this.#filled.wait(signal);
    }
    const isInInitialList = !this.#synced;
    const batch = this.#batch(most);
    this.#metrics?.queued?.(this.#items.size);
    this.#drained.wake();
    try {
      this.#isProcessing = true;
      await process(batch, isInInitialList);
    } finally {
      this.#isProcessing = false;
      this.#processed(batch.length);
    }
  }

  #batch(most: number): Delta<T>[] {
    const first = this.#items.shift() as Delta<T>;
    const batch = [first];
    if (!isObjectDelta(first) || first.key === undefined) return batch;
    const keys = new Set([first.key]);
    while (batch.length < most) {
      const next = this.#items.at(0);
      if (!next || !isObjectDelta(next) || (next.key !== undefined && keys.has(next.key))) break;
      batch.push(next);
      this.#items.shift();
      if (next.key === undefined) break;
      keys.add(next.key);
    }
    return batch;
  }

  #processed(count: number): void {
    if (this.#synced) return;
    this.#initial -= count;
    if (this.#initial <= 0) this.#latch();
  }

  #latch(): void {
    this.#synced = true;
    this.#onSynced();
  }

  #change(type: 'Added' | 'Updated' | 'Deleted', object: T | Tombstone<T>): void {
    if (!this.#populated) {
      this.#populated = true;
      this.#latch();
    }
    let key: ObjectKey | undefined = this.#checkedKey(object);
    let kept = object;
    if (this.#transform && !(object instanceof Tombstone)) {
      kept = this.#transformed(object);
      key = this.#keyOrNone(kept);
    }
    this.#push({ type, object: kept, key });
  }

  #push(delta: Delta<T>): void {
    this.#items.push(delta);
    this.#metrics?.queued?.(this.#items.size);
    this.#filled.wake();
  }

  #checkedKey(object: unknown): ObjectKey {
    try {
      return this.#keyOf(object);
    } catch (error) {
      throw new InformerError('store', `couldn't create key for object: ${messageOf(error)}`, { cause: error });
    }
  }

  #keyOrNone(object: unknown): ObjectKey | undefined {
    try {
      return this.#keyOf(object);
    } catch {
      return undefined; // reported when it is applied
    }
  }

  #transformed(object: T): T {
    try {
      return (this.#transform as (object: T) => T)(object);
    } catch (error) {
      if (isInformerError(error)) throw error;
      throw new InformerError('store', `transforming: ${messageOf(error)}`, { cause: error });
    }
  }

  async #waitForRoom(signal: AbortSignal): Promise<void> {
    while (!this.#closed && this.#items.size * 2 > this.#highWater) await this.#drained.wait(signal);
  }
}
