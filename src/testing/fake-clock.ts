import type { Clock, Timer } from '../kit/clock.ts';
import { sleepOn, yieldToEventLoop } from '../kit/clock.ts';
import { Heap } from '../kit/heap.ts';

interface Due {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/**
 * A clock that stands still until told to move. Timers fire in order of their deadline, equal ones in the order they were set.
 *
 * `tick` is synchronous: code that awaits goes on later. `advance` lets every promise chain settle after each timer, so that what a
 * timer started may set further timers within the same span.
 */
export class FakeClock implements Clock {
  #now: number;
  readonly #startedAt: number;
  #order = 0;
  readonly #due = new Heap<Due>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  #live = 0;

  /** Starts at the given wall-clock time, 2026-01-01T00:00:00Z unless said. */
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

  /** How many timers wait. A finished run should leave none. */
  get pending(): number {
    return this.#live;
  }

  /** When the next timer is due, in ms from now; undefined when none waits. */
  get nextIn(): number | undefined {
    this.#dropCancelled();
    const next = this.#due.peek();
    return next && next.at - this.#now;
  }

  /** Gives way to the real event loop: it takes none of this clock's time. */
  yield(): Promise<void> {
    return yieldToEventLoop();
  }

  /** Moves on by `ms`, firing what is due on the way, without yielding. */
  tick(ms: number): void {
    const until = this.#now + ms;
    while (this.#fireNext(until));
    this.#now = until;
  }

  /** Moves on by `ms`; after each timer that fires, and at the end, every pending promise chain settles. */
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

/** Resolves when the promise chains that can go on without a timer or a socket have done so. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 3; i++) await yieldToEventLoop();
}
