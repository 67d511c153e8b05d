import { parseGroupVersion } from '../model/gvr.ts';
import type { DeepReadonly, OwnerReference, ReadonlyObject } from '../model/object.ts';

type Reference = DeepReadonly<OwnerReference>;

/** Gives the objects of a kind in a namespace (undefined: cluster-scoped or all); an empty list for a kind that cannot be listed. */
export type ListOwners = (
  kind: { group: string; version: string; kind: string },
  namespace: string | undefined,
) => Promise<readonly ReadonlyObject[]>;

/** Owners above owners; deeper nesting than this is a loop or no ownership. */
const MOST_LEVELS = 8;

/**
 * The owners of objects, their owners and so on up to the roots, as they are now: one list for each kind and namespace met on the way.
 * Returns how to find an owner by a reference to it, which is what the `owner` index asks for.
 */
export async function loadOwners(
  objects: Iterable<ReadonlyObject>,
  list: ListOwners,
): Promise<(reference: Reference) => ReadonlyObject | undefined> {
  const byUid = new Map<string, ReadonlyObject>();
  const listed = new Set<string>();
  let level: Iterable<ReadonlyObject> = objects;
  for (let depth = 0; depth < MOST_LEVELS; depth++) {
    const wanted = kindsAbove(level, listed);
    if (wanted.length === 0) break;
    const found = (await Promise.all(wanted.map(({ kind, namespace }) => list(kind, namespace)))).flat();
    for (const object of found) if (object.metadata.uid) byUid.set(object.metadata.uid, object);
    level = found;
  }
  return ({ uid }) => byUid.get(uid);
}

interface Wanted {
  readonly kind: { group: string; version: string; kind: string };
  readonly namespace: string | undefined;
}

/** The kinds of owners that objects name, each namespace of them once. */
function kindsAbove(objects: Iterable<ReadonlyObject>, listed: Set<string>): Wanted[] {
  const wanted: Wanted[] = [];
  for (const { metadata } of objects) {
    for (const { apiVersion, kind } of metadata.ownerReferences ?? []) {
      const place = `${apiVersion} ${kind} ${metadata.namespace ?? ''}`;
      if (listed.has(place)) continue;
      listed.add(place);
      wanted.push({ kind: { ...parseGroupVersion(apiVersion), kind }, namespace: metadata.namespace });
    }
  }
  return wanted;
}
