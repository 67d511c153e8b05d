import { scope } from '../../kit/abort.ts';
import type { Clock, Timer } from '../../kit/clock.ts';
import type { Logger } from '../../kit/logger.ts';
import type { Histogram } from '../../kit/metrics.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import type { LostWrite, StoredWrite } from '../../model/stored-write.ts';
import { CacheProgress } from './cache-progress.ts';
import { LostAnswer } from './lost-answer.ts';
import { mayShow, type ReadCache } from './read-cache.ts';
import { UnseenWrite } from './unseen-write.ts';
import { LONGEST_MS, LONGEST_WAIT_MS, REPORTED_MS } from './wait-limit.ts';

export interface WriteWaitsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The caches that the reconciler may read. */
  readonly caches: () => Iterable<ReadCache>;
  /** Queues a key whose wait may be over. */
  readonly ready: (key: ObjectKey) => void;
  /** Runs a key again. Absent: what runs does not run without an event. */
  readonly again?: (key: ObjectKey) => void;
  /** The seconds that runs waited: until the caches had caught up, or until the wait was given up. */
  readonly waited: Readonly<Record<'success' | 'timeout', Histogram>>;
}

/** A run that waits for the writes of earlier runs of its key. */
export interface WriteWait {
  /** How long it has waited, ms. */
  readonly waitedMs: number;
  /** The types that were written. */
  readonly types: readonly string[];
}

/** The versions that caches show. */
export type ShownVersions = ReadonlyMap<ReadCache, ResourceVersion | undefined>;

/** The writes of a key's runs that not every cache has shown. */
interface Unseen {
  readonly writes: Map<string, UnseenWrite>;
  /** Those of which it is not known whether they were stored. */
  readonly lost: Set<LostAnswer>;
  /** When the last of them was stored, monotonic ms. */
  writtenAt: number;
  /** When a run began to wait, monotonic ms; undefined if none waits. */
  since: number | undefined;
  isReported: boolean;
  /** Whether the key was dropped since. */
  isDropped: boolean;
}

/**
 * Lets no run of a key begin before the caches show what earlier runs of the key wrote. A cache shows a write when it has
 * the object at that version or a later one, when all its changes up to that version were applied, or when the deleted
 * object is gone. After a write whose answer was lost, the next run waits until it is known what became of it. A key that
 * writes nothing costs one look-up.
 *
 * The wait ends after a minute with an open watch, ten minutes without one, and ten seconds where versions have no
 * order. It says so then.
 *
 * No event reports writes that a restored server has lost before a cache showed them, or that others have undone
 * meanwhile. So a key whose writes no cache has shown in time, and that has not run since, runs again.
 */
export class WriteWaits implements Disposable {
  readonly #options: WriteWaitsOptions;
  readonly #keys = new Map<ObjectKey, Unseen>();
  readonly #progress = new Map<ReadCache, CacheProgress>();
  /** Caches may have the same name. */
  readonly #numbers = new WeakMap<ReadCache, number>();
  #caches = 0;
  /** Until old writes are looked at. */
  #timer: Timer | undefined;
  readonly #running = scope();

  constructor(options: WriteWaitsOptions) {
    this.#options = options;
  }

