import { onAbort } from '../kit/abort.ts';
import { Bell } from '../kit/bell.ts';
import type { Clock } from '../kit/clock.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { checkArgument, checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import type { MetricsProvider } from '../kit/metrics.ts';
import { DelayLine } from './delay-line.ts';
import { type LinePlace, PriorityLine } from './priority-line.ts';
import { QueueMetrics } from './queue-metrics.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { createControllerRateLimiter } from './rate-limiter.ts';

/**
 * The priority of keys that come from an initial list or a resync. Source: controller-runtime pkg/handler LowPriority.
 */
export const LOW_PRIORITY = -100;

/** Options of {@link WorkQueue}. */
export interface WorkQueueOptions {
  /** The name in its metrics. A queue without a name publishes none. */
  name?: string | undefined;
  clock?: Clock | undefined;
  /** Decides the delays of `limited` adds. Default: {@link createControllerRateLimiter}. */
  rateLimiter?: RateLimiter | undefined;
  metrics?: MetricsProvider | undefined;
  /** A key that has waited this long behind higher priorities is aged, ms. Default 10,000. */
  agedAfterMs?: number | undefined;
  /**
   * While aged keys wait, every `agedShare`-th take serves one of them before higher priorities. At least 1. Default 5.
   */
  agedShare?: number | undefined;
  /** Called when a key is added that is already in line. */
  onTouch?: ((key: string) => void) | undefined;
}

/** Options of {@link WorkQueue.add}. */
export interface AddOptions {
  /** The shortest delay, ms. Zero or less means now. */
  after?: number | undefined;
  /** Delays the key as the rate limiter decides, and counts a failure. With `after` too, the shorter delay counts. */
  limited?: boolean | undefined;
  /** A higher priority is served first. Default 0. Use {@link LOW_PRIORITY} for keys of an initial list or a resync. */
  priority?: number | undefined;
}

/** Options of {@link WorkQueue.shutDown}. */
export interface ShutDownOptions {
  /** Whether waiting keys are dropped instead of being handed out. Default false. */
  abandon?: boolean | undefined;
}

const KNOWN_OPTIONS = {
  name: true,
  clock: 'clock',
  rateLimiter: 'rateLimiter',
  metrics: 'metrics',
  agedAfterMs: 'number',
  agedShare: 'number',
  onTouch: 'function',
} satisfies KnownOptionsOf<WorkQueueOptions>;
const KNOWN_ADD_OPTIONS = {
  after: 'number',
  limited: 'boolean',
  priority: 'number',
} satisfies KnownOptionsOf<AddOptions>;
const NO_OPTIONS: AddOptions = {};
const KNOWN_END_OPTIONS = { abandon: 'boolean' } satisfies KnownOptionsOf<ShutDownOptions>;

/** The content of the queue at one moment, for people and debug endpoints. Times in ms. */
export interface QueueSnapshot {
  /** In the order in which they are served, without regard to ageing. `waitedMs` counts from the first add. */
  readonly queued: readonly { key: string; priority: number; waitedMs: number }[];
  /** In the order in which they were taken. */
  readonly processing: readonly { key: string; priority: number; heldMs: number; isDirty: boolean }[];
  readonly delayed: readonly { key: string; priority: number; dueInMs: number }[];
}

/** Where a key is. `runs-again`: it is being processed, and was added since. */
export type KeyPlace = 'queued' | 'delayed' | 'processing' | 'runs-again';

/** A key that is being processed. No other worker gets it until this is disposed; disposing twice does nothing more. */
export class WorkItem implements Disposable {
  readonly key: string;
  readonly priority: number;
  /** The time from the first add to the take, ms. */
  readonly waitedMs: number;
  readonly #entry: Entry;
  readonly #release: (entry: Entry, item: WorkItem) => void;

  constructor(entry: Entry, waitedMs: number, release: (entry: Entry, item: WorkItem) => void) {
    this.key = entry.key;
    this.priority = entry.priority;
    this.waitedMs = waitedMs;
    this.#entry = entry;
    this.#release = release;
  }

  [Symbol.dispose](): void {
    this.#release(this.#entry, this);
  }
}

