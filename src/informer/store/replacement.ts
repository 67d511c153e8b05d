import type { InformerError } from '../../kit/error.ts';
import { everyNth } from '../../kit/every-nth.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { Cached } from '../compact/packed-object.ts';
import type { CacheStore } from './cache-store.ts';
import { Index, type IndexFn } from './object-index.ts';

/** Options of {@link Indexer.replace}. */
export interface ReplaceOptions<T = unknown> {
  /** Whether a key is part of the replacement. All other keys stay as they are. Default: all are part of it. */
  within?: ((key: ObjectKey) => boolean) | undefined;
  /** The keys of the objects, when they are known. The replacement may change this array. */
  keys?: ObjectKey[] | undefined;
  /** Called with each change before readers can see it. */
  observer?: ReplaceObserver<T> | undefined;
}

const KNOWN_REPLACE = {
  within: 'function',
  keys: 'list',
  observer: true,
} satisfies KnownOptionsOf<ReplaceOptions>;

/** Called with what a replacement of the whole content of an {@link Indexer} changes. */
export interface ReplaceObserver<T> {
  /** Called first, and again when a write between two steps makes the calls since then invalid. */
  begin(): void;
  put(key: ObjectKey, old: T | undefined, object: T): void;
  gone(key: ObjectKey, old: T): void;
}

/** The most objects of a part that are replaced one by one. */
const FEW = 1024;

type OnIndexError = (error: InformerError) => void;

/** The indexer whose content is replaced. */
export interface ReplacedIndexer<T> {
  readonly store: CacheStore<T>;
  readonly indexes: ReadonlyMap<string, Index<T>>;
  readonly isTransforming: boolean;
  keyOf(object: unknown): ObjectKey;
  transformed(object: Cached<T>): Cached<T>;
  valuesOf(name: string, fn: IndexFn<T>, key: ObjectKey, object: Cached<T>, onError: OnIndexError): readonly string[];
}

/** One object to be stored, with its values for each index. */
interface Put<T> {
  readonly object: Cached<T>;
  readonly values: readonly (readonly string[])[];
}

/** The changes of a part of an indexer. */
export interface PartChanges<T> {
  readonly gone: readonly ObjectKey[];
  readonly puts: ReadonlyMap<ObjectKey, Put<T>>;
  readonly indexErrors: readonly InformerError[];
}

/** The whole content of an indexer. */
export interface IndexerState<T> {
  readonly items: Map<ObjectKey, Cached<T>>;
  readonly indexes: Map<string, Index<T>>;
  readonly indexErrors: readonly InformerError[];
}

/**
 * A replacement of the content of an indexer, or of a part of it: what it changes, computed without a change. Keys,
 * transformed objects and entries are computed when they are needed, and once.
 */
export class StoreReplacement<T> {
  readonly #indexer: ReplacedIndexer<T>;
  readonly #objects: readonly Cached<T>[];
  readonly #keys: ObjectKey[];
  readonly #within: ((key: ObjectKey) => boolean) | undefined;
  readonly #observer: ReplaceObserver<Cached<T>> | undefined;
  /** The objects as they are stored, as far as they are known. */
  readonly #kept: Cached<T>[] | undefined;

  constructor(
    indexer: ReplacedIndexer<T>,
    objects: readonly Cached<T>[],
    { within, keys = [], observer }: ReplaceOptions<Cached<T>>,
  ) {
    this.#indexer = indexer;
    this.#objects = objects;
    this.#keys = keys;
    this.#within = within;
    this.#observer = observer;
    this.#kept = indexer.isTransforming || !indexer.store.keepsObjects ? [] : undefined;
  }

  /**
   * The changes of a few objects among many, to be made in place: a second state beside the current one would copy all
   * the others. Undefined when they are not few. Everything that may throw comes before the first call of the observer.
   */
  fewChanges(): PartChanges<T> | undefined {
    const { items } = this.#indexer.store;
    const within = this.#within;
    const before = !within || this.#objects.length > FEW ? undefined : fewOf(items.keys(), within);
    if (!before) return undefined;
    const indexErrors: InformerError[] = [];
    const puts = new Map<ObjectKey, Put<T>>();
    for (let i = 0; i < this.#objects.length; i++) {
      const key = this.#keyAt(i);
      const object = this.#keptAt(i);
      const values = Array.from(this.#indexer.indexes, ([name, { fn }]) =>
        this.#indexer.valuesOf(name, fn, key, object, (error) => indexErrors.push(error)),
      );
      puts.set(key, { object, values });
    }
    const gone = before.filter((key) => !puts.has(key));
    const observer = this.#observer;
    observer?.begin();
    for (const [key, { object }] of puts) observer?.put(key, items.get(key), object);
    for (const key of gone) observer?.gone(key, items.get(key) as Cached<T>);
    return { gone, puts, indexErrors };
  }

