import { Bell } from '../../kit/bell.ts';
import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { Ring } from '../../kit/ring.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import { Tombstone } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import type { InformerMetrics } from '../metrics.ts';
import type { OrderedContinuity } from '../watch/ledger.ts';
import type { ReflectorStore } from '../watch/reflector-store.ts';
import { type Delta, isObjectDelta } from './delta.ts';

/** Called with what was taken, oldest first. `isInInitialList`: it belongs to the first state and the queue is not synced yet. */
export type ProcessDeltas<T> = (deltas: readonly Delta<T>[], isInInitialList: boolean) => void | Promise<void>;

export interface DeltaFifoOptions<T> {
  keyOf?: (object: unknown) => ObjectKey;
  /** Applied once to each object on its way in, before anyone sees it; may change it in place. Tombstones are left alone. */
  transform?: ((object: T) => T) | undefined;
  /** Most deltas in one batch. Default 1000. */
  batchSize?: number;
  /** Backlog at which `room` makes the producer wait. Default twice the batch size. */
  highWater?: number;
  /** Called once, when the first state has been processed. */
  onSynced?: () => void;
  metrics?: InformerMetrics | undefined;
}

const KNOWN_OPTIONS = {
  keyOf: 'function',
  transform: 'function',
  batchSize: 'number',
  highWater: 'number',
  onSynced: 'function',
  metrics: true,
} satisfies KnownOptionsOf<DeltaFifoOptions<unknown>>;

/**
 * The ordered queue between a reflector and a store: where pull ends and push begins.
 *
 * Promises: deltas come out in the order they went in, uncompressed; a whole list is one entry; nothing is lost on close.
 * Does not promise: anything to two consumers at once, or that a delta whose processing threw is tried again.
 * Source: client-go tools/cache/the_real_fifo.go in atomic mode.
 */
export class DeltaFifo<T> implements ReflectorStore<T> {
  readonly #keyOf: (object: unknown) => ObjectKey;
  readonly #transform: ((object: T) => T) | undefined;
  readonly #batchSize: number;
  readonly #highWater: number;
  readonly #onSynced: () => void;
  readonly #metrics: InformerMetrics | undefined;
  readonly #items = new Ring<Delta<T>>();
  readonly #filled = new Bell();
  readonly #drained = new Bell();
  #populated = false;
  #synced = false;
  /** How many of the deltas at the head belong to the first state. */
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
    this.#onSynced = options.onSynced ?? (() => {});
    this.#metrics = options.metrics;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Whether nothing waits, and nothing that was taken is still being processed. */
  get isIdle(): boolean {
    return this.#items.size === 0 && !this.#isProcessing;
  }

  /** Whether the first state (a replace, or a change that came before any) has been processed. Never goes back. */
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

  /** Queued whether or not anybody knows the object. */
  delete(object: T | Tombstone<T>): void {
    this.#change('Deleted', object);
  }

  replace(objects: readonly T[], resourceVersion: ResourceVersion): void {
    let keys = objects.map((object) => this.#checkedKey(object));
    const transformed = this.#transform ? objects.map((object) => this.#transformed(object)) : objects;
    if (this.#transform) keys = transformed.map((object) => this.#checkedKey(object));
    this.#push({ type: 'ReplacedAll', objects: transformed, keys, resourceVersion });
    if (this.#populated) return;
    this.#populated = true;
    this.#initial = this.#items.size;
  }

  resync(): void {
    this.#push({ type: 'SyncAll' });
  }

  bookmark(resourceVersion: ResourceVersion): void {
    this.#push({ type: 'Bookmark', resourceVersion });
  }

  /** Keeps the place of a continuity event: taken behind every change that is queued now. Before the first state it has no place. */
  told(event: OrderedContinuity): void {
    if (this.#populated) this.#push({ type: 'Told', event });
  }

  /** Undefined while there is room; else a promise of it. Rejects when the signal aborts. */
  room(signal: AbortSignal): Promise<void> | undefined {
    return this.#items.size < this.#highWater || this.#closed ? undefined : this.#waitForRoom(signal);
  }

  /** No more waiting: what is queued can still be taken, then `pop` rejects. */
  close(): void {
    this.#closed = true;
    this.#filled.wake();
    this.#drained.wake();
  }

  /** Takes one delta, waiting for it. Rejects with `closed` when closed and empty, with the signal's reason, or with what `process` threw. */
  pop(process: ProcessDeltas<T>, options: { signal?: AbortSignal } = {}): Promise<void> {
    return this.#take(process, 1, options.signal);
  }

  /**
   * Takes as many deltas as may be applied together: up to the batch size, each of another key, none but changes of single objects (the
   * first state, being a list, is never in one batch with what follows). Otherwise like `pop`.
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
    if (this.#items.size * 2 <= this.#highWater) this.#drained.wake();
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
    if (most === 1 || !isObjectDelta(first) || first.key === undefined) return batch;
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
    this.#initial = 0;
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
      return undefined; // told when it is applied
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
