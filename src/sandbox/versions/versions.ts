import type { ResourceCall } from '../api/call.ts';
import type { Cluster } from '../cluster.ts';
import { tooLargeResourceVersion } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import type { ResolveService } from '../webhook-call.ts';
import { Converter } from './converter.ts';
import { VersionCache } from './version-cache.ts';
import { delegating, versionView } from './version-view.ts';

/** How long a read waits for the latest state. Source: apiserver storage/cacher blockTimeout. */
const WAIT_MS = 3_000;

/**
 * The versions of custom resources that a webhook converts. A type without one has nothing to do with it.
 *
 * A single object is converted for each request; lists and watches are answered from a cache in their version.
 */
export class Versions implements Disposable {
  readonly #cluster: Cluster;
  readonly #converter: Converter;
  readonly #caches = new Map<ApiType, VersionCache>();

  constructor(cluster: Cluster, resolveService: ResolveService) {
    this.#cluster = cluster;
    this.#converter = new Converter(cluster, resolveService);
  }

  /** An object of one version in another one. */
  convert(object: Parameters<Converter['convert']>[1], type: ApiType, signal: AbortSignal) {
    return this.#converter.convert(type, object, signal);
  }

  /** The cluster as a request about single objects sees it. See {@link versionView}. */
  viewed(cluster: Cluster, { type, method, name }: Pick<ResourceCall, 'type' | 'method' | 'name'>): Cluster {
    const stored = cluster.types.all.find(
      (each) => each.storage === type.storage && each.gvr.version === type.custom?.storedVersion,
    );
    const collection = () => this.#cacheOf(type).collection;
    const { store } = cluster;
    const writesMetadata = method === 'DELETE';
    const readsCollection = method === 'PUT' || method === 'PATCH' || (writesMetadata && name === undefined);
    const how = { collection, writesMetadata, readsCollection };
    return {
      ...cluster,
      store: versionView({ store, converter: this.#converter, type, stored: stored ?? type, ...how }),
    };
  }

  /** Waits until what a deletion of many objects reads is there. */
  async latest({ type, signal }: ResourceCall): Promise<void> {
    await this.#caughtUp(this.#cacheOf(type), type, signal);
  }

  /**
   * The cluster as a list or a watch sees it: it waits for the latest state, unless the request is content with less.
   * A list fails with the error of the webhook.
   */
  async read(call: ResourceCall, verb: 'list' | 'watch'): Promise<Cluster> {
    const { type, query, signal } = call;
    const cache = this.#cacheOf(type);
    const asked = query.get('resourceVersion') ?? '';
    if (verb === 'list' && asked !== '0') await this.#caughtUp(cache, type, signal);
    else await this.#begun(cache, asked === '', signal);
    cache.compact();
    const { store } = this.#cluster;
    const own = (storage: string) => storage === type.storage;
    const view = {
      ...delegating(store),
      get revision() {
        return cache.revision;
      },
      collection: (storage: string) => (own(storage) ? cache.collection : store.collection(storage)),
      oldestState: (storage: string) => Math.max(store.oldestState(storage), own(storage) ? cache.began : 0),
    };
    return { ...this.#cluster, store: view };
  }

  [Symbol.dispose](): void {
    for (const cache of this.#caches.values()) cache[Symbol.dispose]();
  }

  /** Waits until a cache shows the latest state. If the webhook fails, the present objects are converted once more. */
  async #caughtUp(cache: VersionCache, type: ApiType, signal: AbortSignal): Promise<void> {
    if (await this.#inTime(cache, this.#cluster.store.revision, signal)) return;
    const { store } = this.#cluster;
    for (const { object } of store.collection(type.storage).values())
      await this.#converter.convert(type, object, signal);
    await this.#inTime(cache, store.revision, signal);
  }

  async #begun(cache: VersionCache, isLatest: boolean, signal: AbortSignal): Promise<void> {
    const { revision } = this.#cluster.store;
    const isThere = await this.#inTime(cache, isLatest ? revision : 1, signal);
    if (!isThere) tooLargeResourceVersion(String(revision), cache.revision);
  }

  async #inTime(cache: VersionCache, revision: number, signal: AbortSignal): Promise<boolean> {
    if (cache.revision >= revision) return true;
    const late = new AbortController();
    using _timer = this.#cluster.clock.after(WAIT_MS, () => late.abort());
    await cache.reached(revision, AbortSignal.any([late.signal, signal])).catch(() => {});
    return cache.revision >= revision;
  }

  #cacheOf(type: ApiType): VersionCache {
    let cache = this.#caches.get(type);
    if (cache && !cache.isOver) return cache;
    for (const [each, { isOver }] of this.#caches) if (isOver) this.#caches.delete(each);
    cache = new VersionCache(this.#cluster, this.#converter, type);
    this.#caches.set(type, cache);
    return cache;
  }
}
