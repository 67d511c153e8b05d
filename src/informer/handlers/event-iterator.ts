import { Bell } from '../../kit/bell.ts';
import { Latch } from '../../kit/latch.ts';
import type { InformerNotification, NotificationSink } from './notification.ts';

/**
 * The events of `for await` over an informer: its notifications, and `synced` once, after the last object of the
 * initial list.
 */
export type InformerEvent<T> = InformerNotification<T> | { readonly kind: 'synced' };

export interface NotificationFeed<T> {
  /** Starts delivery. `closed` is called when no more notifications will come. */
  subscribe(sink: NotificationSink<T>, closed: () => void): { remove(): void };
}

/**
 * Iterates over the notifications of an informer.
 * The consumer sets the pace: while `limit` events wait for it, the handler's promise stays pending, and with the
 * policy `block` the informer stops reading. Starts at the first pull, with the cached objects. Ends with the signal,
 * with the informer, or when the consumer leaves the loop.
 */
export async function* eventsOf<T>(
  source: NotificationFeed<T>,
  limit: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<InformerEvent<T>, void, undefined> {
  const arrived = new Bell();
  let waiting: InformerEvent<T>[] = [];
  let taken = new Latch();
  let isOver = false;
  const take = (event: InformerEvent<T>): Promise<void> | undefined => {
    waiting.push(event);
    arrived.wake();
    return waiting.length >= limit ? taken.wait() : undefined;
  };
  const subscription = source.subscribe({ notify: take, synced: () => take({ kind: 'synced' }) }, () => {
    isOver = true;
    arrived.wake();
  });
  try {
    for (;;) {
      if (signal?.aborted) return;
      const batch = waiting;
      waiting = [];
      for (const event of batch) {
        if (signal?.aborted) return;
        yield event;
      }
      const released = taken;
      taken = new Latch();
      released.open();
      if (waiting.length > 0) continue;
      if (isOver) return;
      await arrived.wait(signal).catch(() => {}); // the loop checks for an abort
    }
  } finally {
    taken.open();
    subscription.remove();
  }
}
