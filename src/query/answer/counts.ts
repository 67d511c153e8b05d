import { lightsOf } from '../../kit/lazy-list.ts';
import { isSecretResource } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { Redactor } from '../../stream/redact.ts';
import type { IndexDefinition } from '../index/index-definition.ts';
import { type IndexedStore, isValue, keptCounts, storedIndexOf } from '../index/stored-index.ts';
import { countedValues, countsOf, sortedCounts, type ValueCount } from './arrange.ts';
import { type CachedObjects, keyIn, storeOf } from './cached-objects.ts';
import { explainedText } from './explain.ts';
import { type Finding, filtered } from './found.ts';
import { lookedAtBy, saidOf } from './looked-at.ts';
import { isFiltered, type ObjectFilters } from './object-filters.ts';
import { pushedText } from './push-down.ts';
import type { Query } from './query.ts';

/** The values of an index in one cache, each with the number of objects that have it and meet the filters. */
export async function valueCountsOf(
  name: string,
  cached: CachedObjects,
  { catalog, redactor, matches, sink, pushedDownCaches }: Finding & { redactor: Redactor },
  question: Pick<Query, 'lookups' | 'showSecrets' | 'explain' | 'part'> & ObjectFilters,
): Promise<readonly ValueCount[]> {
  const definition = catalog.get(name);
  const { type } = cached;
  const isSecret = isSecretResource(type.gvr);
  const store = storeOf(cached);
  const isChosen = isFiltered(question);
  const objects = isChosen ? await filtered(question, store.list(), { matches, sink, store, type }) : undefined;
  const redact =
    isSecret && !question.showSecrets ? (object: ReadonlyObject) => redactor.redact(object, type.gvr) : undefined;
  const counting = { objects, isSecret, redact };
  if (question.explain)
    sink.notice(
      explainedText(cached, {
        how: explainCounts(definition, store, counting),
        filtered: objects?.length,
        pushed: pushedText(pushedDownCaches?.of(type)),
        part: question.part,
      }),
    );
  return valueCounts(definition, store, counting);
}

/** The objects that are counted, and whether their values may be shown. */
interface Counting {
  /** Default: all of the store. */
  readonly objects?: readonly ReadonlyObject[] | undefined;
  readonly isSecret?: boolean;
  /** Given where values may be secret. */
  readonly redact?: ((object: ReadonlyObject) => ReadonlyObject) | undefined;
}

/** How {@link valueCounts} counts, for `--explain`. */
function explainCounts(definition: IndexDefinition, store: IndexedStore, { objects, redact }: Counting): string {
  const { size } = store;
  if (isOfIndex(definition, store, { objects, redact }))
    return `values of the kept index ${definition.name}; scanned 0 of ${size}`;
  const count = objects?.length ?? size;
  return `values of ${definition.name} computed for each object; scanned ${count} of ${count}`;
}

/** Whether the counts are those of an index that the store keeps. */
const isOfIndex = ({ listed, key }: IndexDefinition, store: IndexedStore, { objects, redact }: Counting) =>
  !objects && !redact && !listed && !store.isPart && store.hasIndex(key);

/**
 * Counts the objects for each value of an index: the most frequent value first, then by value. The counts come from the
 * store's index if it keeps one; else the values of each object do, or what the store remembers of its fields.
 */
export function valueCounts(definition: IndexDefinition, store: IndexedStore, counting: Counting = {}): ValueCount[] {
  const { objects = store.list(), isSecret = false, redact } = counting;
  if (redact) return countedValues(definition, objects, redact);
  if (isOfIndex(definition, store, counting))
    return sortedCounts(keptCounts(store, definition).map(({ value, count }) => [value, count]));
  return countedUnder(definition, store, objects) ?? countedSeen(definition, store, objects, isSecret);
}

/** By the values under which the store keeps each object. Undefined if it does not. */
function countedUnder(
  definition: IndexDefinition,
  store: IndexedStore,
  objects: readonly ReadonlyObject[],
): ValueCount[] | undefined {
  const { through, listed } = definition;
  const stored = storedIndexOf(definition);
  if (!stored || !store.valuesUnder || !store.hasIndex(stored.key) || (listed && !through)) return undefined;
  const lists = new Map<string, readonly string[]>();
  const listOf = (value: string) => {
    const list = lists.get(value) ?? through?.list(value) ?? [value];
    lists.set(value, list);
    return list;
  };
  return countsOf(lightsOf(objects), (entry) => {
    const kept = store.valuesUnder?.(stored.key, keyIn(entry as ReadonlyObject)) ?? [];
    return through ? new Set(kept.flatMap(listOf)) : kept.filter((value) => isValue(definition, value));
  });
}

function countedSeen(
  definition: IndexDefinition,
  store: IndexedStore,
  objects: readonly ReadonlyObject[],
  isSecret: boolean,
): ValueCount[] {
  const looked = isSecret || definition.listed ? undefined : lookedAtBy([definition]);
  const values = saidOf(objects, store, looked, (object) => definition.listed?.(object) ?? definition.valuesOf(object));
  return countsOf(new Array(objects.length).keys(), values);
}
