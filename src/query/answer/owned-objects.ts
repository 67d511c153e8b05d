import { reading } from '../../informer/store/object-index.ts';
import { joinKey, type ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { ownerReferencesOf } from '../../model/owner-references.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { MOST_OWNER_LEVELS } from '../index/owner-graph.ts';
import type { Found } from './found.ts';

/** A cache that has all objects of its type. */
export interface OwnerCache {
  readonly type: ResourceType;
  get(key: ObjectKey): ReadonlyObject | undefined;
  /** The objects that the object with this uid owns. */
  ownedBy(uid: string): readonly ReadonlyObject[];
}

/** The most objects below one. */
const MOST_OBJECTS = 10_000;

/** The owners of objects up to their roots, and all that the objects own, as far as caches have them. */
export function relatedIn(caches: readonly OwnerCache[], asked: readonly Found[]): readonly Found[] {
  const seen = new Set(asked.map(uidOf));
  const isNew = (found: Found) => !seen.has(uidOf(found)) && seen.add(uidOf(found)) !== undefined;
  const above = levels(asked, (found) => ownersOf(found, caches).filter(isNew));
  const below = levels(asked, ({ object }) => ownedBy(object.metadata.uid, caches).filter(isNew));
  return [...above, ...below];
}

function levels(from: readonly Found[], next: (found: Found) => readonly Found[]): Found[] {
  const all: Found[] = [];
  let level = from;
  for (let depth = 0; depth < MOST_OWNER_LEVELS && level.length > 0 && all.length < MOST_OBJECTS; depth++) {
    level = level.flatMap(next);
    all.push(...level);
  }
  return all;
}

function ownersOf({ object }: Found, caches: readonly OwnerCache[]): Found[] {
  const { namespace } = object.metadata;
  return ownerReferencesOf(object).flatMap(({ apiVersion, kind, name, uid }) => {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    const cache = caches.find(({ type }) => type.kind === kind && type.gvr.group === group);
    const owner = cache?.get(joinKey(cache.type.namespaced ? namespace : undefined, name));
    return cache && owner?.metadata.uid === uid ? [{ object: owner, type: cache.type }] : [];
  });
}

const ownedBy = (uid: string | undefined, caches: readonly OwnerCache[]): Found[] =>
  uid === undefined ? [] : caches.flatMap(({ type, ownedBy: owned }) => owned(uid).map((object) => ({ object, type })));

const uidOf = ({ object: { metadata } }: Found) => metadata.uid ?? `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

/** The index of the uids of owners. */
export const OWNER_UIDS = 'owner:uid';
export const ownerUidsOf = reading(
  [['metadata', 'ownerReferences']],
  (object: Pick<ReadonlyObject, 'metadata'>): readonly string[] => [
    ...new Set(ownerReferencesOf(object).map(({ uid }) => uid)),
  ],
);