  /** Notes a write of a run of `key`. `shown`: the versions that the caches had when it was sent. */
  note(key: ObjectKey, write: StoredWrite, shown?: ShownVersions): void {
    const now = this.#options.clock.monotonic();
    for (const cache of new Set(this.#options.caches())) {
      if (!mayShow(cache, write)) continue;
      const unseen = this.#unseenOf(key, now);
      const id = `${this.#numberOf(cache)} ${write.key}`;
      const one = unseen.writes.get(id) ?? new UnseenWrite(cache, write);
      one.add(write, now, shown?.get(cache));
      if (one.state === 'shown') unseen.writes.delete(id);
      else unseen.writes.set(id, one);
      if (one.isFollowed) this.#progressOf(cache).follow(one);
    }
    this.#lookLater();
  }

  /** Notes a write of a run of `key` whose answer was lost. */
  noteLost(key: ObjectKey, write: LostWrite): void {
    const { clock, caches } = this.#options;
    const lost = new LostAnswer(write, new Set(caches()), clock);
    if (lost.caches.length === 0) return;
    const now = clock.monotonic();
    this.#unseenOf(key, now).lost.add(lost);
    this.#lookLater();
  }

  /**
   * Whether a run of the key has to wait, and the time after which it is to be asked again at the latest, ms. Undefined
   * if the run may begin.
   */
  before(key: ObjectKey): { readonly afterMs: number } | undefined {
    const unseen = this.#keys.get(key);
    if (!unseen) return undefined;
    const now = this.#options.clock.monotonic();
    const unknown = this.#unknown(key, unseen);
    const behind = this.#behind(unseen, now);
    if (behind.length + unknown.length === 0) {
      this.#began(key, unseen, now);
      return undefined;
    }
    unseen.since ??= now;
    const { since } = unseen;
    for (const write of behind) this.#progressOf(write.cache).wake(key, write);
    const leftMs = Math.max(...[...behind, ...unknown].map((write) => write.leftMs(this.#options.clock)));
    const untilReportMs = since + REPORTED_MS - now;
    if (untilReportMs <= 0) this.#report(key, unseen, [...behind, ...unknown], now - since);
    return { afterMs: unseen.isReported ? leftMs : Math.min(leftMs, untilReportMs) };
  }

  /** A key that was dropped does not run again for what it has written. */
  dropped(key: ObjectKey): void {
    const unseen = this.#keys.get(key);
    if (unseen) unseen.isDropped = true;
  }

  /** The wait of a key; undefined if it does not wait. */
  of(key: ObjectKey): WriteWait | undefined {
    const unseen = this.#keys.get(key);
    if (unseen?.since === undefined) return undefined;
    const behind = [...unseen.writes.values()].filter(({ state }) => state === 'behind');
    return { waitedMs: this.#options.clock.monotonic() - unseen.since, types: typesOf([...behind, ...unseen.lost]) };
  }

  [Symbol.dispose](): void {
    this.#running[Symbol.dispose]();
    this.#timer?.cancel();
    for (const progress of this.#progress.values()) progress[Symbol.dispose]();
    this.#keys.clear();
  }

  #unseenOf(key: ObjectKey, now: number): Unseen {
    const none = { writes: new Map(), lost: new Set<LostAnswer>(), since: undefined, isReported: false };
    const unseen: Unseen = Object.assign(this.#keys.get(key) ?? none, { writtenAt: now, isDropped: false });
    this.#keys.delete(key); // the keys are in the order of their last writes
    this.#keys.set(key, unseen);
    return unseen;
  }

  /** The writes of which it has to be found out whether they were stored. Forgets those that need it no more. */
  #unknown(key: ObjectKey, unseen: Unseen): LostAnswer[] {
    const { clock } = this.#options;
    const unknown = [...unseen.lost].filter((lost) => !lost.isKnown);
    const givenUp = unknown.filter((lost) => lost.leftMs(clock) <= 0);
    unseen.lost.clear();
    for (const lost of unknown) if (!givenUp.includes(lost)) unseen.lost.add(lost);
    for (const lost of givenUp) lost[Symbol.dispose]();
    if (givenUp.length > 0) this.#giveUp(unseen, givenUp, clock.monotonic());
    for (const lost of unseen.lost) {
      lost.ask(clock, this.#running.signal, (writes) => {
        for (const write of writes) this.note(key, write);
        this.#ready(key);
      });
    }
    return [...unseen.lost];
  }

  /** The writes that have to be waited for. Forgets those that need it no more. */
  #behind(unseen: Unseen, now: number): UnseenWrite[] {
    const behind: UnseenWrite[] = [];
    const givenUp: UnseenWrite[] = [];
    for (const [id, write] of unseen.writes) {
      const { state } = write;
      const isLate = state !== 'shown' && write.leftMs(this.#options.clock) <= 0;
      if (state === 'behind') (isLate ? givenUp : behind).push(write);
      if (state !== 'shown' && !isLate) continue;
      unseen.writes.delete(id);
      this.#progress.get(write.cache)?.leave(write);
    }
    if (givenUp.length > 0) this.#giveUp(unseen, givenUp, now);
    return behind;
  }

  #began(key: ObjectKey, unseen: Unseen, now: number): void {
    if (unseen.since !== undefined) this.#options.waited.success.observe((now - unseen.since) / 1000);
    unseen.since = undefined;
    unseen.isReported = false;
    if (unseen.writes.size === 0) this.#keys.delete(key);
  }

  #report(key: ObjectKey, unseen: Unseen, behind: readonly Awaiting[], waitedMs: number): void {
    if (unseen.isReported) return;
    unseen.isReported = true;
    const caches = [...new Set(behind.flatMap(cachesOf).map(({ name }) => name))];
    this.#options.logger.warn('a key waits for its own writes, which its caches do not show', {
      key,
      types: typesOf(behind),
      caches,
      waitedSeconds: Math.round(waitedMs / 1000),
    });
  }

