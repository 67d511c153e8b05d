import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import type { GroupResource } from '../../model/gvr.ts';
import type { ObjectKey } from '../../model/key.ts';
import { joinKey } from '../../model/key.ts';
import { LabelSelector } from '../../model/label-selector.ts';
import { type DeepReadonly, hasMetadata } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import { notFound, StatusError } from '../../model/status.ts';
import type { LookedAt } from '../compact/field-columns.ts';
import type { Cached } from '../compact/packed-object.ts';
import { readonlyView } from '../handlers/notification.ts';
import type { Indexer, ScanOptions } from './indexer.ts';
import { NAMESPACE_INDEX } from './object-index.ts';
import type { ValueRange } from './value-range.ts';
import type { WrittenKeys } from './written-keys.ts';

/** The selection of a lister: objects of a namespace, and objects that a selector matches. Default: all. */
export interface ListFilter {
  /** Only this namespace. '' or absent: all. */
  namespace?: string | undefined;
  /** Only objects whose labels match. A string is parsed like kubectl's `-l`. */
  selector?: LabelSelector | string | undefined;
}

const KNOWN_FILTER = { namespace: 'text', selector: true } satisfies KnownOptionsOf<ListFilter>;

/**
 * The reader's side of a cache. It returns the cache's own objects. They are read-only, and an event replaces an object
 * and never changes it. Lists are in no particular order. Source: client-go tools/cache/listers.go.
 * @example
 * const { lister } = dynamicInformerFactory(client).forResource(parseGvr('v1/pods'));
 * const one = lister.get('shop/web-1');
 * const all = lister.list({ namespace: 'shop' });
 */
export interface Lister<T> {
  readonly size: number;
  /** The version of the last change that readers can see. */
  readonly resourceVersion: ResourceVersion;
  get(key: ObjectKey): DeepReadonly<T> | undefined;
  /** @internal As `get`, for a row: a compact store gives no more than key, labels, time of creation and cells. */
  glance(key: ObjectKey): DeepReadonly<T> | undefined;
  /** Like `get`, but throws the API server's NotFound `StatusError` when there is no such object. */
  require(key: ObjectKey): DeepReadonly<T>;
  has(key: ObjectKey): boolean;
  keys(): IterableIterator<ObjectKey>;
  /** Iterates over all objects without making a list. Do not await between two steps, because the cache may change. */
  values(): IterableIterator<DeepReadonly<T>>;
  /**
   * All objects, or those that match the filter. Throws `argument` for an unknown filter field, which would otherwise
   * match all.
   */
  list(filter?: ListFilter): DeepReadonly<T>[];
  /**
   * As `list`, for large caches: a read-only list of the objects of this moment. From a compact store each is decoded
   * when it is read, and not kept, so that a loop or a `filter` over it takes no memory for what it passes.
   */
  view(filter?: ListFilter): readonly DeepReadonly<T>[];
  /**
   * The objects of this moment one by one, for a search; it may await between them. What the options say of the search
   * lets a compact store decode less: undefined comes in place of an object that cannot be meant, and an object may
   * have the named fields only. Throws `argument` for a text that is not a path.
   */
  scan(options?: ScanOptions): Iterable<DeepReadonly<T> | undefined>;
  /**
   * @internal Says something of the objects of a `view` by parts of them; `lightsOf` gives their entries. Objects in which
   * these parts are equal may be one object, and `say` is called once for them. Absent: read the objects themselves.
   */
  readerOf?<R>(looked: LookedAt, say: (object: DeepReadonly<T>) => R): (entry: unknown) => R;
  /** @internal The values under which an index has an object; none for an index that does not exist. */
  valuesUnder?(name: string, key: ObjectKey): readonly string[];
  /** @internal A `view` of all objects by ascending key, by bytes. */
  viewByKey?(): readonly DeepReadonly<T>[];
  /** @internal The keys that are written from now on, at most this number of them. */
  follow?(most: number): WrittenKeys;
  /** @internal A `view` of the objects with these keys. */
  viewByKeys?(keys: readonly ObjectKey[]): readonly DeepReadonly<T>[];
  /** @internal As `glance`, of an entry of a `view`. */
  glanceOf?(entry: unknown): DeepReadonly<T>;
  /** A view of one namespace, with objects by name. */
  byNamespace(namespace: string): NamespaceLister<T>;
  /** The objects under a value of an index. Throws `argument` for an index that does not exist. */
  byIndex(name: string, value: string): DeepReadonly<T>[];
  /** As `byIndex`, for many objects: see `view`. */
  viewByIndex(name: string, value: string): readonly DeepReadonly<T>[];
  /** The keys of these objects, ascending. */
  indexKeys(name: string, value: string): ObjectKey[];
  /**
   * The objects under the values of an index that begin with a prefix or lie in a range, by ascending value, each once.
   * Throws like `byIndex`.
   */
  byIndexRange(name: string, range: ValueRange): DeepReadonly<T>[];
  /** All values of an index in no order, or those in a range, ascending. Empty for an index that does not exist. */
  indexValues(name: string, range?: ValueRange): string[];
  /** The number of objects under a value of an index. */
  indexCount(name: string, value: string): number;
  hasIndex(name: string): boolean;
}

/** Creates the lister of an indexer. The NotFound errors of `require` name `resource`. */
export function createLister<T>(
  indexer: Indexer<T>,
  resource: GroupResource = { group: '', resource: 'objects' },
): Lister<T> {
  return new IndexerLister(indexer, resource);
}