/** A key that needs work, or is being processed, or both: and its place in line, where another one takes it later. */
interface Entry extends LinePlace {
  readonly key: string;
  /** Whether it needs work: it is in line unless it is being processed. The next two are of that work. */
  isDirty: boolean;
  priority: number;
  addedAt: number;
  /** When it came in line; while it is being processed, when it was taken. */
  since: number;
  /** While it is being processed. `slot` is its index in the list of the keys that are being processed. */
  item: WorkItem | undefined;
  slot: number;
}

/**
 * A queue of keys that need work, after client-go's three sets (queue, dirty, processing) and controller-runtime's
 * priorities.
 *
 * Promises
 * - A key is never processed by two workers at once.
 * - A key is handed out at least once after its last `add`. Several adds of a waiting key count as one.
 * - A key that is added while it is being processed returns to the end of the line, once, when it is released.
 * - A higher priority is served first; within a priority, first in, first out. No key starves (see {@link
 *   PriorityLine}).
 * - A key waits in one place. Of several adds with different delays the earliest counts and the others are dropped. The
 *   highest priority of all of them counts.
 *
 * Does not promise an order between keys of different priorities that arrive while a taker already waits, nor exact
 * delays. Source: client-go util/workqueue, controller-runtime pkg/controller/priorityqueue.
 * @example
 * const queue = new WorkQueue();
 * queue.add('shop/web');
 * for (;;) {
 *   using lease = await queue.take(signal);
 *   if (!lease) break; // the queue has ended
 *   console.log('work for', lease.key);
 * }
 */
export class WorkQueue implements Disposable {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter;
  readonly #metrics: QueueMetrics;
  readonly #onTouch: ((key: string) => void) | undefined;
  readonly #line: PriorityLine<Entry>;
  readonly #delays: DelayLine;
  readonly #entries = new Map<string, Entry>();
  #dirty = 0;
  readonly #processing: Entry[] = [];
  readonly #takers = new Set<(item: WorkItem | undefined) => void>();
  readonly #idle = new Bell();
  readonly #release = (entry: Entry, item: WorkItem) => this.#released(entry, item);
  #state: 'open' | 'draining' | 'shut' | 'abandoned' = 'open';

  constructor(options: WorkQueueOptions = {}) {
    checkOptions('WorkQueue', options, KNOWN_OPTIONS);
    const { name, metrics, clock = systemClock, rateLimiter, agedAfterMs = 10_000, agedShare = 5, onTouch } = options;
    if (agedShare < 1) throw new InformerError('argument', `agedShare must be 1 or more, not ${agedShare}`);
    this.#clock = clock;
    this.#limiter = rateLimiter ?? createControllerRateLimiter({ clock });
    this.#limiter.useClock?.(clock);
    this.#onTouch = onTouch;
    this.#line = new PriorityLine({ agedAfterMs, agedShare });
    this.#delays = new DelayLine(clock, (key, priority) => this.#makeDirty(key, priority));
    this.#metrics = new QueueMetrics({ name, metrics, depth: () => this.#dirty, ages: () => this.#ages() });
  }

  /** The number of keys that can be taken now, without those that are being processed and delayed ones. */
  get length(): number {
    return this.#line.size;
  }

  get isShuttingDown(): boolean {
    return this.#state !== 'open';
  }

