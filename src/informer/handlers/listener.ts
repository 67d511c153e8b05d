import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { Latch } from '../../kit/latch.ts';
import type { Logger } from '../../kit/logger.ts';
import { ThinnedErrors } from '../../kit/thinned-errors.ts';
import {
  BACKLOG_WARNING,
  CoalescingQueue,
  createBuffer,
  type HandlerItem,
  type HandlerQueue,
  SYNCED,
} from './handler-queue.ts';
import { HandlerResync } from './handler-resync.ts';
import type { InformerNotification, NotificationSink } from './notification.ts';

/**
 * The queue policy of a handler that is slower than the stream. `buffer`: its notifications wait, and no other handler
 * does. `block`: the informer stops reading until this handler has caught up, so its other handlers wait too.
 * `coalesce`: only the latest state of each object waits.
 */
export type QueuePolicy = 'buffer' | 'block' | 'coalesce';

export interface ListenerOptions {
  policy: QueuePolicy;
  /** With `block`: the backlog at which the informer waits. */
  blockAt: number;
  /** The effective resync period in ms; 0: never. */
  resyncMs: number;
  pipelines: number;
  clock: Clock;
  logger: Logger;
  onError: (error: unknown) => void;
  /** With `buffer`: the backlog at which a warning is logged. Default: {@link BACKLOG_WARNING}. */
  warnAt?: number;
}

/**
 * A handler yields to the event loop after at most SLICE callbacks, or after LONGEST_TURN_MS. The time is checked after
 * every LOOK_EVERY callbacks.
 */
const SLICE = 1024;
const LONGEST_TURN_MS = 10;
const LOOK_EVERY = 32;

/**
 * The queue of one handler, and the only caller of its callbacks.
 * Callbacks are called one at a time and in order, each when the promise of the one before has settled. Listeners do
 * not wait for each other, unless one has the policy `block`.
 */
export class Listener<T> {
  readonly #sink: NotificationSink<T>;
  readonly #options: ListenerOptions;
  readonly #queue: HandlerQueue<T>;
  /** One schedule for each pipeline, because an informer over several namespaces has several resync timers. */
  readonly schedules: readonly HandlerResync[];
  readonly #synced = new Latch();
  #draining: Promise<void> | undefined;
  #room: Latch | undefined;
  #closed = false;
  #warnAt: number;
  readonly #reports: ThinnedErrors;
  /** Whether a callback is being called: the caller of what reads this is its code, up to its first await. */
  isCalling = false;
  /** The number of callbacks that threw or rejected. */
  errors = 0;
  /** The number of notifications that `coalesce` merged away. */
  lost = 0;

  constructor(sink: NotificationSink<T>, options: ListenerOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#warnAt = options.warnAt ?? BACKLOG_WARNING;
    this.#reports = new ThinnedErrors(options.clock);
    const now = options.clock.monotonic();
    this.schedules = Array.from({ length: options.pipelines }, () => new HandlerResync(options.resyncMs, now));
    this.#queue = options.policy === 'coalesce' ? new CoalescingQueue((count) => (this.lost += count)) : createBuffer();
  }

  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Resolves when this handler has handled the initial list. Rejects when the listener is closed before that. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.isOpen ? Promise.resolve() : this.#synced.wait(signal);
  }

  get resyncMs(): number {
    return this.#options.resyncMs;
  }

  get depth(): number {
    return this.#queue.size;
  }

  /**
   * The sequence number of the next queued notification; 0 for an item without one, undefined when nothing is queued.
   */
  get nextSequence(): number | undefined {
    const next = this.#queue.peek();
    if (next === undefined) return undefined;
    const { sequence = 0 } = next as { readonly sequence?: number };
    return sequence;
  }

  push(item: HandlerItem<T>): void {
    if (this.#closed) return;
    this.#queue.push(item);
    if (this.#options.policy === 'buffer' && this.#queue.size >= this.#warnAt) this.#warn();
    this.#draining ??= this.#drain();
  }

  /** A promise while the backlog of a blocking handler is too long; undefined otherwise. */
  room(): Promise<void> | undefined {
    if (this.#options.policy !== 'block' || this.#closed || this.#queue.size < this.#options.blockAt) return undefined;
    this.#room ??= new Latch();
    return this.#room.wait();
  }

  /** Drops what is queued. A callback that is running finishes; no further one is called. */
  close(): void {
    this.#closed = true;
    this.#queue.clear();
    this.#room?.open();
    this.#synced.fail(
      new InformerError('closed', 'the handler was removed, or its informer stopped, before it had synced'),
    );
  }

  /** Resolves when no callback is running. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    await undefined; // the caller first pushes the whole batch, which the store already shows
    let turnBegan = this.#options.clock.monotonic();
    for (let count = 1; ; count++) {
      const item = this.#queue.shift();
      if (item === undefined) break;
      const pending = this.#deliver(item);
      if (pending) await pending;
      if (
        count % LOOK_EVERY === 0 &&
        (count % SLICE === 0 || this.#options.clock.monotonic() - turnBegan >= LONGEST_TURN_MS)
      ) {
        await this.#options.clock.yield();
        turnBegan = this.#options.clock.monotonic();
      }
      if (item === SYNCED) this.#synced.open();
      this.#makeRoom();
    }
    this.#draining = undefined;
  }

  #deliver(item: HandlerItem<T>): Promise<void> | undefined {
    try {
      this.isCalling = true;
      const result = this.#send(item);
      this.isCalling = false;
      if (!(result instanceof Object && 'then' in result)) return undefined;
      return Promise.resolve(result).then(
        () => {},
        (error) => this.#failed(error, item),
      );
    } catch (error) {
      this.isCalling = false;
      this.#failed(error, item);
      return undefined;
    }
  }

  #send(item: HandlerItem<T>): unknown {
    if (item === SYNCED) return this.#sink.synced();
    return item.kind === 'continuity' ? this.#sink.continuity?.(item.event) : this.#sink.notify(item);
  }

  #failed(error: unknown, item: HandlerItem<T>): void {
    this.errors++;
    const about: Partial<Pick<InformerNotification<T>, 'kind' | 'key'>> =
      item === SYNCED || item.kind === 'continuity' ? {} : { kind: item.kind, key: item.key };
    this.#reports.report(this.#options.logger, 'an informer handler failed', { ...about, error });
    this.#options.onError(error);
  }

  #makeRoom(): void {
    if (!this.#room || this.#queue.size * 2 > this.#options.blockAt) return;
    this.#room.open();
    this.#room = undefined;
  }

  #warn(): void {
    this.#options.logger.warn('an informer handler is behind', { backlog: this.#queue.size });
    this.#warnAt *= 2;
  }
}
