import { PackedObject } from '../../informer/compact/packed-object.ts';
import type { SharedInformer } from '../../informer/shared-informer.ts';
import type { Lister } from '../../informer/store/lister.ts';
import { lightsOf, passingLight } from '../../kit/lazy-list.ts';
import { compareText } from '../../kit/text-order.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { type IndexedStore, viewedStore } from '../index/stored-index.ts';

/**
 * The objects of one type from which a question is answered, in a cache that is synced. A one-shot command holds just
 * what was asked for; a program that keeps caches gives a view of them.
 */
export interface CachedObjects {
  readonly type: ResourceType;
  /** Undefined = all that namespaces and selectors give. */
  readonly names: ReadonlySet<string> | undefined;
  /** Undefined for cluster-scoped types. */
  readonly namespaces: readonly string[] | undefined;
  /** The parts of it that may not be read. */
  readonly forbidden: readonly { readonly need: { readonly names: readonly string[] } }[];
  readonly informer: CachedInformer;
}

/**
 * The part of an informer that these objects are read from. `values` gives the objects in the order in which the server listed
 * them.
 */
export interface CachedInformer
  extends Pick<SharedInformer<UnknownObject>, 'name' | 'continuity' | 'confirm' | 'whenProven' | 'whenApplied'> {
  readonly lister: IndexedStore & Pick<Lister<UnknownObject>, 'values'>;
  /** Absent: not known. */
  readonly memory?: SharedInformer<UnknownObject>['memory'] | undefined;
  /** Absent: not known. */
  readonly sources?: SharedInformer<UnknownObject>['sources'] | undefined;
  /** The objects are not in the order of a list, as in a cache that has had changes. */
  readonly isUnordered?: boolean | undefined;
}

/** The cache, or the part of it that was asked for by name. */
export function storeOf({ informer: { lister }, names }: CachedObjects): IndexedStore {
  const store = viewedStore(lister);
  if (!names) return store;
  return scanned(
    passingLight(store.list(), (entry) => names.has((entry as ReadonlyObject).metadata.name ?? '')),
    store,
  );
}

/** A store of these objects, which may be some of another store, without indexes. */
export function scanned(
  objects: readonly ReadonlyObject[],
  { readerOf, glanceOf, valuesUnder }: Partial<IndexedStore> = {},
): IndexedStore {
  return {
    ...(readerOf && { readerOf }),
    ...(glanceOf && { glanceOf }),
    ...(valuesUnder && { valuesUnder }),
    size: objects.length,
    list: () => objects,
    hasIndex: () => false,
    byIndex: () => [],
    indexValues: () => [],
    indexCount: () => 0,
  };
}

/** The time since the cache last had proof that it is current, ms: the longest of its sources. */
export function ageMsOf({ informer: { continuity } }: CachedObjects): number {
  return Math.max(0, ...continuity.map(({ ageMs = 0 }) => ageMs));
}

/** Compares two places in a list. */
export type ComparePlaces = (a: number, b: number) => number;

/**
 * The order of objects in which the server listed them, namespace by namespace; of objects that were asked for by name
 * the order of the names. Undefined: they are in it. None is decoded for it: there may be many objects.
 */
export function serversOrder(
  objects: readonly ReadonlyObject[],
  { names, namespaces = [], informer }: CachedObjects,
  isLookedUp: boolean,
): ComparePlaces | undefined {
  if (!names && (objects.length < 2 || (namespaces.length < 2 && !isLookedUp && !informer.isUnordered)))
    return undefined;
  const entries = lightsOf(objects) as readonly Light[];
  const isPart = informer.isUnordered || objects.length < informer.lister.size / FEW_OF;
  if (!names && isPart && namespaces.length < 2)
    return (a, b) => compareText(keyIn(entries[a] as Light), keyIn(entries[b] as Light));
  const keys = entries.map(keyIn);
  const listedAt = new Map<ObjectKey, number>();
  const listed = informer.isUnordered ? keys.toSorted(compareText) : keysOf(informer.lister);
  for (const key of listed) listedAt.set(key, listedAt.size);
  const [nameAt, namespaceAt] = [placesOf(names ?? []), placesOf(namespaces)];
  const ranks = entries.map(({ metadata }, i) => [
    nameAt.get(metadata.name ?? '') ?? 0,
    namespaceAt.get(metadata.namespace ?? '') ?? 0,
    listedAt.get(keys[i] as ObjectKey) ?? 0,
  ]);
  return (a, b) => compareLists(ranks[a] as number[], ranks[b] as number[]);
}

/**
 * A small part of a cache is sorted by key, as an API server lists its objects, which costs less than to look where each
 * object is in the whole. Some types are listed in another order; they have few objects.
 */
const FEW_OF = 100;

type Light = Pick<ReadonlyObject, 'metadata'>;

/** The key of an entry of a store. A handle has it at hand. */
export const keyIn = (entry: Light): ObjectKey => (entry instanceof PackedObject ? entry.key : keyOf(entry));

/** The keys in the order of `values`. */
function keysOf(lister: CachedInformer['lister']): Iterable<ObjectKey> {
  return 'keys' in lister
    ? (lister as Pick<Lister<UnknownObject>, 'keys'>).keys()
    : Iterator.from(lister.values()).map(keyOf);
}

const placesOf = (words: Iterable<string>) => new Map([...words].map((word, i) => [word, i]));

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number);
  return 0;
}
