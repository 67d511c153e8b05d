import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import type { ListOptions, Selectors } from '../../model/list-options.ts';
import { hasMetadata, type KubeObject, type ListPage } from '../../model/object.ts';
import { compareResourceVersions, isComparable, type ResourceVersion } from '../../model/resource-version.ts';
import { isThrottled, isTooLargeResourceVersion, statusOf } from '../../model/status.ts';
import { markOf } from '../verifier.ts';
import { withPatience } from './idle-limited-call.ts';
import type { CallContext, ListerWatcher } from './lister-watcher.ts';
import { isMovedCollection } from './moved-collection.ts';

/** A read-only view of the part of a cache that comes from one source. */
export interface CacheView {
  get(key: ObjectKey): unknown;
  entries(): Iterable<readonly [ObjectKey, unknown]>;
  /** Whether changes have arrived that are not in the cache, for now or for good. A difference then proves nothing. */
  isBehind(): boolean;
}

/**
 * The server does not continue the history of our version. It was restored or wiped, or another server has taken over
 * its address.
 */
class ReplacedHistoryError extends InformerError {
  constructor(what: string) {
    super('watch', `the server's history was replaced: ${what}`, {
      hint: 'an older backup was restored, the cluster was rebuilt, or the address leads to another one',
    });
  }
}

/** An object on the server contradicts the cache. */
class Contradiction extends ReplacedHistoryError {}

export const isReplacedHistory = (error: unknown): boolean => error instanceof ReplacedHistoryError;

export const replacedHistory = (what: string): InformerError => new ReplacedHistoryError(what);

/** The result of a check that found no contradiction. */
export interface HistoryCheck {
  /** Whether the server answered all questions, with a version that is not before ours. */
  readonly isVerified: boolean;
  /**
   * Whether the server has shown that its history contains the last event that we have seen, or that it had as many
   * objects as the cache at our version.
   */
  readonly isProven: boolean;
  /**
   * The newest cached object, when the server does not have it. The next event of the stream about it must be its
   * deletion.
   */
  readonly absent?: KubeObject | undefined;
}

export interface HistoryOptions<T> {
  readonly name: string;
  readonly source: ListerWatcher<T>;
  readonly selectors: Selectors | undefined;
  readonly clock: Clock;
  readonly cache: CacheView | undefined;
  /** The version that the stream has reached by now. Absent: that of the check. */
  readonly reached?: (() => ResourceVersion) | undefined;
}

/**
 * The longest wait for an answer, ms. A server that does not answer in time is asked again when the stream is silent.
 */
const PATIENCE_MS = 10_000;

/**
 * Checks whether the server still has the history that a version belongs to.
 * A list of one object, of the most recent state, returns the server's version. A server that was restored or wiped is
 * at first before our version. Later its version is past ours, and objects give it away: the first object of the list
 * must be in the cache as it is, when it was changed at or before our version. As far as the server still knows
 * (`resourceVersionMatch=Exact`), the last event must be true at our version: an object that was deleted is absent, and
 * was there just before, or the cached object that changed last is as it is in the cache. Where our version is later than that event, the number
 * of objects must be the same too; a server does not report it for a selection or a part.
 * Costs one request, and one to four more when there is something to compare; all ask for metadata only. Throws a
 * replaced-history error when the history is proven to be another one.
 */
export class History<T> {
  readonly #options: HistoryOptions<T>;
  /** The object of the last event, when that was its deletion. */
  #deleted: KubeObject | undefined;
  /** The object of the last event, when that was no deletion. */
  #changed: unknown;
  /** Whether the last check is to be made again. Until then the last event is that of before: later ones prove nothing. */
  #isOpen = false;
  /** Whether a question of the current check, about the past, got no answer. */
  #isUnanswered = false;

  constructor(options: HistoryOptions<T>) {
    this.#options = options;
  }

  /** Whether a new list has the objects of the cache, at the same versions. Without a cache: not known to differ. */
  agrees(items: readonly unknown[]): boolean {
    const { cache } = this.#options;
    if (!cache) return true;
    const isKnown = (item: unknown) => hasMetadata(item) && markOf(cache.get(keyOf(item))) === markOf(item);
    return !cache.isBehind() && items.every(isKnown) && countOf(cache) === items.length;
  }

