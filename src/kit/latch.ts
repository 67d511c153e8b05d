import { abortable } from './abort.ts';

/** Opens once and stays open. Waiting on an open latch resolves at once; a failed latch rejects every waiter, present and future. */
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
    this.#promise.catch(() => {}); // a latch nobody waits on must not end the process
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

  /** Resolves when open; rejects when failed, or with the signal's reason when that aborts first. */
  wait(signal?: AbortSignal): Promise<void> {
    return abortable(this.#promise, signal);
  }
}