/** A {@link Lister} of one namespace. '' lists all namespaces and finds cluster-scoped names. */
export interface NamespaceLister<T> {
  get(name: string): DeepReadonly<T> | undefined;
  require(name: string): DeepReadonly<T>;
  list(filter?: { selector?: LabelSelector | string | undefined }): DeepReadonly<T>[];
}

class IndexerLister<T> implements Lister<T> {
  readonly #indexer: Indexer<T>;
  readonly #resource: GroupResource;

  constructor(indexer: Indexer<T>, resource: GroupResource) {
    this.#indexer = indexer;
    this.#resource = resource;
  }

  get size(): number {
    return this.#indexer.size;
  }

  get resourceVersion(): ResourceVersion {
    return this.#indexer.resourceVersion;
  }

  get(key: ObjectKey): DeepReadonly<T> | undefined {
    const object = this.#indexer.get(key);
    return object === undefined ? undefined : readonlyView(object);
  }

  glance(key: ObjectKey): DeepReadonly<T> | undefined {
    return this.#indexer.glance(key) as DeepReadonly<T> | undefined;
  }

  require(key: ObjectKey): DeepReadonly<T> {
    const object = this.get(key);
    if (object === undefined) throw new StatusError(notFound(this.#resource, key.slice(key.indexOf('/') + 1)));
    return object;
  }

  has(key: ObjectKey): boolean {
    return this.#indexer.has(key);
  }

  keys(): IterableIterator<ObjectKey> {
    return this.#indexer.keys();
  }

  *values(): Generator<DeepReadonly<T>> {
    for (const object of this.#indexer.values()) yield readonlyView(object);
  }

  list(filter: ListFilter = {}): DeepReadonly<T>[] {
    checkOptions('list', filter, KNOWN_FILTER);
    return this.#found(filter).map((cached) => readonlyView(this.#indexer.store.open(cached, true)));
  }

  view(filter: ListFilter = {}): readonly DeepReadonly<T>[] {
    checkOptions('view', filter, KNOWN_FILTER);
    return this.#viewOf(this.#found(filter));
  }

  scan(options?: ScanOptions): Iterable<DeepReadonly<T> | undefined> {
    return this.#indexer.scan(options) as Iterable<DeepReadonly<T> | undefined>;
  }

  readerOf<R>(looked: LookedAt, say: (object: DeepReadonly<T>) => R): (entry: unknown) => R {
    return this.#indexer.store.reader(looked, say as (object: T) => R) as (entry: unknown) => R;
  }

  viewByKey(): readonly DeepReadonly<T>[] {
    return this.#viewOf(this.#indexer.store.byKey());
  }

  follow(most: number): WrittenKeys {
    return this.#indexer.follow(most);
  }

  viewByKeys(keys: readonly ObjectKey[]): readonly DeepReadonly<T>[] {
    return this.#viewOf(keys.flatMap((key) => this.#indexer.store.items.get(key) ?? []));
  }

  glanceOf(entry: unknown): DeepReadonly<T> {
    return this.#indexer.store.glance(entry as Cached<T>) as DeepReadonly<T>;
  }

  valuesUnder(name: string, key: ObjectKey): readonly string[] {
    return this.#indexer.valuesUnder(name, key);
  }

  #found({ namespace, selector }: ListFilter): Cached<T>[] {
    const parsed =
      typeof selector === 'string' ? LabelSelector.parse(selector) : (selector ?? LabelSelector.everything);
    if (parsed.matchesNothing) return [];
    const all = this.#in(namespace);
    return [...(parsed.matchesEverything ? all : Iterator.from(all).filter((cached) => matches(parsed, cached)))];
  }

  #viewOf(found: readonly Cached<T>[]): readonly DeepReadonly<T>[] {
    return this.#indexer.store.view(found) as unknown as readonly DeepReadonly<T>[]; // as readonlyView, for each
  }

  byNamespace(namespace: string): NamespaceLister<T> {
    return {
      get: (name) => this.get(joinKey(namespace, name)),
      require: (name) => this.require(joinKey(namespace, name)),
      list: (filter = {}) => {
        checkOptions('list', filter, KNOWN_FILTER);
        return this.list({ ...filter, namespace });
      },
    };
  }

  byIndex(name: string, value: string): DeepReadonly<T>[] {
    return this.#indexer.byIndex(name, value).map(readonlyView);
  }

  viewByIndex(name: string, value: string): readonly DeepReadonly<T>[] {
    return this.#viewOf(this.#indexer.cachedByIndex(name, value));
  }

  indexKeys(name: string, value: string): ObjectKey[] {
    return this.#indexer.indexKeys(name, value);
  }

  byIndexRange(name: string, range: ValueRange): DeepReadonly<T>[] {
    return this.#indexer.byIndexRange(name, range).map(readonlyView);
  }

  indexValues(name: string, range?: ValueRange): string[] {
    return this.#indexer.indexValues(name, range);
  }

  indexCount(name: string, value: string): number {
    return this.#indexer.indexCount(name, value);
  }

  hasIndex(name: string): boolean {
    return this.#indexer.hasIndex(name);
  }

  #in(namespace: string | undefined): Iterable<Cached<T>> {
    if (!namespace) return this.#all();
    if (this.#indexer.hasIndex(NAMESPACE_INDEX)) return this.#indexer.cachedByIndex(NAMESPACE_INDEX, namespace);
    return this.#all().filter((object) => hasMetadata(object) && object.metadata.namespace === namespace);
  }

  #all(): IteratorObject<Cached<T>> {
    return this.#indexer.store.items.values();
  }
}

function matches(selector: LabelSelector, object: unknown): boolean {
  return hasMetadata(object) && selector.matches(object.metadata.labels);
}
