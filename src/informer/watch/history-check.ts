import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import type { ListOptions, Selectors } from '../../model/list-options.ts';
import { hasMetadata, type KubeObject, type ListPage } from '../../model/object.ts';
import { compareResourceVersions, type ResourceVersion } from '../../model/resource-version.ts';
import { isTooLargeResourceVersion } from '../../model/status.ts';
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
  /** Whether the server answered with a version that is not before ours. */
  readonly isVerified: boolean;
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
}

/**
 * The longest wait for an answer, ms. A server that does not answer in time is asked again when the stream is silent.
 */
const PATIENCE_MS = 10_000;

/**
 * Checks whether the server still has the history that a version belongs to.
 * A list of one object, of the most recent state, returns the server's version. A server that was restored or wiped is
 * at first before our version. Later its version is past ours, and objects give it away: the object that the server
 * changed last at or before our version must be in the cache as it is, and the cached object that changed last must have
 * been on the server at our version, as far as the server still knows (`resourceVersionMatch=Exact`).
 * Costs one request, and one or two more when there is a cached object to compare; all ask for metadata only. Throws a
 * replaced-history error when the history is proven to be another one. A check that passes does not prove that it is
 * the same.
 */
export class History<T> {
  readonly #options: HistoryOptions<T>;

  constructor(options: HistoryOptions<T>) {
    this.#options = options;
  }

  /**
   * Rejects with a replaced-history error, with a moved-collection error, or with the signal's reason. After any other
   * error `isVerified` is false.
   */
  async check(since: ResourceVersion, signal: AbortSignal): Promise<HistoryCheck> {
    try {
      return await this.#check(since, signal).catch((error) => {
        if (!(error instanceof Contradiction)) throw error;
        return this.#check(since, signal); // an event that came during the check also makes a difference
      });
    } catch (error) {
      if (signal.aborted || isReplacedHistory(error) || isMovedCollection(error)) throw error;
      return { isVerified: false };
    }
  }

  async #check(since: ResourceVersion, signal: AbortSignal): Promise<HistoryCheck> {
    const { cache } = this.#options;
    const page = await this.ask(signal);
    const order = compareResourceVersions(page.resourceVersion, since);
    if (order === undefined) return { isVerified: await this.#reaches(since, signal) };
    if (order < 0) throw replacedHistory(`the server is at version ${page.resourceVersion}, before ${since}`);
    this.#compare(page, since);
    const newest = cache && !cache.isBehind() ? newestOf(cache) : undefined;
    if (!newest || (await this.#wasThere(newest, since, signal))) return { isVerified: true };
    const found = await this.#find(newest, signal);
    this.#compare(found, since);
    return { isVerified: true, absent: isEmpty(found) ? newest : undefined };
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
    const { namespace, name, uid, resourceVersion } = object.metadata;
    const at = { resourceVersion: since, resourceVersionMatch: 'Exact' } as const;
    const page = await this.#find(object, signal, at).catch((error) => {
      signal.throwIfAborted();
      if (isMovedCollection(error)) throw error;
    });
    if (page?.resourceVersion !== since) return false; // it answered with another state
    const [item] = page.items;
    const what = `"${keyOf(object)}"`;
    if (isEmpty(page)) throw new Contradiction(`at version ${since} the server did not have ${what}`);
    if (!hasMetadata(item) || item.metadata.name !== name || item.metadata.namespace !== namespace) return false;
    const { uid: itsUid, resourceVersion: its } = item.metadata;
    if (uid !== undefined && itsUid !== uid) throw new Contradiction(`${what} at version ${its} is another object`);
    if (its !== resourceVersion)
      throw new Contradiction(`${what} was at version ${its} on the server, and at ${resourceVersion} in an event`);
    return true;
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
   * Whether the server has reached a version. For versions that cannot be ordered: a server that has not reached one
   * answers so.
   */
  async #reaches(since: ResourceVersion, signal: AbortSignal): Promise<boolean> {
    const { source, selectors } = this.#options;
    const request = { ...selectors, resourceVersion: since, resourceVersionMatch: 'NotOlderThan', limit: 1 } as const;
    try {
      await this.#patiently(signal, (context) => source.list(request, context));
      return true;
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

/** Whether a page proves that no object matches. A page that others follow does not. */
const isEmpty = (page: ListPage<unknown>) => page.items.length === 0 && !page.continue;

/** The cached object that was changed last. A server restored from a backup is the least likely to have it. */
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
