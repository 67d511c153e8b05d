import { abortable } from './abort.ts';

/** Opens or fails once. A wait resolves when the latch is open, and rejects when it has failed, now or later. */
export class Latch {
  readonly #promise: Promise<void>;
  #open!: () => void;
  #fail!: (reason: unknown) => void;
  #state: 'shut' | 'open' | 'failed' = 'shut';

  constructor() {
    this.#promise = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#fail = reject;
    });
    this.#promise.catch(() => {}); // a failed latch without a waiter must not end the process
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  open(): void {
    if (this.#state !== 'shut') return;
    this.#state = 'open';
    this.#open();
  }

  fail(reason: unknown): void {
    if (this.#state !== 'shut') return;
    this.#state = 'failed';
    this.#fail(reason);
  }

  /** Resolves when open. Rejects when failed, or with the signal's reason if the signal aborts first. */
  wait(signal?: AbortSignal): Promise<void> {
    return abortable(this.#promise, signal);
  }
}
