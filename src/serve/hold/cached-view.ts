import { joined, passing } from '../../kit/lazy-list.ts';
import { FieldSelector } from '../../model/field-selector.ts';
import { LabelSelector } from '../../model/label-selector.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { CachedObjects } from '../../query/answer/cached-objects.ts';
import { isFieldKnown, selectorFieldValue } from './field-values.ts';
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
  const matches = selectorOf(type, part);
  const { lister } = informer;
  const isWhole = matches === undefined && scope === undefined;
  const kept = (objects: readonly ReadonlyObject[]) => (matches ? passing(objects, matches) : objects);
  const inScope = ({ metadata: { namespace = '' } }: ReadonlyObject) => !scope || scope.includes(namespace);
  const list = () =>
    kept(scope ? joined(scope.map((namespace) => lister.viewByIndex('namespace', namespace))) : lister.view());
  const byIndex = (name: string, value: string) => kept(passing(lister.viewByIndex(name, value), inScope));
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
          if (matches) return list().length;
          return scope ? scope.reduce((sum, each) => sum + lister.indexCount('namespace', each), 0) : lister.size;
        },
        list,
        values: () => list()[Symbol.iterator](),
        hasIndex: (name) => lister.hasIndex(name),
        byIndex: isWhole ? (name, value) => lister.viewByIndex(name, value) : byIndex,
        indexValues: (name, range) => lister.indexValues(name, range),
        indexCount: (name, value) => (isWhole ? lister.indexCount(name, value) : byIndex(name, value).length),
      },
    },
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
