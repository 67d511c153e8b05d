import { abortable, scope } from '../kit/abort.ts';
import { Bell } from '../kit/bell.ts';
import { messageOf } from '../kit/error.ts';
import type { Logger } from '../kit/logger.ts';
import { compareResourceVersions, isLaterVersion, type ResourceVersion } from '../model/resource-version.ts';
import { caughtUp } from './catch-up.ts';
import { isInAgreement, type VerifierOptions } from './verifier.ts';

export interface PresentStateOptions {
  /** Asks the server for the version of the collection at this moment. */
  readonly askVersion: (signal: AbortSignal) => Promise<ResourceVersion>;
  /** The version up to which the cache shows every change; '' if there is none. */
  readonly shownVersion: () => ResourceVersion;
  readonly comparison: VerifierOptions<unknown>;
  /** The number of cached objects. */
  readonly size: () => number;
  readonly logger: Logger;
}

/** The pause after the first comparison that found the cache behind, or that failed, ms. It doubles each time. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** How long a large cache may take to pass the server's version by itself, before its objects are compared, ms. */
const LONGEST_PATIENCE_MS = 5_000;

/**
 * Finds out when a cache shows what the server has now. One request gives the version of the collection, and the cache
 * has to pass it. The cache of a quiet collection passes it with a bookmark only, which may take a minute. So soon after
 * that the names, uids and versions of its objects are compared with those on the server; at once for a small cache.
 *
 * Callers that come while the server is asked wait for the next question: what they want to see may be newer.
 */
export class PresentState {
  readonly #options: PresentStateOptions;
  readonly #running: AbortSignal;
  readonly #changed = new Bell();
  #next: Inquiry | undefined;
  #now: Promise<void> | undefined;

  /** `running` aborts when the cache ends. */
  constructor(options: PresentStateOptions, running: AbortSignal) {
    this.#options = options;
    this.#running = running;
  }

  /** Notes that the cache has changed. */
  changed(): void {
    this.#changed.wake();
  }

  /** Resolves when the cache shows what the server had at the call, or later. Rejects with the signal's reason. */
  async when(signal: AbortSignal): Promise<void> {
    this.#next ??= this.#ask(this.#now);
    const { answer, asking, waiting } = this.#next;
    waiting.add(signal);
    try {
      await abortable(answer, signal);
    } finally {
      waiting.delete(signal);
      if (waiting.size === 0) asking.abort();
    }
  }

  #ask(before: Promise<void> | undefined): Inquiry {
    const asking = scope(this.#running);
    const answer: Promise<void> = Promise.resolve(before?.catch(() => {})).then(() => {
      this.#now = answer;
      this.#next = undefined;
      return this.#untilShown(asking.signal);
    });
    answer.catch(() => {}).finally(() => asking[Symbol.dispose]());
    return { answer, asking, waiting: new Set() };
  }

  async #untilShown(signal: AbortSignal): Promise<void> {
    const { askVersion, shownVersion, size, comparison, logger } = this.#options;
    let asked: Asked | undefined;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        asked ??= { before: shownVersion(), version: await askVersion(signal) };
        if (await this.#passes(asked, Math.min(size(), LONGEST_PATIENCE_MS), signal)) return;
        if (isInAgreement(await caughtUp(comparison, signal))) return;
      } catch (error) {
        signal.throwIfAborted();
        logger.debug('could not find out whether the cache shows the present state', { error: messageOf(error) });
      }
      if (await this.#passes(asked, pauseMs, signal)) return;
    }
  }

  /**
   * Whether the cache passes the version within the time. A cache that had a later one before the server was asked is of
   * a history that the server no longer has.
   */
  async #passes(asked: Asked | undefined, withinMs: number, signal: AbortSignal): Promise<boolean> {
    const { shownVersion, comparison } = this.#options;
    const { before = '', version = '' } = asked ?? {};
    const isReplaced = isLaterVersion(before, version);
    using waiting = scope(signal);
    using _timer = comparison.clock.after(withinMs, () => waiting.abort());
    for (;;) {
      const order = compareResourceVersions(shownVersion(), version);
      if (!isReplaced && order !== undefined && order >= 0) return true;
      try {
        await this.#changed.wait(waiting.signal);
      } catch {
        signal.throwIfAborted();
        return false;
      }
    }
  }
}

/** The version of the server, and that of the cache before the server was asked. */
interface Asked {
  readonly before: ResourceVersion;
  readonly version: ResourceVersion;
}

/** One question to the server, for all that came before it. */
interface Inquiry {
  readonly answer: Promise<void>;
  readonly asking: { readonly signal: AbortSignal; abort(reason?: unknown): void };
  /** Those that wait for the answer. Without any it is not sought. */
  readonly waiting: Set<AbortSignal>;
}