  /** The state after the replacement. It is built beside the current state and visits each object once. */
  *state(): Generator<undefined, IndexerState<T>> {
    const { store, indexes: current } = this.#indexer;
    const within = this.#within;
    const observer = this.#observer;
    const indexes = [...current].map(([name, { fn }]) => [name, new Index<T>(fn)] as const);
    const indexErrors: InformerError[] = [];
    const onIndexError = (error: InformerError) => indexErrors.push(error);
    const items = new Map<ObjectKey, Cached<T>>();
    if (within) yield* this.#copyOthers(within, items, indexes);
    const seen = within ? new Map<ObjectKey, Cached<T>>() : items;
    const count = this.#objects.length;
    observer?.begin();
    const isFull = everyNth(store.slice);
    for (let i = 0; i < count; i++) {
      if (isFull()) yield;
      const key = this.#keyAt(i);
      const object = this.#keptAt(i);
      for (const [name, index] of indexes)
        index.file(key, this.#indexer.valuesOf(name, index.fn, key, object, onIndexError));
      // a replacement of a part may be done twice, if another part changes meanwhile
      const cached = store.incoming(key, object, count, !within);
      if (cached !== object && this.#kept) this.#kept[i] = cached;
      items.set(key, cached);
      if (within) seen.set(key, cached);
      observer?.put(key, store.items.get(key), cached);
    }
    if (observer && seen.size < count) this.#putOnce(seen, observer);
    if (observer) yield* this.#reportGone(items, observer);
    return { items, indexes: new Map(indexes), indexErrors };
  }

  /** All objects as far as they are prepared, and the others as they came. */
  *given(): Generator<Cached<T>> {
    const kept = this.#kept ?? [];
    for (let i = 0; i < this.#objects.length; i++) yield (i < kept.length ? kept[i] : this.#objects[i]) as Cached<T>;
  }

  #keyAt(i: number): ObjectKey {
    if (i === this.#keys.length) this.#keys.push(this.#indexer.keyOf(this.#objects[i]));
    return this.#keys[i] as ObjectKey;
  }

  #keptAt(i: number): Cached<T> {
    const kept = this.#kept;
    if (!kept) return this.#objects[i] as Cached<T>;
    if (i === kept.length) kept.push(this.#indexer.transformed(this.#objects[i] as Cached<T>));
    return kept[i] as Cached<T>;
  }

  /** Copies the objects that are not part of the replacement, with their index values. */
  *#copyOthers(
    within: (key: ObjectKey) => boolean,
    items: Map<ObjectKey, Cached<T>>,
    indexes: readonly (readonly [string, Index<T>])[],
  ): Generator<undefined, void> {
    const { store, indexes: current } = this.#indexer;
    const isFull = everyNth(this.#indexer.store.slice);
    for (const [key, cached] of store.items) {
      if (isFull()) yield;
      if (within(key)) continue;
      items.set(key, cached);
      for (const [name, index] of indexes) index.file(key, current.get(name)?.valuesOf(key) ?? []);
    }
  }

  /** Repeats the calls for a list that contains a key twice, with each key once. */
  #putOnce(seen: ReadonlyMap<ObjectKey, Cached<T>>, observer: ReplaceObserver<Cached<T>>): void {
    observer.begin();
    for (const [key, cached] of seen) observer.put(key, this.#indexer.store.items.get(key), cached);
  }

  *#reportGone(
    items: ReadonlyMap<ObjectKey, Cached<T>>,
    observer: ReplaceObserver<Cached<T>>,
  ): Generator<undefined, void> {
    const isFull = everyNth(this.#indexer.store.slice);
    for (const [key, old] of this.#indexer.store.items) {
      if (isFull()) yield;
      if (!items.has(key)) observer.gone(key, old);
    }
  }
}

/** The keys that `holds` accepts; undefined when there are more than one step handles. */
function fewOf(keys: Iterable<ObjectKey>, holds: (key: ObjectKey) => boolean): ObjectKey[] | undefined {
  const few: ObjectKey[] = [];
  for (const key of keys) if (holds(key) && few.push(key) > FEW) return undefined;
  return few;
}

/** Throws `argument` for an option that no replacement has. */
export function checkReplaceOptions(options: ReplaceOptions): void {
  checkOptions('replace', options, KNOWN_REPLACE);
}
