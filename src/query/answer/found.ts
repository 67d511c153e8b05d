import type { LookedAt } from '../../informer/compact/field-columns.ts';
import { atPlaces, joined, lazyList, lightAt, lightsOf, passing } from '../../kit/lazy-list.ts';
import { formatGroupResource, isSecretResource } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { IndexCatalog } from '../index/index-catalog.ts';
import { formatExplanation, runLookups } from '../index/lookup-plan.ts';
import type { IndexedStore } from '../index/stored-index.ts';
import type { AnswerNotices } from './answer-sink.ts';
import { checkSortKeys, compareKeys } from './arrange.ts';
import { type CachedObjects, type ComparePlaces, keyIn, serversOrder, storeOf } from './cached-objects.ts';
import { explainedText } from './explain.ts';
import { keepFirst, keptFirst, type ValueOrder } from './first-objects.ts';
import { firstPlaces } from './first-places.ts';
import type { FoundIn } from './found-in.ts';
import { lookedAtBy, lookedAtByFilters, saidOf } from './looked-at.ts';
import type { Matcher } from './matcher.ts';
import { isFiltered, type ObjectFilters } from './object-filters.ts';
import { eachPatiently, placesPatiently } from './patient-filter.ts';
import { pushedText } from './push-down.ts';
import type { PushedDownCaches } from './pushed-down-caches.ts';
import type { Query } from './query.ts';
import { searchOf } from './search.ts';

/** An object of an answer, and its type. */
export interface Found {
  readonly object: ReadonlyObject;
  readonly type: ResourceType;
  /** As `object`, for a row of a table: no more than key, labels, time of creation and cells is certain. */
  readonly row?: ReadonlyObject;
  /** As `object`, with what is looked at. */
  look?(looked: LookedAt | undefined): ReadonlyObject;
}

/** The objects of one type that satisfy the lookups and the filters. */
export function findIn(
  question: Pick<Query, 'lookups' | 'explain' | 'part'> & ObjectFilters,
  cached: CachedObjects,
  finding: Finding,
): FoundIn {
  const store = askedStore(question, cached, finding);
  const looked = runLookups({ store, catalog: finding.catalog, lookups: question.lookups });
  const matching = (object: ReadonlyObject) => finding.matches(object, cached.type);
  const kept = isFiltered(question) ? passing(looked.objects, matching) : looked.objects;
  return foundOf(question, cached, { kept, store, ...looked, ...finding });
}

/** As {@link findIn}, without blocking other code while the filters are tested on many objects. */
export async function findPatiently(
  question: Parameters<typeof findIn>[0],
  cached: CachedObjects,
  finding: Finding,
): Promise<FoundIn> {
  const store = askedStore(question, cached, finding);
  const looked = runLookups({ store, catalog: finding.catalog, lookups: question.lookups });
  const kept = await filtered(question, looked.objects, { ...finding, store, type: cached.type });
  return foundOf(question, cached, { kept, store, ...looked, ...finding });
}

/**
 * The store that is searched. Where all objects of a cache are listed, it has them by key, so that none needs to be put
 * in order.
 */
function askedStore(
  question: Pick<Query, 'lookups'> & ObjectFilters,
  cached: CachedObjects,
  { areListed }: Pick<Finding, 'areListed'>,
): IndexedStore {
  const store = storeOf(cached);
  const { whole } = store;
  const isAll = areListed && whole && question.lookups.length === 0 && !isFiltered(question) && !isOfSeveral(cached);
  return isAll ? { ...store, list: () => whole.viewByKey(), isListedByKey: true } : store;
}

/** Whether the objects are asked for namespace by namespace. */
const isOfSeveral = ({ namespaces = [] }: CachedObjects) => namespaces.length > 1;

