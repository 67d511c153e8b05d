import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { Latch } from '../../kit/latch.ts';
import type { Logger } from '../../kit/logger.ts';
import { ThinnedErrors } from '../../kit/thinned-errors.ts';
import { CoalescingQueue, createBuffer, type HandlerItem, type HandlerQueue, SYNCED } from './handler-queue.ts';
import type { InformerNotification, NotificationSink } from './notification.ts';
import { ResyncSchedule } from './resync-schedule.ts';

/**
 * What happens when a handler is slower than the stream. `buffer`: everything waits, nobody else does. `block`: the informer stops reading
 * until the handler has caught up, so every other handler of it waits too. `coalesce`: only the latest state of each object waits.
 */
export type QueuePolicy = 'buffer' | 'block' | 'coalesce';

export interface ListenerOptions {
  policy: QueuePolicy;
  /** With `block`: the backlog from which the informer waits. */
  blockAt: number;
  /** Effective resync period, ms; 0 = never. */
  resyncMs: number;
  lanes: number;
  clock: Clock;
  logger: Logger;
  onError: (error: unknown) => void;
  /** A backlog at which a `buffer` handler is worth a warning. */
  warnAt: number;
}

/** A handler gives way to the rest of the process after so many callbacks … */
const SLICE = 1024;
/** … or after so many ms, which is looked at … */
const LONGEST_TURN_MS = 10;
/** … every so many callbacks. */
const LOOK_EVERY = 32;

/**
 * One handler's queue and its only caller: one notification at a time, in order, the next one only when the last one's promise has
 * settled. No two listeners wait for each other, unless one blocks.
 */
export class Listener<T> {
  readonly #sink: NotificationSink<T>;
  readonly #options: ListenerOptions;
  readonly #queue: HandlerQueue<T>;
  /** By lane: an informer over several namespaces has several sources of resyncs. */
  readonly schedules: readonly ResyncSchedule[];
  readonly #synced = new Latch();
  #draining: Promise<void> | undefined;
  #room: Latch | undefined;
  #closed = false;
  #warnAt: number;
  readonly #reports: ThinnedErrors;
  /** Callbacks that threw or rejected. */
  errors = 0;
  /** Notifications merged away by `coalesce`. */
  lost = 0;

  constructor(sink: NotificationSink<T>, options: ListenerOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#warnAt = options.warnAt;
    this.#reports = new ThinnedErrors(options.clock);
    const now = options.clock.monotonic();
    this.schedules = Array.from({ length: options.lanes }, () => new ResyncSchedule(options.resyncMs, now));
    this.#queue = options.policy === 'coalesce' ? new CoalescingQueue((count) => (this.lost += count)) : createBuffer();
  }

  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Resolves when the first state has been handled; rejects when this listener is closed before. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.isOpen ? Promise.resolve() : this.#synced.wait(signal);
  }

  get resyncMs(): number {
    return this.#options.resyncMs;
  }

  get depth(): number {
    return this.#queue.size;
  }

  /** The sequence number of the next notification that waits; 0 for an item without one, undefined when nothing waits. */
  get nextSequence(): number | undefined {
    const next = this.#queue.peek();
    if (next === undefined) return undefined;
    return next === SYNCED || next.kind === 'continuity' ? 0 : (next.sequence ?? 0);
  }

  push(item: HandlerItem<T>): void {
    if (this.#closed) return;
    this.#queue.push(item);
    if (this.#options.policy === 'buffer' && this.#queue.size >= this.#warnAt) this.#warn();
    this.#draining ??= this.#drain();
  }

  /** A promise while a blocking handler's backlog is too long; else undefined. */
  room(): Promise<void> | undefined {
    if (this.#options.policy !== 'block' || this.#closed || this.#queue.size < this.#options.blockAt) return undefined;
    this.#room ??= new Latch();
    return this.#room.wait();
  }

  /** Drops what waits. A callback that is running finishes; none begins any more. */
  close(): void {
    this.#closed = true;
    this.#queue.clear();
    this.#room?.open();
    this.#synced.fail(new InformerError('closed', 'the handler was removed, or its informer stopped, before it had synced'));
  }

  /** Resolves when no callback is running. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    await undefined; // whoever pushes has applied, and pushes, the whole batch first
    let turnBegan = this.#options.clock.monotonic();
    for (let count = 1; ; count++) {
      const item = this.#queue.shift();
      if (item === undefined) break;
      const pending = this.#deliver(item);
      if (pending) await pending;
      if (count % LOOK_EVERY === 0 && (count % SLICE === 0 || this.#options.clock.monotonic() - turnBegan >= LONGEST_TURN_MS)) {
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
      const result = this.#send(item);
      if (!(result instanceof Object && 'then' in result)) return undefined;
      return Promise.resolve(result).then(
        () => {},
        (error) => this.#failed(error, item),
      );
    } catch (error) {
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
