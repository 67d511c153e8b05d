import type { Clock } from '../../kit/clock.ts';
import { hasMetadata } from '../../model/object.ts';
import type { OrderedContinuity } from '../watch/continuity-ledger.ts';
import { SYNCED } from './handler-queue.ts';
import type { Listener } from './listener.ts';
import type { InformerNotification } from './notification.ts';

/** Distributes notifications to the listeners, and keeps their resync schedules. */
export class Processor<T> {
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener<T>>();
  /** Resolves when no callback of a listener that was removed so far is running. */
  #left: Promise<void> = Promise.resolve();
  /** The gaps and outages that no later event has closed, by scope. A late listener gets them too. */
  readonly #open = new Map<string, OrderedContinuity>();
  #synced = false;
  /** The number of notifications distributed so far. */
  #sequence = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#listeners.size;
  }

  get listeners(): Iterable<Listener<T>> {
    return this.#listeners;
  }

  has(listener: Listener<T>): boolean {
    return this.#listeners.has(listener);
  }

  /**
   * Adds a listener. It first gets the cached objects, as its initial list, before any other notification. Then it gets
   * the gaps and outages that no event has closed yet, because the cached objects may be out of date.
   */
  add(listener: Listener<T>, replay: Iterable<InformerNotification<T>>): void {
    this.#listeners.add(listener);
    for (const notification of replay) listener.push(placed(notification, this.#sequence));
    if (this.#synced) listener.push(SYNCED);
    for (const event of this.#open.values()) listener.push({ kind: 'continuity', event });
  }

  remove(listener: Listener<T>): boolean {
    if (!this.#listeners.delete(listener)) return false;
    listener.close();
    const before = this.#left;
    this.#left = listener.idle().then(() => before);
    return true;
  }

  /**
   * Queues notifications to the listeners. The resync check of `pipeline` decides who gets updates that changed nothing.
   */
  distribute(notifications: readonly InformerNotification<T>[], pipeline: number): void {
    if (notifications.length === 0) return;
    for (const notification of notifications) placed(notification, ++this.#sequence);
    for (const listener of this.#listeners) {
      const takesUnchanged = listener.schedules[pipeline]?.isDue !== false;
      for (const notification of notifications) {
        if (takesUnchanged || !isUnchanged(notification)) listener.push(notification);
      }
    }
  }

  /** Queues the end of the initial list to every listener. */
  markSynced(): void {
    this.#synced = true;
    for (const listener of this.#listeners) listener.push(SYNCED);
  }

  /** Queues a continuity event to every listener. */
  continuity(event: OrderedContinuity): void {
    const { kind, scope = '' } = event;
    if (kind === 'gap' || kind === 'disconnected') this.#open.set(`${kind} ${scope}`, event);
    else this.#open.delete(`${kind === 'relisted' ? 'gap' : 'disconnected'} ${scope}`);
    for (const listener of this.#listeners) listener.push({ kind: 'continuity', event });
  }

  /** A promise while a blocking listener is too far behind; undefined otherwise. */
  room(): Promise<unknown> | undefined {
    const waits: Promise<void>[] = [];
    for (const listener of this.#listeners) {
      const room = listener.room();
      if (room) waits.push(room);
    }
    return waits.length > 0 ? Promise.all(waits) : undefined;
  }

  /** Determines which listeners are due at a resync check. Returns whether any is. */
  shouldResync(pipeline: number): boolean {
    const now = this.#clock.monotonic();
    let isAnyDue = false;
    for (const listener of this.#listeners) if (listener.schedules[pipeline]?.check(now)) isAnyDue = true;
    return isAnyDue;
  }

  close(): void {
    for (const listener of [...this.#listeners]) this.remove(listener);
  }

  /** Resolves when no callback of a removed listener is running. */
  idle(): Promise<void> {
    return this.#left;
  }
}

/** Sets the place of a notification. No copy is needed, because it is set before any listener has the notification. */
function placed<T>(notification: InformerNotification<T>, sequence: number): InformerNotification<T> {
  (notification as { sequence: number }).sequence = sequence;
  return notification;
}

/** Whether an update is between two states of one version: a list or a resync that found nothing new. */
function isUnchanged<T>(notification: InformerNotification<T>): boolean {
  if (notification.kind !== 'updated') return false;
  const { object, oldObject } = notification;
  if ((object as unknown) === oldObject) return true;
  return (
    hasMetadata(object) &&
    hasMetadata(oldObject) &&
    object.metadata.resourceVersion === oldObject.metadata.resourceVersion
  );
}