/** The objects that meet the filters. */
export async function filtered(
  question: Pick<Query, 'lookups'> & ObjectFilters,
  objects: readonly ReadonlyObject[],
  {
    matches,
    sink,
    store,
    type,
  }: Pick<Finding, 'matches' | 'sink'> & { readonly store: IndexedStore; readonly type: ResourceType },
): Promise<readonly ReadonlyObject[]> {
  if (!isFiltered(question)) return objects;
  const patience = patienceWith(sink, objects, type);
  const { halves } = matches;
  const looked = halves && !isSecretResource(type.gvr) ? await lookedAtByFilters(question) : undefined;
  if (!halves || !looked || !store.readerOf) {
    const search = isSecretResource(type.gvr) ? {} : await searchOf(question);
    const isWhole = question.lookups.length === 0 && store.scan !== undefined;
    // a list and a scan that are begun together have the same objects in the same places
    const searched = isWhole ? (store.scan?.(search) ?? []) : objects;
    return atAll(objects, await placesPatiently(searched, (object) => matches(object, type), patience));
  }
  const names = question.name || question.excludeName ? (lightsOf(objects) as readonly ReadonlyObject[]) : undefined;
  const holds = saidOf(objects, store, looked, (object) => halves.holds(object, type));
  const isMet = (place: number) =>
    (names === undefined || halves.isNamed(names[place]?.metadata.name ?? '')) && holds(place);
  return atAll(objects, await placesPatiently(new Array(objects.length).keys(), isMet, patience));
}

/** Says how far a look at many objects is. */
export const patienceWith = (
  { clock, notice }: AnswerNotices,
  { length }: readonly unknown[],
  { gvr }: ResourceType,
) => ({
  clock,
  onProgress: (count: number) => notice(`looked at ${count} of ${length} ${formatGroupResource(gvr)}`),
});

const atAll = (objects: readonly ReadonlyObject[], places: readonly number[]) =>
  places.length === objects.length ? objects : atPlaces(objects, places);

interface Looked extends ReturnType<typeof runLookups>, Pick<Finding, 'sink' | 'pushedDownCaches'> {
  /** The objects that also meet the filters. */
  readonly kept: readonly ReadonlyObject[];
  readonly store: IndexedStore;
}

function foundOf(
  question: Parameters<typeof findIn>[0],
  cached: CachedObjects,
  { kept, store, explanation, sink, pushedDownCaches }: Looked,
): FoundIn {
  const { lookups, explain } = question;
  const { type } = cached;
  if (explain) {
    const filtered = isFiltered(question) ? kept.length : undefined;
    sink.notice(
      explainedText(cached, {
        how: formatExplanation(explanation),
        filtered,
        pushed: pushedText(pushedDownCaches?.of(type)),
        part: question.part,
      }),
    );
  }
  const order = () => (store.isListedByKey ? undefined : serversOrder(kept, cached, lookups.length > 0));
  return { type, store, objects: kept, order };
}

/** The tools of a search beside the query. */
export interface Finding {
  readonly catalog: IndexCatalog;
  readonly matches: Matcher;
  readonly sink: AnswerNotices;
  /** The objects are asked for in their order, and not numbers of them. */
  readonly areListed?: boolean | undefined;
  /** The caches hold only what a server selected. */
  readonly pushedDownCaches?: Pick<PushedDownCaches, 'of'> | undefined;
}

/** The order and the number of objects that are asked for. */
interface Arrangement extends Partial<Pick<Query, 'sortBy' | 'limit'>> {
  readonly sortsDescending?: boolean | undefined;
}

/** The objects of several caches, sorted, and no more than the limit. Each is made when it is read. */
export async function arranged(
  all: readonly FoundIn[],
  { sortBy, sortsDescending, limit }: Arrangement,
  sink: AnswerNotices,
): Promise<readonly Found[]> {
  if (sortBy) return await sorted(all, { expression: sortBy, isDescending: sortsDescending ?? false }, limit, sink);
  let left = limit ?? Number.POSITIVE_INFINITY;
  const parts: (readonly Found[])[] = [];
  for (const found of all) {
    if (left <= 0) break;
    const order = found.order();
    const count = Math.min(left, found.objects.length);
    const objects = order ? atPlaces(found.objects, firstPlaces(found.objects.length, order, count)) : found.objects;
    parts.push(madeOf({ ...found, objects }, count));
    left -= count;
  }
  return joined(parts);
}

