import type { Clock, Timer } from '../kit/clock.ts';
import { sleepOn, yieldToEventLoop } from '../kit/clock.ts';
import { Heap } from '../kit/heap.ts';

interface Due {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/**
 * A clock that moves only when a test moves it, with `tick` or `advance`. Timers fire in the order of their deadlines.
 * Timers with the same deadline fire in the order in which they were set.
 *
 * `tick` is synchronous: code that awaits a timer continues after `tick` has returned. `advance` waits after each timer
 * until the pending promise chains have settled. Such a chain may set more timers, and those due within the same
 * `advance` fire too.
 * @example
 * const clock = new FakeClock();
 * const queue = new WorkQueue({ clock });
 * queue.add('shop/web', { after: 60_000 });
 * await clock.advance(60_000); // the key is due now
 */
export class FakeClock implements Clock {
  #now: number;
  readonly #startedAt: number;
  #order = 0;
  readonly #due = new Heap<Due>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  #live = 0;

  /** `startMs` is the wall-clock time at the start, ms since 1970. Default: 2026-01-01T00:00:00Z. */
  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
    this.#startedAt = startMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#startedAt;
  }

  sleep(ms: number, options?: { signal?: AbortSignal | undefined }): Promise<void> {
    return sleepOn(this, ms, options?.signal);
  }

  after(ms: number, run: () => void): Timer {
    const due: Due = { at: this.#now + Math.max(0, ms), order: this.#order++, run };
    this.#due.push(due);
    this.#live++;
    const cancel = () => {
      if (due.run) this.#live--;
      due.run = undefined;
    };
    return { cancel, [Symbol.dispose]: cancel };
  }

  /**
   * The number of timers that are set and have neither fired nor been cancelled. It should be 0 at the end of a test.
   */
  get pending(): number {
    return this.#live;
  }

  /** The time until the next timer is due, ms; undefined when no timer is set. */
  get nextIn(): number | undefined {
    this.#dropCancelled();
    const next = this.#due.peek();
    return next && next.at - this.#now;
  }

  /** Lets the real event loop run once. The time of this clock does not change. */
  yield(): Promise<void> {
    return yieldToEventLoop();
  }

  /** Moves the time forward by `ms` and fires the timers that become due, without yielding. */
  tick(ms: number): void {
    const until = this.#now + ms;
    while (this.#fireNext(until));
    this.#now = until;
  }

  /** Moves the time forward by `ms`. After each timer that fires, and at the end, the pending promise chains settle. */
  async advance(ms: number): Promise<void> {
    await settled();
    const until = this.#now + ms;
    while (this.#fireNext(until)) await settled();
    this.#now = until;
    await settled();
  }

  #fireNext(until: number): boolean {
    this.#dropCancelled();
    const next = this.#due.peek();
    if (!next || next.at > until) return false;
    this.#due.pop();
    this.#now = next.at;
    const { run } = next;
    next.run = undefined;
    this.#live--;
    run?.();
    return true;
  }

  #dropCancelled(): void {
    while (this.#due.size > 0 && this.#due.peek()?.run === undefined) this.#due.pop();
  }
}

/** Resolves when the promise chains that need neither a timer nor a socket have settled. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 3; i++) await yieldToEventLoop();
}
