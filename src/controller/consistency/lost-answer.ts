import { type Scope, scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { formatGvr } from '../../model/gvr.ts';
import { joinKey } from '../../model/key.ts';
import type { LostWrite, StoredWrite } from '../../model/stored-write.ts';
import { mayShow, type ReadCache } from './read-cache.ts';
import { leftOfWaitMs } from './wait-limit.ts';

/** The pause after the first attempt to find out, ms. It doubles each time. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/**
 * A write of a run whose answer was lost, until it is known what became of it: by a read of its object, or, where the
 * write names none, because the caches show the state after it. A write that the server stores only after that is not
 * found.
 */
export class LostAnswer implements Disposable {
  readonly type: string;
  readonly caches: readonly ReadCache[];
  readonly #write: LostWrite;
  readonly #lostAt: number;
  #isKnown = false;
  #asking: Scope | undefined;

  constructor(write: LostWrite, caches: Iterable<ReadCache>, clock: Clock) {
    this.#write = write;
    this.type = formatGvr(write.gvr);
    const key = joinKey(write.namespace, '');
    this.caches = [...caches].filter((cache) => mayShow(cache, { ...write, key }));
    this.#lostAt = clock.monotonic();
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Begins to ask what became of the write, if it has not. `found` is called with what a read shows. */
  ask(clock: Clock, signal: AbortSignal, found: (writes: readonly StoredWrite[]) => void): void {
    if (this.#asking) return;
    this.#asking = scope(signal);
    this.#ask(clock, this.#asking.signal)
      .then((writes) => {
        this.#isKnown = true;
        found(writes);
      })
      .catch(() => {}) // the wait is over
      .finally(() => this[Symbol.dispose]());
  }

  /** Ends the asking. */
  [Symbol.dispose](): void {
    this.#asking?.[Symbol.dispose]();
  }

  /** How much longer it is waited for, ms. */
  leftMs(clock: Clock): number {
    const sources = this.caches.map((cache) => cache.sourceOf(joinKey(this.#write.namespace, '')));
    return Math.max(0, ...sources.map((source) => leftOfWaitMs(source?.continuity, this.#lostAt, clock)));
  }

  async #ask(clock: Clock, signal: AbortSignal): Promise<readonly StoredWrite[]> {
    const { read, namespace } = this.#write;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        if (read) return await read(signal);
        const sources = this.caches.map((cache) => cache.sourceOf(joinKey(namespace, '')));
        await Promise.all(sources.map((source) => source?.whenCurrent(signal)));
        return [];
      } catch {
        await clock.sleep(pauseMs, { signal });
      }
    }
  }
}
