import { atPlaces, firstOf, lazyList, passing } from '../../kit/lazy-list.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { isSecretResource } from '../../model/secret-type.ts';
import type { IndexCatalog } from '../index/index-catalog.ts';
import { formatExplanation, runLookups } from '../index/lookup-plan.ts';
import type { AnswerNotices } from './answer-sink.ts';
import { sortedBy } from './arrange.ts';
import { type CachedObjects, inServersOrder, storeOf } from './cached-objects.ts';
import { explainedText } from './explain.ts';
import type { Matcher } from './matcher.ts';
import { isFiltered, type ObjectFilters } from './object-filters.ts';
import { placesPatiently } from './patient-filter.ts';
import { pushedText } from './push-down.ts';
import type { PushedDownCaches } from './pushed-down-caches.ts';
import type { Query } from './query.ts';
import { searchOf } from './search.ts';

/** An object of an answer, and its type. */
export interface Found {
  readonly object: ReadonlyObject;
  readonly type: ResourceType;
}

/** The objects of one type that satisfy the lookups and the filters. */
export function findIn(
  question: Pick<Query, 'lookups' | 'explain' | 'part' | 'count'> & ObjectFilters,
  cached: CachedObjects,
  { catalog, matches, sink, pushedDownCaches }: Finding,
): readonly Found[] {
  const { type } = cached;
  const looked = runLookups({ store: storeOf(cached), catalog, lookups: question.lookups });
  const matching = (object: ReadonlyObject) => matches(object, type);
  const kept = isFiltered(question) ? passing(looked.objects, matching) : looked.objects;
  return foundOf(question, cached, { kept, ...looked, sink, pushedDownCaches });
}

/** As {@link findIn}, without blocking other code while the filters are tested on many objects. */
export async function findPatiently(
  question: Parameters<typeof findIn>[0],
  cached: CachedObjects,
  finding: Finding,
): Promise<readonly Found[]> {
  if (!isFiltered(question)) return findIn(question, cached, finding);
  const { catalog, matches, sink } = finding;
  const { lookups } = question;
  const { type } = cached;
  const search = isSecretResource(type.gvr) ? {} : await searchOf(question);
  const store = storeOf(cached);
  const looked = runLookups({ store, catalog, lookups });
  const isWhole = lookups.length === 0 && store.scan !== undefined;
  const searched = isWhole ? (store.scan?.(search) ?? []) : looked.objects;
  // a list and a scan that are begun together have the same objects in the same places
  const places = await placesPatiently(searched, (object) => matches(object, type), {
    clock: sink.clock,
    onProgress: (count) =>
      sink.notice(`looked at ${count} of ${looked.objects.length} ${formatGroupResource(type.gvr)}`),
  });
  const isAll = places.length === looked.objects.length;
  const kept = isAll ? looked.objects : atPlaces(looked.objects, places);
  return foundOf(question, cached, { kept, ...looked, ...finding });
}

interface Looked extends ReturnType<typeof runLookups>, Pick<Finding, 'sink' | 'pushedDownCaches'> {
  /** The objects that also meet the filters. */
  readonly kept: readonly ReadonlyObject[];
}

function foundOf(
  question: Parameters<typeof findIn>[0],
  cached: CachedObjects,
  { kept, explanation, sink, pushedDownCaches }: Looked,
): readonly Found[] {
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
  // the order of objects that are only counted is not seen, and to find it reads each of them
  const ordered = question.count ? kept : inServersOrder(kept, cached, lookups.length > 0);
  return lazyList(ordered.length, (i) => ({ object: ordered[i] as ReadonlyObject, type }));
}

/** The tools of a search beside the query. */
export interface Finding {
  readonly catalog: IndexCatalog;
  readonly matches: Matcher;
  readonly sink: AnswerNotices;
  /** The caches hold only what a server selected. */
  readonly pushedDownCaches?: Pick<PushedDownCaches, 'of'> | undefined;
}

/** The objects sorted, and no more than the limit. */
export function arrange<T extends Found>(
  found: readonly T[],
  { sortBy, sortsDescending, limit }: Pick<Query, 'sortBy' | 'sortsDescending' | 'limit'>,
): readonly T[] {
  const sorted = sortBy
    ? sortedBy(found, ({ object }) => sortBy.values(object), { expression: sortBy.text, isDescending: sortsDescending })
    : found;
  return limit === undefined ? sorted : firstOf(sorted, limit);
}
