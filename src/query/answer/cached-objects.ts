import type { SharedInformer } from '../../informer/shared-informer.ts';
import type { Lister } from '../../informer/store/lister.ts';
import { atPlaces, lightsOf, passing } from '../../kit/lazy-list.ts';
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
  return scanned(passing(store.list(), (object) => names.has(object.metadata.name ?? '')));
}

/** A store of these objects, without indexes. */
export function scanned(objects: readonly ReadonlyObject[]): IndexedStore {
  return {
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

/**
 * Objects as the server listed them, namespace by namespace; objects that were asked for by name in the order of the
 * names.
 */
export function inServersOrder(
  objects: readonly ReadonlyObject[],
  { names, namespaces = [], informer }: CachedObjects,
  isLookedUp: boolean,
): readonly ReadonlyObject[] {
  if (!names && (objects.length < 2 || (namespaces.length < 2 && !isLookedUp && !informer.isUnordered))) return objects;
  const isPart = informer.isUnordered || objects.length < informer.lister.size / FEW_OF;
  if (!names && isPart && namespaces.length < 2) return inKeyOrder(objects);
  const listedAt = new Map<ObjectKey, number>();
  const listed = informer.isUnordered ? sortedKeys(objects) : keysOf(informer.lister);
  for (const key of listed) listedAt.set(key, listedAt.size);
  const [nameAt, namespaceAt] = [placesOf(names ?? []), placesOf(namespaces)];
  const ranksOf = (object: Pick<ReadonlyObject, 'metadata'>) => [
    nameAt.get(object.metadata.name ?? '') ?? 0,
    namespaceAt.get(object.metadata.namespace ?? '') ?? 0,
    listedAt.get(keyOf(object)) ?? 0,
  ];
  return orderedBy(objects, ranksOf, compareLists);
}

/**
 * A small part of a cache is sorted by key, as an API server lists its objects, which costs less than to look where each
 * object is in the whole. Some types are listed in another order; they have few objects.
 */
const FEW_OF = 100;

/** The keys in the order of `values`. */
function keysOf(lister: CachedInformer['lister']): Iterable<ObjectKey> {
  return 'keys' in lister
    ? (lister as Pick<Lister<UnknownObject>, 'keys'>).keys()
    : Iterator.from(lister.values()).map(keyOf);
}

const inKeyOrder = (objects: readonly ReadonlyObject[]) => orderedBy(objects, keyOf, compareText);

const sortedKeys = (objects: readonly ReadonlyObject[]): ObjectKey[] => lightsOf(objects).map(keyOf).sort(compareText);

/** The objects in the order of what is read of the metadata of each. None is decoded for it: there may be many objects. */
function orderedBy<R>(
  objects: readonly ReadonlyObject[],
  read: (object: Pick<ReadonlyObject, 'metadata'>) => R,
  compare: (a: R, b: R) => number,
): readonly ReadonlyObject[] {
  const ranks = (lightsOf(objects) as Pick<ReadonlyObject, 'metadata'>[]).map((each) => read(each));
  const places = ranks.map((_, place) => place).sort((a, b) => compare(ranks[a] as R, ranks[b] as R));
  return atPlaces(objects, places);
}

const placesOf = (words: Iterable<string>) => new Map([...words].map((word, i) => [word, i]));

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number);
  return 0;
}
