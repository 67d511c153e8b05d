/**
 * A wake-up for any number of waiters, without a value. `wake()` resolves all present waiters; a later waiter waits for
 * the next call. A waiter must check its condition again.
 */
export class Bell {
  #waiters: { wake: () => void }[] = [];

  wake(): void {
    const waiters = this.#waiters;
    if (waiters.length === 0) return;
    this.#waiters = [];
    for (const waiter of waiters) waiter.wake();
  }

  /** Resolves at the next `wake()`. Rejects with the signal's reason if the signal aborts first. Leaves no listener. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const aborted = () => {
        this.#waiters = this.#waiters.filter((w) => w !== waiter);
        reject(signal?.reason);
      };
      const waiter = {
        wake: () => {
          signal?.removeEventListener('abort', aborted);
          resolve();
        },
      };
      this.#waiters.push(waiter);
      signal?.addEventListener('abort', aborted, { once: true });
    });
  }
}
