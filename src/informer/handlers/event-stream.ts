import { Bell } from '../../kit/bell.ts';
import { Latch } from '../../kit/latch.ts';
import type { InformerNotification, NotificationSink } from './notification.ts';

/** What `for await` over an informer yields: its notifications, and once `synced`, behind the last one of the first state. */
export type InformerEvent<T> = InformerNotification<T> | { readonly kind: 'synced' };

export interface NotificationFeed<T> {
  /** Begins to deliver; `closed` is called when no more will come. */
  subscribe(sink: NotificationSink<T>, closed: () => void): { remove(): void };
}

/**
 * Pulls notifications one by one. The consumer sets the pace: when `limit` wait for it, the handler's promise stays open and, with policy
 * `block`, the informer stops reading. Begins at the first pull, with the cached state; ends with the signal, with the informer, or when left.
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
      await arrived.wait(signal).catch(() => {}); // an abort is seen at the top
    }
  } finally {
    taken.open();
    subscription.remove();
  }
}