  /** The last event deleted this object. */
  lastDeleted(object: unknown): void {
    if (this.#isOpen && (this.#deleted ?? this.#changed)) return;
    this.#deleted = hasMetadata(object) ? { metadata: object.metadata } : undefined;
    this.#changed = undefined;
  }

  /** The last event added or changed this object; undefined: a list came after it. */
  lastChanged(object: unknown): void {
    if (object === undefined) this.#isOpen = false;
    if (this.#isOpen && this.#deleted ? !isNamedLike(object, this.#deleted) : this.#isOpen && this.#changed) return;
    this.#deleted = undefined;
    this.#changed = object;
  }

  /** The collection has lost these objects. A deletion of one of them can no more be looked up in it. */
  hasLost(isLost: (object: KubeObject) => boolean): void {
    if (this.#deleted && isLost(this.#deleted)) this.#deleted = undefined;
  }

  /**
   * Rejects with a replaced-history error, with a moved-collection error, or with the signal's reason. After any other
   * error `isVerified` is false.
   */
  async check(since: ResourceVersion, signal: AbortSignal): Promise<HistoryCheck> {
    // an event that came during the check also makes a difference
    const hasMoved = () => (this.#options.reached?.() ?? since) !== since;
    try {
      const result = await this.#check(since, signal).catch((error) => {
        if (!(error instanceof Contradiction) || hasMoved()) throw error;
        return this.#check(since, signal);
      });
      this.#isOpen = !result.isVerified;
      return result;
    } catch (error) {
      const isNews = error instanceof Contradiction && hasMoved();
      if (signal.aborted || (isReplacedHistory(error) && !isNews) || isMovedCollection(error)) throw error;
      this.#isOpen = true;
      return { isVerified: false, isProven: false };
    }
  }

  async #check(since: ResourceVersion, signal: AbortSignal): Promise<HistoryCheck> {
    const { cache } = this.#options;
    this.#isUnanswered = false;
    const page = await this.ask(signal);
    const order = compareResourceVersions(page.resourceVersion, since);
    if (order === undefined) await this.#reaches(since, signal);
    else if (order < 0) throw replacedHistory(`the server is at version ${page.resourceVersion}, before ${since}`);
    this.#compare(page, since);
    if (!cache) return { isVerified: true, isProven: true }; // as far as versions show
    if (cache.isBehind()) return { isVerified: true, isProven: false };
    const last = await this.#compareLast(cache, page, since, signal);
    return { isVerified: !this.#isUnanswered, ...last };
  }

  /** Compares what the last event has changed. */
  async #compareLast(
    cache: CacheView,
    page: ListPage<unknown>,
    since: ResourceVersion,
    signal: AbortSignal,
  ): Promise<Omit<HistoryCheck, 'isVerified'>> {
    const deleted = this.#deleted;
    const changed = this.#lastChangedOf(cache);
    const newest = (this.#isOpen && changed) || (newestOf(cache) ?? changed);
    const last = deleted ?? newest;
    const wasSo =
      last && (await (last === deleted ? this.#wasGone(last, since, signal) : this.#wasThere(last, since, signal)));
    if (wasSo !== false) {
      const isKnown = wasSo === true;
      if (isKnown && last?.metadata.resourceVersion === since) return { isProven: true };
      return { isProven: (await this.#hasSameSize(cache, page, since, signal)) || isKnown };
    }
    if (!newest) return { isProven: false };
    const found = await this.#find(newest, signal);
    this.#compare(found, since);
    if (isEmpty(found)) return { isProven: false, absent: newest };
    const [item] = found.items;
    const isSame = hasMetadata(item) && item.metadata.resourceVersion === newest.metadata.resourceVersion;
    return { isProven: isSame && !deleted };
  }

  /** The cached object that the last event has changed: without an order, versions do not say which one it is. */
  #lastChangedOf(cache: CacheView): KubeObject | undefined {
    if (!hasMetadata(this.#changed)) return undefined;
    const cached = cache.get(keyOf(this.#changed));
    return hasMetadata(cached) && markOf(cached) === markOf(this.#changed) ? cached : undefined;
  }

  /** Whether the server had as many objects at our version as the cache has. False when it does not say. */
  async #hasSameSize(
    cache: CacheView,
    page: ListPage<unknown>,
    since: ResourceVersion,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { selectors, source } = this.#options;
    if (selectors?.labelSelector || selectors?.fieldSelector || source.isPart) return false;
    const then = page.resourceVersion === since ? page : await this.#askThen(since, signal);
    const theirs = then && sizeOf(then);
    if (theirs === undefined || cache.isBehind()) return false;
    const ours = countOf(cache);
    if (theirs !== ours)
      throw new Contradiction(`at version ${since} the server had ${theirs} objects, and the cache has ${ours}`);
    return true;
  }

  /** A list of at most one object at exactly a version; undefined when the server does not keep that state any more. */
  async #askThen(
    since: ResourceVersion,
    signal: AbortSignal,
    object?: KubeObject,
  ): Promise<ListPage<unknown> | undefined> {
    const at = { resourceVersion: since, resourceVersionMatch: 'Exact' } as const;
    const asked = object ? this.#find(object, signal, at) : this.ask(signal, undefined, at);
    const page = await asked.catch((error) => {
      signal.throwIfAborted();
      if (isMovedCollection(error)) throw error;
      if (!isRefusal(error)) this.#isUnanswered = true;
    });
    return page?.resourceVersion === since ? page : undefined; // a server may answer with another state
  }

  /** Whether a cached object is still the one in the cache, so that no event has changed it. */
  isUntouched(object: KubeObject): boolean {
    const { cache } = this.#options;
    return cache !== undefined && !cache.isBehind() && cache.get(keyOf(object)) === object;
  }

  /**
   * Whether the server had a cached object at our version, as it is in the cache. False when the server does not keep
   * that state any more, or cannot say. Throws when it had none, or another one: then its history is not ours.
   */
  async #wasThere(object: KubeObject, since: ResourceVersion, signal: AbortSignal): Promise<boolean> {
    const { uid, resourceVersion } = object.metadata;
    const page = await this.#askThen(since, signal, object);
    if (!page) return false;
    const [item] = page.items;
    const what = `"${keyOf(object)}"`;
    if (isEmpty(page)) throw new Contradiction(`at version ${since} the server did not have ${what}`);
    if (!isNamedLike(item, object)) return false;
    const { uid: itsUid, resourceVersion: its } = item.metadata;
    if (uid !== undefined && itsUid !== uid) throw new Contradiction(`${what} at version ${its} is another object`);
    if (its !== resourceVersion)
      throw new Contradiction(`${what} was at version ${its} on the server, and at ${resourceVersion} in an event`);
    return true;
  }

  /**
   * The same for an object that was deleted: the server must not have had it at our version, and must have had it just
   * before the deletion. Only both together prove it, because another history may never have had that object.
   */
  async #wasGone(object: KubeObject, since: ResourceVersion, signal: AbortSignal): Promise<boolean> {
    const what = `"${keyOf(object)}"`;
    const after = await this.#askThen(since, signal, object);
    if (isNamedLike(after?.items[0], object))
      throw new Contradiction(`at version ${since} the server had ${what}, and an event reported its deletion`);
    const { uid, resourceVersion } = object.metadata;
    const last = versionBefore(resourceVersion);
    if (!after || !isEmpty(after) || last === undefined) return false;
    const before = await this.#askThen(last, signal, object);
    if (!before) return false;
    const [item] = before.items;
    if (isNamedLike(item, object) && (uid === undefined || item.metadata.uid === uid)) return true;
    if (isEmpty(before) || isNamedLike(item, object))
      throw new Contradiction(
        `at version ${last} the server did not have ${what}, which was deleted at ${resourceVersion}`,
      );
    return false;
  }

  /** The version at which the server does not have an object; undefined when the server has it. */
  async absentAt(object: KubeObject, signal: AbortSignal): Promise<ResourceVersion | undefined> {
    const found = await this.#find(object, signal);
    return isEmpty(found) ? found.resourceVersion : undefined;
  }

  /** A list of at most one object, with the server's version. */
  ask(
    signal: AbortSignal,
    selectors: Selectors | undefined = this.#options.selectors,
    at: Pick<ListOptions, 'resourceVersion' | 'resourceVersionMatch'> = {},
  ): Promise<ListPage<unknown>> {
    const request = { ...selectors, ...at, limit: 1 };
    return this.#patiently(signal, (context) => this.#probe(request, { ...context, fresh: true }));
  }

  #probe(request: ListOptions & { limit: number }, context: CallContext): Promise<ListPage<unknown>> {
    const { source } = this.#options;
    return source.probe ? source.probe(request, context) : source.list(request, context);
  }

  /**
   * Checks that the server has reached a version. For versions that cannot be ordered: a server that has not reached
   * one answers so.
   */
  async #reaches(since: ResourceVersion, signal: AbortSignal): Promise<void> {
    const { source, selectors } = this.#options;
    const request = { ...selectors, resourceVersion: since, resourceVersionMatch: 'NotOlderThan', limit: 1 } as const;
    try {
      await this.#patiently(signal, (context) => source.list(request, context));
    } catch (error) {
      if (isTooLargeResourceVersion(error)) throw replacedHistory(`the server has not reached version ${since}`);
      throw error;
    }
  }

  #find(
    { metadata: { name, namespace } }: KubeObject,
    signal: AbortSignal,
    at: Pick<ListOptions, 'resourceVersion' | 'resourceVersionMatch'> = {},
  ): Promise<ListPage<unknown>> {
    const { labelSelector, fieldSelector } = this.#options.selectors ?? {};
    const fields = [fieldSelector, `metadata.name=${name}`, namespace ? `metadata.namespace=${namespace}` : undefined];
    return this.ask(signal, { labelSelector, fieldSelector: fields.filter(Boolean).join(',') }, at);
  }

  /** Throws when an object that was last changed at or before our version is not in the cache as it is. */
  #compare({ items }: ListPage<unknown>, since: ResourceVersion): void {
    const { cache } = this.#options;
    const [item] = items;
    if (!cache || cache.isBehind() || !hasMetadata(item)) return;
    const { uid, resourceVersion = '' } = item.metadata;
    const order = compareResourceVersions(resourceVersion, since);
    if (order === undefined || order > 0) return;
    const key = keyOf(item);
    const cached = cache.get(key);
    if (cached === undefined)
      throw new Contradiction(`the server has "${key}" at version ${resourceVersion}, and no event reported it`);
    const known = hasMetadata(cached) ? cached.metadata : {};
    const differs = (ours: string | undefined, theirs: string | undefined) =>
      ours !== undefined && theirs !== undefined && ours !== theirs;
    if (differs(known.uid, uid)) throw new Contradiction(`"${key}" at version ${resourceVersion} is another object`);
    if (differs(known.resourceVersion, resourceVersion))
      throw new Contradiction(
        `"${key}" is at version ${resourceVersion} on the server, and an event reported version ${known.resourceVersion}`,
      );
  }

  #patiently<R>(signal: AbortSignal, call: (context: CallContext) => Promise<R>): Promise<R> {
    const { name, clock } = this.#options;
    return withPatience(call, { what: `the list of ${name}`, signal, clock, idleMs: PATIENCE_MS });
  }
}

/** Whether the server has answered that it does not say it. After any other error it is to be asked again. */
function isRefusal(error: unknown): boolean {
  const code = Number(statusOf(error)?.code);
  return isTooLargeResourceVersion(error) || (code >= 400 && code < 500 && !isThrottled(error));
}

/** Whether a page proves that no object matches. A page that others follow does not. */
const isEmpty = (page: ListPage<unknown>) => page.items.length === 0 && !page.continue;

function countOf(cache: CacheView): number {
  let count = 0;
  for (const _ of cache.entries()) count++;
  return count;
}

/** The number of objects in a collection of which this is the first page; undefined when the server does not say it. */
function sizeOf({ items, continue: more, remainingItemCount }: ListPage<unknown>): number | undefined {
  if (!more) return items.length;
  return remainingItemCount === undefined ? undefined : items.length + remainingItemCount;
}

/** The version before a numeric one, which is the server's state before that change; undefined for other versions. */
function versionBefore(version = ''): ResourceVersion | undefined {
  return isComparable(version) ? String(BigInt(version) - 1n) : undefined;
}

function isNamedLike(item: unknown, { metadata: { name, namespace } }: KubeObject): item is KubeObject {
  return hasMetadata(item) && item.metadata.name === name && item.metadata.namespace === namespace;
}

/**
 * The cached object that was changed last; undefined where versions have no order. A server restored from a backup is
 * the least likely to have it.
 */
function newestOf(cache: CacheView): KubeObject | undefined {
  let newest: KubeObject | undefined;
  for (const [, object] of cache.entries()) {
    if (!hasMetadata(object) || !object.metadata.resourceVersion) continue;
    const order = compareResourceVersions(object.metadata.resourceVersion, newest?.metadata.resourceVersion ?? '1');
    if (order === undefined) return undefined;
    if (!newest || order > 0) newest = object;
  }
  return newest;
}