  #giveUp(unseen: Unseen, writes: readonly Awaiting[], now: number): void {
    if (unseen.since !== undefined) this.#options.waited.timeout.observe((now - unseen.since) / 1000);
    unseen.since = undefined;
    unseen.isReported = false;
    this.#options.logger.warn('the next run may read a state before its own writes: the caches did not show them', {
      types: typesOf(writes),
      objects: writes.slice(0, 10).flatMap((write) => ('key' in write ? [write.key] : [])),
    });
  }

  #numberOf(cache: ReadCache): number {
    const known = this.#numbers.get(cache) ?? this.#caches++;
    this.#numbers.set(cache, known);
    return known;
  }

  #progressOf(cache: ReadCache): CacheProgress {
    const known = this.#progress.get(cache);
    if (known) return known;
    const progress = new CacheProgress(cache, (key) => this.#ready(key));
    this.#progress.set(cache, progress);
    return progress;
  }

  #ready(key: ObjectKey): void {
    if (this.#keys.get(key)?.since !== undefined) this.#options.ready(key);
  }

  #lookLater(): void {
    if (this.#keys.size === 0) return;
    this.#timer ??= this.#options.clock.after(LONGEST_MS, () => {
      this.#timer = undefined;
      this.#lookAtOld(this.#options.clock.monotonic());
      this.#lookLater();
    });
  }

  /** Forgets old writes of keys that no run waits for. Runs those again whose writes are undone. */
  #lookAtOld(now: number): void {
    for (const [key, unseen] of this.#keys) {
      if (unseen.writtenAt + LONGEST_MS > now) return;
      if (unseen.since !== undefined) continue;
      const undone: UnseenWrite[] = [];
      for (const [id, write] of unseen.writes) {
        const isUndone = write.isUndone(this.#options.clock);
        if (isUndone === undefined) continue;
        if (isUndone) undone.push(write);
        unseen.writes.delete(id);
        this.#progress.get(write.cache)?.leave(write);
      }
      if (undone.length > 0 && !unseen.isDropped) this.#again(key, undone);
      if (unseen.writtenAt + LONGEST_WAIT_MS <= now) unseen.lost.clear(); // no run has asked about them
      if (unseen.writes.size + unseen.lost.size === 0) this.#keys.delete(key);
    }
  }

  #again(key: ObjectKey, undone: readonly UnseenWrite[]): void {
    const { logger, again } = this.#options;
    if (!again) return;
    const objects = undone.slice(0, 10).map((write) => write.key);
    logger.warn('a key runs again: no cache has shown what it wrote', { key, types: typesOf(undone), objects });
    again(key);
  }
}

type Awaiting = UnseenWrite | LostAnswer;

const cachesOf = (write: Awaiting) => ('cache' in write ? [write.cache] : write.caches);
const typesOf = (writes: readonly Awaiting[]) => [...new Set(writes.map(({ type }) => type))];
