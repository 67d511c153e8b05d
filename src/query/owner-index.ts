import { parseGroupVersion } from '../model/gvr.ts';
import type { DeepReadonly, OwnerReference, ReadonlyObject } from '../model/object.ts';
import type { IndexDefinition } from './index-definition.ts';

export interface OwnerIndexOptions {
  /**
   * Finds the owner that a reference names. Undefined ends the search for further owners. An owner is in the namespace
   * of the object, or cluster-scoped.
   */
  resolve?:
    | ((reference: DeepReadonly<OwnerReference>, namespace: string | undefined) => ReadonlyObject | undefined)
    | undefined;
  /** The kind for a user's word for a type: `deploy` → `Deployment`. */
  kindOf?: ((word: string) => string | undefined) | undefined;
}

/**
 * The index of owners. An object is found under each of its owners and their owners up to the root, by uid, by
 * `kind/name` and by `kind.group/name`, with kind and group in lower case. A lookup may use any word for the type:
 * `deploy/web`, `deployments.apps/web`.
 */
export function ownerIndex({ resolve, kindOf }: OwnerIndexOptions = {}): IndexDefinition {
  return {
    name: 'owner',
    from: 'metadata.ownerReferences, up to the root',
    stable: false,
    valuesOf: (object) => [...ancestors(object, resolve)].flatMap(spellings),
    listed: (object) => [...ancestors(object, resolve)].map((reference) => spellings(reference).at(-1) as string),
    normalise(value) {
      const slash = value.indexOf('/');
      if (slash < 0) return value;
      const word = value.slice(0, slash);
      return `${(kindOf?.(word) ?? word).toLowerCase()}${value.slice(slash)}`;
    },
  };
}

function* ancestors(
  object: ReadonlyObject,
  resolve: OwnerIndexOptions['resolve'],
): Generator<DeepReadonly<OwnerReference>> {
  const { namespace } = object.metadata;
  const seen = new Set<string>();
  const open = [...(object.metadata.ownerReferences ?? [])];
  for (let reference = open.shift(); reference; reference = open.shift()) {
    if (seen.has(reference.uid)) continue;
    seen.add(reference.uid);
    yield reference;
    open.push(...(resolve?.(reference, namespace)?.metadata.ownerReferences ?? []));
  }
}

function spellings({ uid, kind, name, apiVersion }: DeepReadonly<OwnerReference>): string[] {
  const lower = kind.toLowerCase();
  const { group } = parseGroupVersion(apiVersion);
  return group === '' ? [uid, `${lower}/${name}`] : [uid, `${lower}/${name}`, `${lower}.${group}/${name}`];
}
