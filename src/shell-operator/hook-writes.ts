import { WriteWaits } from '../controller/consistency/write-waits.ts';
import { Bell } from '../kit/bell.ts';
import type { Clock } from '../kit/clock.ts';
import type { Logger } from '../kit/logger.ts';
import { noMetrics } from '../kit/metrics.ts';
import { observingWrites, type StoredWrite } from '../model/stored-write.ts';
import type { BindingContext } from './binding-context.ts';
import type { Caches } from './caches.ts';

/** An object whose events are left out: only the hook's own writes made them, again and again. */
export interface HotObject {
  /** `HOOK/BINDING NAMESPACE/NAME` */
  readonly key: string;
  readonly runs: number;
  readonly since: number;
}

export interface HookWritesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly caches: Caches;
  /** The runs in a row that an object may have by own writes; 0 = any number. */
  readonly hotLoopRuns: number;
  readonly onHotLoop: (loop: HotObject) => void;
}

/** The versions of own writes that are remembered. */
const MOST_VERSIONS = 10_000;
/** Runs that are further apart are no loop, ms. */
const LOOP_MS = 60_000;

/**
 * Follows the writes of hooks by this program: a queue goes on only when the caches show what its last run wrote, and a hook that
 * its own writes call again and again is not called for that object any more, until another writer changes it.
 */
export class HookWrites implements Disposable {
  readonly #options: HookWritesOptions;
  readonly #bell = new Bell();
  readonly #waits: WriteWaits;
  /** The hook that wrote a version. */
  readonly #versions = new Map<string, string>();
  readonly #runs = new Map<string, { runs: number; at: number }>();
  readonly #loops = new Map<string, HotObject>();

  constructor(options: HookWritesOptions) {
    this.#options = options;
    const { clock, logger, caches } = options;
    const waited = noMetrics.histogram('', {}, []);
    this.#waits = new WriteWaits({
      clock,
      logger,
      caches: () => caches.informers as Iterable<never>,
      ready: () => this.#bell.wake(),
      waited: { success: waited, timeout: waited },
    });
  }

  get loops(): readonly HotObject[] {
    return [...this.#loops.values()];
  }

  /** Calls `work` for a hook in a queue, and notes what it writes. */
  observing<R>(hook: string, queue: string, work: () => R): R {
    return observingWrites(
      () => ({
        stored: (write) => {
          this.#waits.note(queue, write);
          this.#note(hook, write);
        },
        lost: (write) => this.#waits.noteLost(queue, write),
      }),
      work,
    );
  }

  /** Resolves when the caches show what the last run of a queue wrote. */
  async shown(queue: string, signal: AbortSignal): Promise<void> {
    for (let wait = this.#waits.before(queue); wait; wait = this.#waits.before(queue)) {
      using _timer = this.#options.clock.after(wait.afterMs, () => this.#bell.wake());
      await this.#bell.wait(signal);
    }
  }

  /** The contexts of a run, without the events of objects in a hot loop. */
  withoutLoops(hook: string, contexts: readonly BindingContext[]): readonly BindingContext[] {
    if (this.#options.hotLoopRuns === 0) return contexts;
    return contexts.filter((context) => !this.#isLoop(hook, context));
  }

  /** Lets the hook be called again for the object. */
  release(key: string): boolean {
    this.#runs.delete(key);
    return this.#loops.delete(key);
  }

  [Symbol.dispose](): void {
    this.#waits[Symbol.dispose]();
  }

  #note(hook: string, { resourceVersion, key, isOwnVersion }: StoredWrite): void {
    if (resourceVersion === undefined || isOwnVersion === false) return;
    this.#versions.set(`${key} ${resourceVersion}`, hook);
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > MOST_VERSIONS && oldest !== undefined) this.#versions.delete(oldest);
  }

  #isLoop(hook: string, { binding, event }: BindingContext): boolean {
    if (!event) return false;
    const { namespace, name, resourceVersion } = event.entry;
    const place = namespace === '' ? name : `${namespace}/${name}`;
    const key = `${hook}/${binding} ${place}`;
    const now = this.#options.clock.monotonic();
    if (this.#versions.get(`${place} ${resourceVersion}`) !== hook) {
      this.release(key);
      return false;
    }
    const before = this.#runs.get(key);
    const runs = before && now - before.at < LOOP_MS ? before.runs + 1 : 1;
    this.#runs.set(key, { runs, at: now });
    if (runs < this.#options.hotLoopRuns) return false;
    if (!this.#loops.has(key)) {
      const loop = { key, runs, since: this.#options.clock.now() };
      this.#loops.set(key, loop);
      this.#options.onHotLoop(loop);
    }
    return true;
  }
}
