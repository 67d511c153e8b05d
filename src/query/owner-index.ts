import { parseGroupVersion } from '../model/gvr.ts';
import type { DeepReadonly, OwnerReference, ReadonlyObject } from '../model/object.ts';
import type { IndexDefinition } from './index-definition.ts';

export interface OwnerIndexOptions {
  /** The owner that a reference names, from a cache; undefined when it is not there, which ends the climb. Owners live in the same namespace or in none. */
  resolve?: ((reference: DeepReadonly<OwnerReference>, namespace: string | undefined) => ReadonlyObject | undefined) | undefined;
  /** The kind that a user's word for a type stands for: `deploy` → `Deployment`. */
  kindOf?: ((word: string) => string | undefined) | undefined;
}

/**
 * An object is found under each of its owners and their owners up to the root: by uid, by `kind/name` and by `kind.group/name`, in lower case
 * but for the name. Looked up by any word for the type: `deploy/web`, `deployments.apps/web`.
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

function* ancestors(object: ReadonlyObject, resolve: OwnerIndexOptions['resolve']): Generator<DeepReadonly<OwnerReference>> {
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
