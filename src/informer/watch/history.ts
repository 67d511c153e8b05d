import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import type { Selectors } from '../../model/list-options.ts';
import { hasMetadata, type KubeObject, type ListPage } from '../../model/object.ts';
import { compareResourceVersions, type ResourceVersion } from '../../model/resource-version.ts';
import { isTooLargeResourceVersion } from '../../model/status.ts';
import type { CallContext, ListerWatcher } from './lister-watcher.ts';
import { isMovedCollection } from './moved-collection.ts';
import { withPatience } from './patience.ts';

/** A reader's view of the part of a cache that comes from one source. */
export interface CacheView {
  get(key: ObjectKey): unknown;
  entries(): Iterable<readonly [ObjectKey, unknown]>;
  /** Whether changes that arrived are not in the cache, for now or for good: then a difference proves nothing. */
  isBehind(): boolean;
}

/** The server does not continue the history that our version belongs to: it was restored, wiped, or is another one behind the same address. */
class ReplacedHistoryError extends InformerError {
  constructor(what: string) {
    super('watch', `the server's history was replaced: ${what}`, {
      hint: 'an older backup was restored, the cluster was rebuilt, or the address leads to another one',
    });
  }
}

/** An object of the server's contradicts the cache. */
class Contradiction extends ReplacedHistoryError {}

export const isReplacedHistory = (error: unknown): boolean => error instanceof ReplacedHistoryError;

export const replacedHistory = (what: string): InformerError => new ReplacedHistoryError(what);

/** What a check found that did not contradict the cache. */
export interface HistoryCheck {
  /** The server answered with a version that is not before ours. */
  readonly isVerified: boolean;
  /** The newest cached object, when the server does not have it. Its deletion is then the next thing the stream must bring. */
  readonly absent?: KubeObject | undefined;
}

export interface HistoryOptions<T> {
  readonly name: string;
  readonly source: ListerWatcher<T>;
  readonly selectors: Selectors | undefined;
  readonly clock: Clock;
  readonly cache: CacheView | undefined;
}

/** How long an answer may take. A server that cannot say so soon is asked again when the stream is silent. */
const PATIENCE_MS = 10_000;

/**
 * Asks whether the server still has the history that a version belongs to. The most recent list of one object tells the version at which the
 * server is: a server that was restored or wiped is before ours. Later, when its version has passed ours, objects betray it: what the server
 * last changed at or before our version must be in the cache as it is.
 *
 * Costs one request, and one more when there is a cached object to compare; metadata only. Throws a replaced-history error when the history is
 * proven to be another one. Does not prove that it is the same: a server that agrees in all of this cannot be told apart.
 */
export class History<T> {
  readonly #options: HistoryOptions<T>;

  constructor(options: HistoryOptions<T>) {
    this.#options = options;
  }

  /** Rejects with a replaced-history error, when the collection has moved, or with the signal's reason. What else goes wrong is no answer: `isVerified` is false. */
  async check(since: ResourceVersion, signal: AbortSignal): Promise<HistoryCheck> {
    try {
      return await this.#check(since, signal).catch((error) => {
        if (!(error instanceof Contradiction)) throw error;
        return this.#check(since, signal); // an event that came while the server was asked also makes a difference
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
    if (order < 0) throw replacedHistory(`it is at version ${page.resourceVersion}, before ${since}`);
    this.#compare(page, since);
    const newest = cache && !cache.isBehind() ? newestOf(cache) : undefined;
    if (!newest) return { isVerified: true };
    const found = await this.#find(newest, signal);
    this.#compare(found, since);
    return { isVerified: true, absent: isEmpty(found) ? newest : undefined };
  }

  /** Whether no event has told anything of a cached object. */
  isUntouched(object: KubeObject): boolean {
    const { cache } = this.#options;
    return cache !== undefined && !cache.isBehind() && cache.get(keyOf(object)) === object;
  }

  /** The version at which the server does not have an object; undefined when it has it. */
  async absentAt(object: KubeObject, signal: AbortSignal): Promise<ResourceVersion | undefined> {
    const found = await this.#find(object, signal);
    return isEmpty(found) ? found.resourceVersion : undefined;
  }

  /** One object of the collection, and the version at which the server is. */
  ask(signal: AbortSignal, selectors: Selectors | undefined = this.#options.selectors): Promise<ListPage<unknown>> {
    const request = { ...selectors, limit: 1 };
    return this.#patiently(signal, (context) => this.#probe(request, { ...context, fresh: true }));
  }

  #probe(request: Selectors & { limit: number }, context: CallContext): Promise<ListPage<unknown>> {
    const { source } = this.#options;
    return source.probe ? source.probe(request, context) : source.list(request, context);
  }

  /** For versions that cannot be ordered: a server that has not reached ours says so. */
  async #reaches(since: ResourceVersion, signal: AbortSignal): Promise<boolean> {
    const { source, selectors } = this.#options;
    const request = { ...selectors, resourceVersion: since, resourceVersionMatch: 'NotOlderThan', limit: 1 } as const;
    try {
      await this.#patiently(signal, (context) => source.list(request, context));
      return true;
    } catch (error) {
      if (isTooLargeResourceVersion(error)) throw replacedHistory(`it has not reached version ${since}`);
      throw error;
    }
  }

  #find({ metadata: { name, namespace } }: KubeObject, signal: AbortSignal): Promise<ListPage<unknown>> {
    const { labelSelector, fieldSelector } = this.#options.selectors ?? {};
    const fields = [fieldSelector, `metadata.name=${name}`, namespace ? `metadata.namespace=${namespace}` : undefined];
    return this.ask(signal, { labelSelector, fieldSelector: fields.filter(Boolean).join(',') });
  }

  /** What was last changed at or before our version must be in the cache as it is. */
  #compare({ items }: ListPage<unknown>, since: ResourceVersion): void {
    const { cache } = this.#options;
    const [item] = items;
    if (!cache || cache.isBehind() || !hasMetadata(item)) return;
    const { uid, resourceVersion = '' } = item.metadata;
    const order = compareResourceVersions(resourceVersion, since);
    if (order === undefined || order > 0) return;
    const key = keyOf(item);
    const cached = cache.get(key);
    if (cached === undefined) throw new Contradiction(`it has "${key}" since version ${resourceVersion}, which never came`);
    const known = hasMetadata(cached) ? cached.metadata : {};
    const differs = (ours: string | undefined, theirs: string | undefined) => ours !== undefined && theirs !== undefined && ours !== theirs;
    if (differs(known.uid, uid)) throw new Contradiction(`its "${key}" of version ${resourceVersion} is another object`);
    if (differs(known.resourceVersion, resourceVersion))
      throw new Contradiction(`its "${key}" is of version ${resourceVersion}, where ${known.resourceVersion} was seen`);
  }

  #patiently<R>(signal: AbortSignal, call: (context: CallContext) => Promise<R>): Promise<R> {
    const { name, clock } = this.#options;
    return withPatience(call, { what: `the list of ${name}`, signal, clock, idleMs: PATIENCE_MS });
  }
}

/** A page that others follow says nothing of what is absent. */
const isEmpty = (page: ListPage<unknown>) => page.items.length === 0 && !page.continue;

/** The object that was changed last: a snapshot from before knows it least. */
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
