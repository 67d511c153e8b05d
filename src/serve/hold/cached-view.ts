import { joined, passing, passingLight } from '../../kit/lazy-list.ts';
import { FieldSelector } from '../../model/field-selector.ts';
import { isSecretResource } from '../../model/gvr.ts';
import { joinKey, type ObjectKey } from '../../model/key.ts';
import { LabelSelector } from '../../model/label-selector.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { CachedObjects } from '../../query/answer/cached-objects.ts';
import type { WholeCache } from '../../query/index/stored-index.ts';
import { fieldsOfSelector, isFieldKnown, selectorFieldValue } from './field-values.ts';
import type { ServedCache } from './served-cache.ts';

/** The part of a cache that a question is about. */
export interface RequestedPart {
  readonly names: readonly string[];
  /** [''] = all. */
  readonly namespaces: readonly string[];
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
}

/** Why a cache cannot answer for a part; undefined if it can. */
export function whyNotCached(
  { type, namespaces: cached }: Pick<ServedCache, 'type' | 'namespaces'>,
  part: RequestedPart,
): string | undefined {
  const missing = cached?.includes('') ? [] : part.namespaces.filter((each) => !cached?.includes(each));
  if (cached !== undefined && missing.length > 0) {
    const all = missing.includes('') ? 'all namespaces' : `the namespace ${missing.join(', ')}`;
    return `it does not hold ${type.gvr.resource} of ${all}`;
  }
  const other = FieldSelector.parse(part.fieldSelector ?? '').requirements.find(
    ({ field }) => !isFieldKnown(type, field),
  );
  return other && `only the API server selects ${type.gvr.resource} by ${other.field}`;
}

/** The part of a cache that a question is about, as what it is answered from. Nothing is copied. */
export function viewOf(target: ServedCache, part: RequestedPart): CachedObjects {
  const { type, informer, forbidden } = target;
  const namespaces = type.namespaced ? part.namespaces : undefined;
  const scope = namespaces?.includes('') ? undefined : namespaces;
  const { lister } = informer;
  const kept = selecting(target, part);
  const isWhole = kept === undefined && scope === undefined;
  const inScope = (entry: unknown) => scope?.includes((entry as ReadonlyObject).metadata.namespace as string) ?? true;
  const selected = (objects: readonly ReadonlyObject[]) => kept?.(objects) ?? objects;
  const keys = keysIn(type, part);
  const list = () =>
    selected(
      keys && lister.viewByKeys
        ? lister.viewByKeys(keys)
        : scope
          ? joined(scope.map((namespace) => lister.viewByIndex('namespace', namespace)))
          : lister.view(),
    );
  const byIndex = (name: string, value: string) => selected(passingLight(lister.viewByIndex(name, value), inScope));
  return {
    type,
    names: part.names.length === 0 ? undefined : new Set(part.names),
    namespaces,
    forbidden,
    informer: {
      name: informer.name,
      get continuity() {
        return informer.continuity;
      },
      get memory() {
        return informer.memory;
      },
      confirm: (signal) => informer.confirm(signal),
      whenProven: (signal) => informer.whenProven(signal),
      whenApplied: (signal) => informer.whenApplied(signal),
      isUnordered: true,
      lister: {
        get size() {
          if (kept) return list().length;
          return scope ? scope.reduce((sum, each) => sum + lister.indexCount('namespace', each), 0) : lister.size;
        },
        list,
        values: () => (isWhole ? lister.values() : list()[Symbol.iterator]()),
        isPart: !isWhole,
        ...(isWhole && keys === undefined && { whole: wholeOf(lister) }),
        ...(lister.readerOf && { readerOf: lister.readerOf.bind(lister) }),
        ...(lister.glanceOf && { glanceOf: lister.glanceOf.bind(lister) }),
        ...(lister.valuesUnder && { valuesUnder: lister.valuesUnder.bind(lister) }),
        hasIndex: (name) => lister.hasIndex(name),
        byIndex: isWhole ? (name, value) => lister.viewByIndex(name, value) : byIndex,
        indexValues: (name, range) => lister.indexValues(name, range),
        indexCount: (name, value) => (isWhole ? lister.indexCount(name, value) : byIndex(name, value).length),
      },
    },
  };
}

/** The cache, if it has an order and says what is written in it. */
const wholeOf = (lister: ServedCache['informer']['lister']): WholeCache | undefined =>
  lister.follow && lister.viewByKey && lister.viewByKeys ? (lister as WholeCache) : undefined;

/** The keys of a part of which names are given, and namespaces where there are any; undefined for any other part. */
export function keysIn(
  { namespaced }: Pick<ResourceType, 'namespaced'>,
  { names, namespaces }: Pick<RequestedPart, 'names' | 'namespaces'>,
): readonly ObjectKey[] | undefined {
  if (names.length === 0 || (namespaced && namespaces.includes(''))) return undefined;
  const places = namespaced ? namespaces : [undefined];
  return places.flatMap((namespace) => names.map((name) => joinKey(namespace, name)));
}

/** Whether an object is in a part, by names, namespaces and labels: what is known of it without decoding it. */
export function isPlacedIn(
  { namespaced }: Pick<ResourceType, 'namespaced'>,
  { names, namespaces, selector }: Omit<RequestedPart, 'fieldSelector'>,
): (object: Pick<ReadonlyObject, 'metadata'>) => boolean {
  const labels = LabelSelector.parse(selector ?? '');
  const places = new Set<string | undefined>(namespaces);
  const isEverywhere = !namespaced || places.has('');
  const wanted = new Set<string | undefined>(names);
  return ({ metadata }) =>
    (isEverywhere || places.has(metadata.namespace)) &&
    (wanted.size === 0 || wanted.has(metadata.name)) &&
    labels.matches(metadata.labels);
}

/** Chooses what the selectors of a part match, decoding as little as can be; undefined if they match everything. */
function selecting(
  { type, informer: { lister } }: ServedCache,
  part: RequestedPart,
): ((objects: readonly ReadonlyObject[]) => readonly ReadonlyObject[]) | undefined {
  const labels = LabelSelector.parse(part.selector ?? '');
  const fields = FieldSelector.parse(part.fieldSelector ?? '');
  if (labels.matchesEverything && fields.matchesEverything) return undefined;
  const isLabelled = (entry: unknown) => labels.matches((entry as ReadonlyObject).metadata.labels);
  const labelled = (objects: readonly ReadonlyObject[]) =>
    labels.matchesEverything ? objects : passingLight(objects, isLabelled);
  if (fields.matchesEverything) return labelled;
  const matches = (object: ReadonlyObject) => fields.matches((field) => selectorFieldValue(type, object, field));
  const looked = { fields: fields.requirements.flatMap(({ field }) => fieldsOfSelector(type, field)) };
  return (objects) => {
    const all = labelled(objects);
    const read = isSecretResource(type.gvr) ? undefined : lister.readerOf?.(looked, matches);
    return read ? passingLight(all, read) : passing(all, matches);
  };
}

/** Whether selectors match an object; undefined if they match every object. */
export function selectorOf(
  type: ResourceType,
  part: Pick<RequestedPart, 'selector' | 'fieldSelector'>,
): ((object: ReadonlyObject) => boolean) | undefined {
  const labels = LabelSelector.parse(part.selector ?? '');
  const fields = FieldSelector.parse(part.fieldSelector ?? '');
  if (labels.matchesEverything && fields.matchesEverything) return undefined;
  return (object) =>
    labels.matches(object.metadata.labels) && fields.matches((field) => selectorFieldValue(type, object, field));
}
