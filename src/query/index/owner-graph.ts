import { parseGroupVersion } from '../../model/gvr.ts';
import type { DeepReadonly, OwnerReference, ReadonlyObject } from '../../model/object.ts';
import { ownerReferencesOf } from '../../model/owner-references.ts';

type Reference = DeepReadonly<OwnerReference>;

/** The kind that an owner reference names, in one version. */
export interface OwnerKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface OwnerSource {
  /** The objects of a kind that are there already. Owners among them are not requested. Called once for each kind. */
  known(kind: OwnerKind): Iterable<ReadonlyObject>;
  /** Whether `known` has every object of a kind in a namespace. An owner that is not among them does not exist. */
  isComplete(kind: OwnerKind, namespace: string | undefined): boolean;
  /**
   * Lists the objects of a kind in a namespace, or without one, the cluster-scoped ones. Returns an empty list for a
   * kind that cannot be listed.
   */
  list(kind: OwnerKind, namespace: string | undefined): Promise<readonly ReadonlyObject[]>;
}

/** The most levels of owners above an object. A longer chain is taken for a loop. */
export const MOST_OWNER_LEVELS = 8;

/**
 * Finds the owners of objects, the owners of those, and so on up to the roots, as they are now: first among the objects
 * that are there, then by one list request for each kind and namespace. Returns a function that finds an owner by a
 * reference, for the `owner` index.
 */
export async function loadOwners(
  objects: Iterable<Pick<ReadonlyObject, 'metadata'>>,
  source: OwnerSource,
): Promise<(reference: Reference) => ReadonlyObject | undefined> {
  const byUid = new Map<string, ReadonlyObject>();
  const add = (found: Iterable<ReadonlyObject>) => {
    for (const object of found) if (object.metadata.uid) byUid.set(object.metadata.uid, object);
  };
  const kinds = new Set<string>();
  const lookAt = (owner: OwnerKind) => {
    const name = `${owner.group} ${owner.kind}`;
    if (!kinds.has(name)) add(source.known(owner));
    kinds.add(name);
  };
  const listed = new Set<string>();
  const climbed = new Set<string>();
  let level: Iterable<Pick<ReadonlyObject, 'metadata'>> = objects;
  for (let depth = 0; depth < MOST_OWNER_LEVELS; depth++) {
    const references = referencesOf(level, climbed);
    if (references.length === 0) break;
    for (const { reference } of references) lookAt(kindOf(reference));
    const wanted = wantedKinds(references, { source, listed, byUid });
    add((await Promise.all(wanted.map(({ kind, namespace }) => source.list(kind, namespace)))).flat());
    level = references.flatMap(({ reference }) => byUid.get(reference.uid) ?? []);
  }
  return ({ uid }) => byUid.get(uid);
}

interface Referred {
  readonly reference: Reference;
  /** The namespace of the object that has the reference. */
  readonly namespace: string | undefined;
}

/** The owner references of objects, each owner once and none of those in `climbed`, to which it adds them. */
function referencesOf(objects: Iterable<Pick<ReadonlyObject, 'metadata'>>, climbed: Set<string>): Referred[] {
  const references: Referred[] = [];
  for (const object of objects) {
    for (const reference of ownerReferencesOf(object)) {
      if (climbed.has(reference.uid)) continue;
      climbed.add(reference.uid);
      references.push({ reference, namespace: object.metadata.namespace });
    }
  }
  return references;
}

interface Wanted {
  readonly kind: OwnerKind;
  readonly namespace: string | undefined;
}

/** The kinds and namespaces of owners that are not there, without those in `listed`, to which it adds them. */
function wantedKinds(
  references: readonly Referred[],
  { source, listed, byUid }: { source: OwnerSource; listed: Set<string>; byUid: ReadonlyMap<string, unknown> },
): Wanted[] {
  const wanted: Wanted[] = [];
  for (const { reference, namespace } of references) {
    const { apiVersion, kind, uid } = reference;
    const place = `${apiVersion} ${kind} ${namespace ?? ''}`;
    if (byUid.has(uid) || listed.has(place)) continue;
    listed.add(place);
    const owner = kindOf(reference);
    if (!source.isComplete(owner, namespace)) wanted.push({ kind: owner, namespace });
  }
  return wanted;
}

const kindOf = ({ apiVersion, kind }: Reference): OwnerKind => ({ ...parseGroupVersion(apiVersion), kind });
