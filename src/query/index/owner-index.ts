import type { DeepReadonly, OwnerReference, ReadonlyObject } from '../../model/object.ts';
import { ownerReferencesOf } from '../../model/owner-references.ts';
import type { IndexDefinition } from './index-definition.ts';
import { listedSpelling, meantSpellings, spellingsOf } from './reference-spellings.ts';
import type { IndexedStore } from './stored-index.ts';

/** The facts of an index of references beside the object. */
export interface OwnerIndexOptions {
  /**
   * Finds the owner that a reference names. Undefined ends the search for further owners. An owner is in the namespace
   * of the object, or cluster-scoped.
   */
  resolve?:
    | ((reference: DeepReadonly<OwnerReference>, namespace: string | undefined) => ReadonlyObject | undefined)
    | undefined;
  /** The kind for a user's word for a type: `deploy` → `Deployment.apps`. */
  kindOf?: ((word: string) => string | undefined) | undefined;
  /** Whether listed values name the namespace of the object that is meant: `shop/deployment/web`. Default false. */
  listsNamespaces?: boolean | undefined;
}

/**
 * The index of owners. An object is found under each of its owners and their owners up to the root: by uid, by
 * `kind/name` and by `kind.group/name`, with kind and group in lower case; also by `namespace/kind/name` where the
 * owner is known. A lookup may use any word for the type: `deploy/web`, `deployments.apps/web`.
 */
export function ownerIndex({ resolve, kindOf, listsNamespaces = false }: OwnerIndexOptions = {}): IndexDefinition {
  const valuesOf = (object: Pick<ReadonlyObject, 'metadata'>) => [
    ...new Set([...ancestors(object, resolve)].flatMap(([reference, namespace]) => spellingsOf(reference, namespace))),
  ];
  const listed = (object: Referrer) => [
    ...new Set(
      [...ancestors(object, resolve)].map(([reference, namespace]) =>
        listedSpelling(reference, listsNamespaces ? namespace : undefined),
      ),
    ),
  ];
  return {
    name: 'owner',
    key: 'owner',
    from: 'metadata.ownerReferences, up to the root',
    stable: false,
    isReference: true,
    valuesOf,
    through: {
      index: DIRECT_OWNERS,
      expand: (text) => valuesOf(referrerOf(text)),
      list: (text) => listed(referrerOf(text)),
    },
    listed,
    normalise: (value) => meantSpellings(value, kindOf ?? (() => undefined)),
  };
}

/** The owner references of an object as texts, with its namespace. */
const DIRECT_OWNERS: IndexDefinition = {
  name: 'owner',
  key: 'owner:direct',
  from: 'metadata.ownerReferences',
  stable: true,
  seen: [
    ['metadata', 'namespace'],
    ['metadata', 'ownerReferences'],
  ],
  valuesOf: (object) =>
    ownerReferencesOf(object).map(({ apiVersion, kind, name, uid }) =>
      JSON.stringify([object.metadata.namespace, apiVersion, kind, name, uid]),
    ),
};

type Referrer = Pick<ReadonlyObject, 'metadata'>;

/** An object with one owner reference, in place of all objects that have it. */
function referrerOf(text: string): Referrer {
  const [namespace, apiVersion, kind, name, uid] = JSON.parse(text) as string[];
  const reference = { apiVersion, kind, name, uid } as OwnerReference;
  return { metadata: { ...(namespace ? { namespace } : {}), ownerReferences: [reference] } };
}

/** The objects of a store; where it keeps the direct owners, one object in place of all that have the same owner. */
export function referrersIn(store: IndexedStore): Iterable<Referrer> {
  return store.hasIndex(DIRECT_OWNERS.key) ? store.indexValues(DIRECT_OWNERS.key).map(referrerOf) : store.list();
}

/** Each owner up to the root, with its namespace where the owner is known. */
function* ancestors(
  object: Referrer,
  resolve: OwnerIndexOptions['resolve'],
): Generator<[reference: DeepReadonly<OwnerReference>, namespace: string | undefined]> {
  const { namespace } = object.metadata;
  const seen = new Set<string>();
  const open = [...ownerReferencesOf(object)];
  for (let reference = open.shift(); reference; reference = open.shift()) {
    if (seen.has(reference.uid)) continue;
    seen.add(reference.uid);
    const owner = resolve?.(reference, namespace);
    yield [reference, owner?.metadata.namespace];
    if (owner) open.push(...ownerReferencesOf(owner));
  }
}
