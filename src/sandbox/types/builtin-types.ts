import { createHash } from 'node:crypto';
import { formatGroupVersion, parseGroupVersion } from '../../model/gvr.ts';
import type { ApiType, Subresource } from './api-type.ts';
import data from './data/types.json' with { type: 'json' };

/** A type in the data file. */
interface TypeData {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: Readonly<Record<string, SubresourceData>>;
}

/** A subresource without `group` and `version` has a kind of its parent's group. */
interface SubresourceData {
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/**
 * The types of a kube-apiserver with its default features: by group and version, then by resource, in discovery order.
 * `tools/kubernetes-data.mjs` updates the file.
 */
const GROUP_VERSIONS: Readonly<Record<string, Readonly<Record<string, TypeData>>>> = data;

/** Types that share their objects with a type of another group: the key of the collection that stores them. */
const SHARED_STORAGE: Readonly<Record<string, string>> = { 'events.events.k8s.io': 'events' };

/** Every built-in type, in discovery order. Each call returns a new array of new types. */
export function builtinTypes(): ApiType[] {
  const types: ApiType[] = [];
  for (const [groupVersion, resources] of Object.entries(GROUP_VERSIONS))
    for (const [resource, type] of Object.entries(resources)) types.push(makeType(groupVersion, resource, type, types));
  return types;
}

function makeType(groupVersion: string, resource: string, type: TypeData, before: readonly ApiType[]): ApiType {
  const { group, version } = parseGroupVersion(groupVersion);
  const { kind, namespaced, shortNames = [], categories = [], verbs, subresources = {} } = type;
  const id = group === '' ? resource : `${resource}.${group}`;
  return {
    gvr: { group, version, resource },
    kind,
    listKind: `${kind}List`,
    singular: kind.toLowerCase(),
    shortNames,
    categories,
    namespaced,
    verbs,
    subresources: Object.keys(subresources),
    subresourceTypes: new Map(Object.entries(subresources).map(([name, sub]) => [name, makeSubresource(name, sub)])),
    preferred: !before.some((t) => t.gvr.group === group && t.gvr.resource === resource),
    storage: SHARED_STORAGE[id] ?? id,
    custom: undefined,
  };
}

function makeSubresource(name: string, { kind, group = '', version = '', verbs }: SubresourceData): Subresource {
  return { name, kind, group, version, verbs };
}

/** The storageVersionHash in legacy discovery. Source: apiserver discovery.StorageVersionHash. */
export function storageVersionHash({ gvr, kind }: ApiType): string {
  const name = `${gvr.group === '' ? `/${gvr.version}` : formatGroupVersion(gvr)}/${kind}`;
  return createHash('sha256').update(name).digest().subarray(0, 8).toString('base64');
}
