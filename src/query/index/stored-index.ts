import type { LookedAt } from '../../informer/compact/field-columns.ts';
import type { ScanOptions } from '../../informer/store/indexer.ts';
import type { Lister } from '../../informer/store/lister.ts';
import { reading } from '../../informer/store/object-index.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { IndexDefinition } from './index-definition.ts';
import { type Lookup, lookupTest, rangeKindOf } from './lookup.ts';

/** The part of a Lister that a query needs. */
export interface IndexedStore {
  readonly size: number;
  list(): readonly ReadonlyObject[];
  byIndex(name: string, value: string): readonly ReadonlyObject[];
  indexValues(
    name: string,
    range?: { readonly prefix: string } | { readonly from?: string; readonly to?: string },
  ): readonly string[];
  indexCount(name: string, value: string): number;
  /** It has a part of the objects of its indexes, whose counts are then not those of its objects. */
  readonly isPart?: boolean | undefined;
  /** See `Lister.scan`. Absent: `list` is used. */
  scan?(options: ScanOptions): Iterable<ReadonlyObject | undefined>;
  /** See `Lister.readerOf`. Absent: whole objects are read. */
  readerOf?<R>(looked: LookedAt, say: (object: ReadonlyObject) => R): (entry: unknown) => R;
  /** See `Lister.glanceOf`. Absent: whole objects are read. */
  glanceOf?(entry: unknown): ReadonlyObject;
  /** The values under which a kept index has an object. Absent: not known. */
  valuesUnder?(name: string, key: ObjectKey): readonly string[];
  /** The cache of which this store has all objects. Absent: not known. */
  readonly whole?: WholeCache | undefined;
  /** `list` is in the order of keys. */
  readonly isListedByKey?: boolean | undefined;
  /** Whether the store keeps this index. Other indexes are computed during a scan. */
  hasIndex(name: string): boolean;
}

/** A cache that lists its objects by key, and says what is written in it. */
export type WholeCache = Required<Pick<Lister<ReadonlyObject>, 'follow' | 'view' | 'viewByKey' | 'viewByKeys'>>;

/** A store that can give its objects one by one, without a list of them: see `Lister.view`. */
interface ViewedStore extends IndexedStore {
  view?(): readonly ReadonlyObject[];
  viewByIndex?(name: string, value: string): readonly ReadonlyObject[];
}

/** The store with lists that take no memory for their objects, if it has them. */
export function viewedStore(store: ViewedStore): IndexedStore {
  const { view, viewByIndex } = store;
  if (!view || !viewByIndex) return store;
  return {
    get size() {
      return store.size;
    },
    list: () => view.call(store),
    byIndex: (name, value) => viewByIndex.call(store, name, value),
    indexValues: (name, range) => store.indexValues(name, range),
    indexCount: (name, value) => store.indexCount(name, value),
    hasIndex: (name) => store.hasIndex(name),
    ...(store.scan ? { scan: (options) => store.scan?.(options) ?? [] } : {}),
    isPart: store.isPart,
    whole: store.whole,
    ...(store.readerOf && { readerOf: store.readerOf.bind(store) }),
    ...(store.glanceOf && { glanceOf: store.glanceOf.bind(store) }),
    ...(store.valuesUnder && { valuesUnder: store.valuesUnder.bind(store) }),
  };
}

/** Index functions by the names under which a store keeps them. */
export type StoredIndexers = Readonly<Record<string, (object: ReadonlyObject) => readonly string[]>>;

/**
 * The index functions that an informer must have so that it keeps these indexes. Indexes that cannot be kept are left
 * out, and those of `kept`, which the informer has already; every informer has `namespace`.
 */
export function indexersOf(
  definitions: Iterable<IndexDefinition>,
  kept: (key: string) => boolean = (key) => key === NAMESPACE,
): StoredIndexers {
  const missing = [...definitions].flatMap((each) => storedIndexOf(each) ?? []).filter(({ key }) => !kept(key));
  return Object.fromEntries(
    missing.map((each) => [each.key, reading(each.seen, (object: ReadonlyObject) => each.valuesOf(object))]),
  );
}

/** The index that a store keeps for a definition: itself, or the one through which it goes. */
export function storedIndexOf(definition: IndexDefinition): IndexDefinition | undefined {
  return definition.stable ? definition : definition.through?.index;
}

/** The key of the index that every informer has. It has cluster-scoped objects under '', which is no value here. */
const NAMESPACE = 'namespace';

/** Whether a value of a kept index is one of the definition. */
export const isValue = ({ key }: IndexDefinition, value: string) => key !== NAMESPACE || value !== '';

/** The values of a kept index in which a lookup looks. Values that are named need not exist. */
export function keptValues(store: IndexedStore, definition: IndexDefinition, lookup: Lookup): readonly string[] {
  const { through } = definition;
  if (through) {
    const test = lookupTest(lookup);
    return store.indexValues(through.index.key).filter((value) => through.expand(value).some(test));
  }
  if (lookup.kind === 'in') return lookup.values.filter((value) => isValue(definition, value));
  // a store orders quantities by size and times as instants: any other range looks at every value
  const isUnordered = lookup.kind === 'range' && !['quantity', 'time'].includes(rangeKindOf(lookup));
  const test = lookupTest(lookup);
  return store
    .indexValues(definition.key, isUnordered ? undefined : lookup)
    .filter((value) => isValue(definition, value) && test(value));
}

/** Every value of a kept index. */
export function valuesKept(store: IndexedStore, definition: IndexDefinition): string[] {
  return store.indexValues(definition.key).filter((value) => isValue(definition, value));
}

/** Every value of a kept index, with the number of objects that have it. */
export function keptCounts(store: IndexedStore, definition: IndexDefinition): { value: string; count: number }[] {
  return valuesKept(store, definition)
    .map((value) => ({ value, count: store.indexCount(definition.key, value) }))
    .filter(({ count }) => count > 0);
}
