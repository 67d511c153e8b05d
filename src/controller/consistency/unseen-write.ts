import type { Clock } from '../../kit/clock.ts';
import { formatGvr } from '../../model/gvr.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { isComparable, isLaterVersion, type ResourceVersion } from '../../model/resource-version.ts';
import type { StoredWrite } from '../../model/stored-write.ts';
import type { ReadCache } from './read-cache.ts';
import { leftOfWaitMs } from './wait-limit.ts';

/** How long a write is waited for where versions have no order: a later state may have hidden it, ms. */
const LONGEST_UNORDERED_MS = 10_000;

/** The writes of one object by the runs of one key, until one cache shows them. */
export class UnseenWrite {
  readonly cache: ReadCache;
  readonly key: ObjectKey;
  /** The type, as it was written. */
  readonly type: string;
  #version: ResourceVersion | undefined;
  /** The uid of the object that was deleted. */
  #goneUid: string | undefined;
  /** Whether one of the writes made an object that the cache selects. */
  #isSelected = false;
  /** Whether the cache has shown the object as the last write made it, or a later state of it. */
  #hasShownVersion = false;
  /** The version that the cache had when the write was sent, if the write made none after it: the server was restored. */
  #replaced: ResourceVersion | undefined;
  #writtenAt = 0;

  constructor(cache: ReadCache, { key, gvr }: StoredWrite) {
    this.cache = cache;
    this.key = key;
    this.type = formatGvr(gvr);
  }

  /** Takes one more write of the object, at monotonic `now`. `shown`: the version that the cache had when it was sent. */
  add({ uid, resourceVersion, object, isGone, isOwnVersion }: StoredWrite, now: number, shown?: ResourceVersion): void {
    this.#writtenAt = now;
    if (isGone) {
      this.#goneUid = uid ?? this.#cached?.metadata.uid;
      return;
    }
    if (uid !== this.#goneUid) this.#goneUid = undefined;
    if (resourceVersion === undefined) return;
    const isRestored = isOwnVersion === true && shown !== undefined && isReached(shown, resourceVersion);
    if (!isRestored && isLaterVersion(this.#version, resourceVersion)) return;
    this.#replaced = isRestored ? shown : undefined;
    this.#version = resourceVersion;
    this.#hasShownVersion = false;
    this.#isSelected ||= object === undefined || this.cache.sourceOf(this.key)?.selects(object) !== false;
  }

  /** Whether the cache has to be followed: only its events say whether it has shown what the write made. */
  get isFollowed(): boolean {
    return this.#version !== undefined && this.#isSelected && !this.#hasShownVersion;
  }

  /** The version that the cache must reach; undefined if none has an order. */
  get version(): ResourceVersion | undefined {
    return this.#version !== undefined && isComparable(this.#version) && !this.#isBeforeRestore
      ? this.#version
      : undefined;
  }

  /** Whether the cache still has versions of before the server was restored, which are not to be compared with later ones. */
  get #isBeforeRestore(): boolean {
    const { shownVersion } = this.cache.sourceOf(this.key) ?? {};
    return this.#replaced !== undefined && !isLaterVersion(this.#replaced, shownVersion);
  }

  /** Notes that the cache shows another state of the object. */
  changed(): void {
    if (this.#isIn(this.#cached)) this.#hasShownVersion = true;
  }

  /**
   * `shown`: the cache is at least as new as the writes. `absent`: it has no state of the object, nor did a write make
   * one that it selects, so that readers see nothing old. `behind`: it has to be waited for.
   */
  get state(): 'shown' | 'absent' | 'behind' {
    const { cache, key } = this;
    const source = cache.isStopped ? undefined : cache.sourceOf(key);
    if (!source) return 'shown';
    const cached = this.#cached;
    if (this.#goneUid !== undefined && cached?.metadata.uid === this.#goneUid) return 'behind';
    if (this.#version === undefined) return 'absent';
    const isShown =
      this.#hasShownVersion ||
      this.#isIn(cached) ||
      (!this.#isBeforeRestore && isReached(source.shownVersion, this.#version));
    if (isShown) return this.#goneUid === undefined ? 'shown' : 'absent';
    return cached === undefined && !this.#isSelected ? 'absent' : 'behind';
  }

  /** How much longer the write is waited for, ms. */
  leftMs(clock: Clock): number {
    const { continuity } = this.cache.sourceOf(this.key) ?? {};
    const isUnordered = this.version === undefined && this.#goneUid === undefined;
    return leftOfWaitMs(continuity, this.#writtenAt, clock, isUnordered ? LONGEST_UNORDERED_MS : undefined);
  }

  /**
   * Whether the cache will show the writes no more, and never did: the server has lost them, or undone them before anyone
   * saw them. Undefined while that is not known. No event reports it.
   */
  isUndone(clock: Clock): boolean | undefined {
    const { state } = this;
    if (state !== 'shown') return this.leftMs(clock) > 0 ? undefined : state === 'behind';
    if (this.#version === undefined || !this.#isSelected || this.#hasShownVersion) return false;
    const cached = this.#cached;
    return cached === undefined || isLaterVersion(this.#version, cached.metadata.resourceVersion);
  }

  /** Whether an object of the cache is as the last write made it, or later. */
  #isIn(cached: ReadonlyObject | undefined): boolean {
    const version = cached?.metadata.resourceVersion;
    if (version === undefined || this.#version === undefined) return false;
    return version === this.#version || (!this.#isBeforeRestore && isReached(version, this.#version));
  }

  get #cached(): ReadonlyObject | undefined {
    return this.cache.lister.get(this.key);
  }
}

const isReached = (version: ResourceVersion | undefined, wanted: ResourceVersion) =>
  version === wanted || isLaterVersion(version, wanted);
