import { parseGroupVersion } from '../model/gvr.ts';
import type { DeepReadonly, OwnerReference, ReadonlyObject } from '../model/object.ts';

type Reference = DeepReadonly<OwnerReference>;

/**
 * Lists the objects of a kind in a namespace, or without one, the cluster-scoped ones. Returns an empty list for a kind
 * that cannot be listed.
 */
export type ListOwners = (
  kind: { group: string; version: string; kind: string },
  namespace: string | undefined,
) => Promise<readonly ReadonlyObject[]>;

/** The most levels of owners above an object. A longer chain is taken for a loop. */
const MOST_LEVELS = 8;

/**
 * Loads the owners of objects, the owners of those, and so on up to the roots, as they are now. It makes one list
 * request for each kind and namespace. Returns a function that finds an owner by a reference, for the `owner` index.
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

/** The kinds and namespaces of the owners that objects name, without those in `listed`, to which it adds them. */
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
