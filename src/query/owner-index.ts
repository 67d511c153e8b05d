import type { DeepReadonly, OwnerReference, ReadonlyObject } from '../model/object.ts';
import type { IndexDefinition } from './index-definition.ts';
import { listedSpelling, meantSpellings, spellingsOf } from './reference-spellings.ts';

/** What an index of references knows beside the object. */
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
  return {
    name: 'owner',
    key: 'owner',
    from: 'metadata.ownerReferences, up to the root',
    stable: false,
    isReference: true,
    valuesOf: (object) => [
      ...new Set(
        [...ancestors(object, resolve)].flatMap(([reference, namespace]) => spellingsOf(reference, namespace)),
      ),
    ],
    listed: (object) => [
      ...new Set(
        [...ancestors(object, resolve)].map(([reference, namespace]) =>
          listedSpelling(reference, listsNamespaces ? namespace : undefined),
        ),
      ),
    ],
    normalise: (value) => meantSpellings(value, kindOf ?? (() => undefined)),
  };
}

/** Each owner up to the root, with its namespace where the owner is known. */
function* ancestors(
  object: ReadonlyObject,
  resolve: OwnerIndexOptions['resolve'],
): Generator<[reference: DeepReadonly<OwnerReference>, namespace: string | undefined]> {
  const { namespace } = object.metadata;
  const seen = new Set<string>();
  const open = [...(object.metadata.ownerReferences ?? [])];
  for (let reference = open.shift(); reference; reference = open.shift()) {
    if (seen.has(reference.uid)) continue;
    seen.add(reference.uid);
    const owner = resolve?.(reference, namespace);
    yield [reference, owner?.metadata.namespace];
    open.push(...(owner?.metadata.ownerReferences ?? []));
  }
}
