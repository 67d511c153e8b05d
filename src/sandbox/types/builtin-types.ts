import { createHash } from 'node:crypto';
import { formatGroupVersion, parseGroupVersion } from '../../model/gvr.ts';
import type { ApiType, Subresource } from './api-type.ts';
import gatedData from './data/gated-types.json' with { type: 'json' };
import data from './data/types.json' with { type: 'json' };

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

/** Types by group and version, then by resource, in discovery order. */
type GroupVersions = Readonly<Record<string, Readonly<Record<string, TypeData>>>>;

/** The types of a kube-apiserver with its default features. `tools/kubernetes-data.mjs` updates the file. */
const GROUP_VERSIONS: GroupVersions = data;

/** Types that are served only with a feature, by the names of `Features`. */
const GATED: Readonly<Record<string, GroupVersions>> = gatedData;

/** Types that share their objects with a type of another group: the key of the collection that stores them. */
const SHARED_STORAGE: Readonly<Record<string, string>> = { 'events.events.k8s.io': 'events' };

/**
 * Every built-in type of a server with these features, in discovery order. Each call returns a new array of new types.
 */
export function builtinTypes(features: Readonly<Record<string, boolean>> = {}): ApiType[] {
  const types: ApiType[] = [];
  for (const [groupVersion, resources] of Object.entries(servedWith(features)))
    for (const [resource, type] of Object.entries(resources)) types.push(makeType(groupVersion, resource, type, types));
  return types;
}

function servedWith(features: Readonly<Record<string, boolean>>): GroupVersions {
  const served: Record<string, Readonly<Record<string, TypeData>>> = { ...GROUP_VERSIONS };
  for (const [feature, groupVersions] of Object.entries(GATED)) {
    if (!features[feature]) continue;
    for (const [groupVersion, more] of Object.entries(groupVersions))
      served[groupVersion] = byName({ ...served[groupVersion], ...more });
  }
  return served;
}

function byName(resources: Readonly<Record<string, TypeData>>): Readonly<Record<string, TypeData>> {
  return Object.fromEntries(Object.entries(resources).sort(([a], [b]) => (a < b ? -1 : 1)));
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