async function sorted(
  all: readonly FoundIn[],
  order: ValueOrder,
  limit: number | undefined,
  sink: AnswerNotices,
): Promise<readonly Found[]> {
  const only = all.length === 1 && limit !== undefined ? all[0] : undefined;
  const known = only && keptFirst(only, order, limit as number);
  if (known) return madeOf({ ...(only as FoundIn), objects: known });
  const keeping = only && keepFirst(only, order, limit as number);
  const keys: unknown[] = [];
  for (const found of all) await addFirstValues(keys, found, order.expression, sink);
  checkSortKeys(keys, order.expression.text);
  const starts: number[] = [];
  let count = 0;
  for (const { objects } of all) {
    starts.push(count);
    count += objects.length;
  }
  const listOf = (place: number) => (starts.length === 1 ? 0 : starts.findLastIndex((start) => start <= place));
  const orders: (ComparePlaces | undefined)[] = [];
  const listed = (a: number, b: number): number => {
    const [of, other] = [listOf(a), listOf(b)];
    if (of !== other) return of - other;
    if (!(of in orders)) orders[of] = all[of]?.order();
    const start = starts[of] as number;
    return orders[of]?.(a - start, b - start) ?? a - b;
  };
  const sign = order.isDescending ? -1 : 1;
  const compare: ComparePlaces = (a, b) => sign * compareKeys(keys[a], keys[b]) || listed(a, b);
  const places = firstPlaces(keys.length, compare, keeping?.most ?? limit);
  if (keeping) {
    const entries = lightsOf((only as FoundIn).objects) as readonly ReadonlyObject[];
    keeping.keep(places.map((place) => ({ key: keyIn(entries[place] as ReadonlyObject), value: keys[place] })));
    places.length = Math.min(places.length, limit as number);
  }
  return atPlaces(joined(all.map((found) => madeOf(found))), places);
}

/** Adds the first value of an expression in each object. What is remembered of its fields is not decoded. */
async function addFirstValues(
  values: unknown[],
  found: FoundIn,
  expression: NonNullable<Query['sortBy']>,
  sink: AnswerNotices,
): Promise<void> {
  const { objects, store, type } = found;
  const looked = isSecretResource(type.gvr) ? undefined : lookedAtBy([expression]);
  const value = saidOf(objects, store, looked, (object) => expression.values(object)[0]);
  const start = values.length;
  values.length += objects.length;
  const places = storedOrder(found);
  const read = (i: number) => {
    const place = places?.[i] ?? i;
    values[start + place] = value(place);
  };
  await eachPatiently(objects.length, read, patienceWith(sink, objects, type));
}

/** The places of objects that are listed by key, in the order in which the cache has them: neighbours are decoded together. */
function storedOrder({ objects, store }: FoundIn): readonly number[] | undefined {
  if (!store.isListedByKey || !store.whole) return undefined;
  const placeOf = new Map(lightsOf(objects).map((entry, place) => [entry, place]));
  const places = lightsOf(store.whole.view()).flatMap((entry) => placeOf.get(entry) ?? []);
  return places.length === objects.length ? places : undefined; // else something was written since
}

/** Each object is made when it is read, and then not again. */
const madeOf = ({ objects, type, store }: Pick<FoundIn, 'objects' | 'type' | 'store'>, count = objects.length) =>
  lazyList(count, (place): Found => {
    let object: ReadonlyObject | undefined;
    return {
      type,
      get object() {
        object ??= objects[place] as ReadonlyObject;
        return object;
      },
      get row() {
        return object ?? store.glanceOf?.(lightAt(objects, place)) ?? this.object;
      },
      look(looked) {
        const read =
          object || !looked || isSecretResource(type.gvr) ? undefined : store.readerOf?.(looked, (each) => each);
        return read ? read(lightAt(objects, place)) : this.object;
      },
    };
  });
