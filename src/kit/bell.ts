/**
 * A wake-up that many may await and that carries nothing: `wake()` resolves every waiter present.
 * A waiter that comes later waits for the next one. Re-check your condition after waking.
 */
export class Bell {
  #waiters: { wake: () => void }[] = [];

  wake(): void {
    const waiters = this.#waiters;
    if (waiters.length === 0) return;
    this.#waiters = [];
    for (const waiter of waiters) waiter.wake();
  }

  /** Resolves at the next `wake()`; rejects with the signal's reason if that aborts first. Leaves no listener behind. */
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