  /** Adds a key that needs work. Does nothing once the queue is shutting down. */
  add(key: string, options: AddOptions = NO_OPTIONS): void {
    if (typeof key !== 'string') checkArgument('add', 'the key', key, 'text');
    if (options !== NO_OPTIONS) checkOptions('add', options, KNOWN_ADD_OPTIONS);
    const { after, limited = false, priority = 0 } = options;
    if (this.#state !== 'open') return;
    if (after !== undefined || limited) this.#metrics.retried();
    const delayMs = this.#delayOf(key, limited, after);
    if (delayMs > 0) this.#makeDelayed(key, delayMs, priority);
    else this.#makeDirty(key, priority);
  }

  /**
   * Resolves with the next key, as an item that releases the key when it is disposed (`using`). Resolves with undefined
   * if the queue is shut down and empty, or if the signal aborts. Takers are served in the order of their calls. Leaves
   * no listener on the signal.
   */
  take(signal?: AbortSignal): Promise<WorkItem | undefined> {
    if (signal !== undefined && !(signal instanceof AbortSignal)) checkArgument('take', 'signal', signal, 'signal');
    if (signal?.aborted) return Promise.resolve(undefined);
    const item = this.#next();
    if (item || this.#state !== 'open') return Promise.resolve(item);
    return new Promise((resolve) => {
      const listener = signal && onAbort(signal, () => taker(undefined));
      const taker = (given: WorkItem | undefined) => {
        this.#takers.delete(taker);
        listener?.[Symbol.dispose]();
        resolve(given);
      };
      this.#takers.add(taker);
    });
  }

  /** Releases a key, like disposing its item. Does nothing for a key that is not being processed. */
  done(key: string): void {
    this.#entries.get(key)?.item?.[Symbol.dispose]();
  }

  /** Resets the failures of a key. Does not remove it from the queue. */
  forget(key: string): void {
    this.#limiter.forget(key);
  }

  /** How often the key was added `limited` since it was last forgotten. */
  numRequeues(key: string): number {
    return this.#limiter.numRequeues(key);
  }

  /** Whether the key waits for work: in line, delayed, or to be taken again when released. */
  isPending(key: string): boolean {
    return this.#entries.get(key)?.isDirty === true || this.#delays.has(key);
  }

  /** Where the key is; undefined if it is not in the queue. */
  placeOf(key: string): KeyPlace | undefined {
    const entry = this.#entries.get(key);
    if (entry?.item) return entry.isDirty ? 'runs-again' : 'processing';
    if (entry) return 'queued';
    return this.#delays.has(key) ? 'delayed' : undefined;
  }

  /** When a delayed key is due, in the clock's monotonic time, ms; undefined if the key is not delayed. */
  dueAt(key: string): number | undefined {
    return this.#delays.get(key)?.at;
  }

  /**
   * Removes a waiting key, as if it had not been added: from the line, its delay, and the run after the present one. A
   * run goes on. Its failures are not forgotten. Returns whether the key was waiting.
   */
  remove(key: string): boolean {
    const wasDelayed = this.#delays.cancel(key) !== undefined;
    const entry = this.#entries.get(key);
    if (!entry?.isDirty) return wasDelayed;
    this.#line.delete(entry);
    this.#clean(entry);
    return true;
  }

  /** Ends the queue as {@link shutDown} does: what `using` calls. */
  [Symbol.dispose](): void {
    this.shutDown();
  }

  /** Removes a delayed key, as if it had not been added. A key in line or being processed stays. */
  cancelDelayed(key: string): void {
    this.#delays.cancel(key);
  }

  /**
   * Ends the queue: it ignores adds, drops delayed keys and resolves waiting takers with undefined. It still hands out
   * the keys in line, unless `abandon` is set.
   */
  shutDown(options: ShutDownOptions = {}): void {
    checkOptions('shutDown', options, KNOWN_END_OPTIONS);
    const { abandon = false } = options;
    this.#close(abandon || this.#state === 'abandoned' ? 'abandoned' : 'shut');
    if (this.#state === 'abandoned') {
      this.#line.clear();
      for (const entry of this.#entries.values()) if (entry.isDirty) this.#clean(entry);
    }
    this.#idle.wake();
  }

  /**
   * Ends the queue, and resolves when no key is being processed. It waits as long as a key is not released. A later
   * `shutDown` ends the wait. If the signal aborts, it rejects with the signal's reason.
   */
  async shutDownWithDrain(options: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    checkOptions('shutDownWithDrain', options, { signal: 'signal' });
    const { signal } = options;
    if (this.#state === 'open') this.#close('draining');
    while (this.#state === 'draining' && this.#processing.length > 0) await this.#idle.wait(signal);
  }

  /** The content of the queue now. */
  snapshot(): QueueSnapshot {
    const now = this.#clock.monotonic();
    return {
      queued: Array.from(this.#line, ({ key, priority, addedAt }) => ({ key, priority, waitedMs: now - addedAt })),
      processing: this.#processing
        .toSorted((a, b) => a.since - b.since)
        .map(({ key, item, since, isDirty }) => {
          return { key, priority: (item as WorkItem).priority, heldMs: now - since, isDirty };
        }),
      delayed: Array.from(this.#delays, ({ key, priority, at }) => ({ key, priority, dueInMs: at - now })),
    };
  }

  #delayOf(key: string, limited: boolean, after = 0): number {
    const asked = Math.max(0, after);
    if (!limited) return asked;
    const limit = this.#limiter.when(key);
    if (typeof limit !== 'number' || Number.isNaN(limit))
      throw new InformerError('argument', `the rate limiter returned ${limit} as a delay`);
    return asked > 0 ? Math.min(asked, limit) : limit;
  }

  #makeDelayed(key: string, delayMs: number, priority: number): void {
    if (this.#entries.get(key)?.isDirty) this.#makeDirty(key, priority);
    else this.#delays.schedule(key, delayMs, priority);
  }

  #makeDirty(key: string, asked: number): void {
    const priority = Math.max(asked, this.#delays.cancel(key)?.priority ?? asked);
    const known = this.#entries.get(key);
    if (known?.isDirty) this.#touch(known, priority);
    else this.#addDirty(key, known, priority);
  }

  #addDirty(key: string, running: Entry | undefined, priority: number): void {
    const addedAt = this.#clock.monotonic();
    this.#dirty++;
    this.#metrics.added();
    if (running) {
      running.isDirty = true;
      running.priority = priority;
      running.addedAt = addedAt;
    } else this.#enqueue(newEntry(key, priority, addedAt, addedAt));
  }

  #touch(known: Entry, priority: number): void {
    const isHigher = priority > known.priority;
    if (known.item) {
      if (isHigher) known.priority = priority;
      return;
    }
    if (isHigher) {
      this.#line.delete(known);
      this.#enter(newEntry(known.key, priority, known.addedAt, known.since));
    }
    this.#onTouch?.(known.key);
  }

  /** Gives a key that needs work its place in line. */
  #enter(entry: Entry): void {
    this.#entries.set(entry.key, entry);
    this.#line.push(entry);
  }

  #enqueue(entry: Entry): void {
    this.#enter(entry);
    if (this.#takers.size === 0) return;
    const [taker] = this.#takers;
    taker?.(this.#next());
  }

  /** The key needs no work any more. It is forgotten unless it is being processed. */
  #clean(entry: Entry): void {
    entry.isDirty = false;
    this.#dirty--;
    if (!entry.item) this.#entries.delete(entry.key);
  }

  #next(): WorkItem | undefined {
    const now = this.#clock.monotonic();
    const entry = this.#line.shift(now);
    if (!entry) return undefined;
    const waitedMs = now - entry.addedAt;
    const item = new WorkItem(entry, waitedMs, this.#release);
    this.#metrics.started(waitedMs);
    entry.item = item;
    entry.since = now;
    this.#clean(entry);
    entry.slot = this.#processing.push(entry) - 1;
    return item;
  }

  #released(entry: Entry, item: WorkItem): void {
    if (entry.item !== item) return;
    const last = this.#processing.pop() as Entry;
    if (last !== entry) {
      this.#processing[entry.slot] = last;
      last.slot = entry.slot;
    }
    entry.item = undefined;
    if (this.#metrics.arePublished) this.#metrics.finished(this.#clock.monotonic() - entry.since);
    if (entry.isDirty) this.#enqueue(newEntry(item.key, entry.priority, entry.addedAt, this.#clock.monotonic()));
    else {
      this.#entries.delete(item.key);
      if (this.#processing.length === 0) this.#idle.wake();
    }
  }

  #close(state: 'draining' | 'shut' | 'abandoned'): void {
    this.#state = state;
    this.#delays.clear();
    this.#metrics[Symbol.dispose]();
    for (const taker of this.#takers) taker(undefined);
  }

  #ages(): number[] {
    const now = this.#clock.monotonic();
    return this.#processing.map(({ since }) => now - since);
  }
}

function newEntry(key: string, priority: number, addedAt: number, since: number): Entry {
  return { key, priority, addedAt, since, isInLine: true, isDirty: true, item: undefined, slot: 0 };
}
