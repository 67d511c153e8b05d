import { createHash } from 'node:crypto';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { ApiType, Subresource } from '../types/api-type.ts';
import { storageVersionHash } from '../types/builtin-types.ts';
import type { ServedGroup, ServedVersion, TypeRegistry } from '../types/type-registry.ts';

/** The answer to `/api`: the versions of the core group. `address` is host:port of the server. */
export function apiVersions(address: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

/** The answer to `/apis`: every named group. */
export function apiGroupList(types: TypeRegistry): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: types.groups.filter((g) => g.name !== '').map(groupEntry) };
}

/** The answer to `/apis/GROUP`. */
export function apiGroup(group: ServedGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) };
}

function groupEntry({ name, versions }: ServedGroup): object {
  const entries = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/**
 * The answer to `/api/v1` and `/apis/GROUP/VERSION`. The list of the core group has no apiVersion, as on a real server.
 */
export function apiResourceList(group: string, { version, types }: ServedVersion): object {
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: formatGroupVersion({ group, version }),
    resources: types.flatMap((type) => [
      resourceEntry(type),
      ...[...type.subresourceTypes.values()].map((s) => subresourceEntry(type, s)),
    ]),
  };
}

function resourceEntry(type: ApiType): object {
  return {
    name: type.gvr.resource,
    singularName: type.singular,
    namespaced: type.namespaced,
    kind: type.kind,
    verbs: type.verbs,
    ...named(type),
    ...(type.verbs.includes('watch') ? { storageVersionHash: storageVersionHash(type) } : {}),
  };
}

function named({ shortNames, categories }: ApiType): object {
  return { ...(shortNames.length > 0 ? { shortNames } : {}), ...(categories.length > 0 ? { categories } : {}) };
}

function subresourceEntry(type: ApiType, { name, group, version, kind, verbs }: Subresource): object {
  return {
    name: `${type.gvr.resource}/${name}`,
    singularName: '',
    namespaced: type.namespaced,
    ...(group === '' ? {} : { group, version }),
    kind,
    verbs,
  };
}

/** The aggregated answer to `/api` (core) or `/apis` (all other groups). Source: KEP-3352. */
export function apiGroupDiscoveryList(types: TypeRegistry, which: 'core' | 'named'): object {
  const groups = types.groups.filter((g) => (g.name === '') === (which === 'core'));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(groupDiscovery),
  };
}

function groupDiscovery({ name, versions }: ServedGroup): object {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions.map(({ version, types }) => ({
      version,
      resources: types.map(resourceDiscovery),
      freshness: 'Current',
    })),
  };
}

function resourceDiscovery(type: ApiType): object {
  const subresources = [...type.subresourceTypes.values()];
  return {
    resource: type.gvr.resource,
    responseKind: responseKind(type, type.kind),
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: type.singular,
    verbs: type.verbs,
    ...named(type),
    ...(subresources.length > 0 ? { subresources: subresources.map((s) => subresourceDiscovery(type, s)) } : {}),
  };
}

function subresourceDiscovery(type: ApiType, { name, group, version, kind, verbs }: Subresource): object {
  return { subresource: name, responseKind: group === '' ? responseKind(type, kind) : { group, version, kind }, verbs };
}

/**
 * The response kind of a resource. As on a real server, group and version are empty for built-in kinds and filled in
 * for custom ones.
 */
function responseKind({ gvr, custom }: ApiType, kind: string): object {
  return custom ? { group: gvr.group, version: gvr.version, kind } : { group: '', version: '', kind };
}

/** An entity tag for a discovery document, quoted. */
export function etagOf(body: Uint8Array): string {
  return `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`;
}

/** The answer to `/`: the paths of the server. The sandbox has no health checks by name, so it lists none. */
export function rootPaths(types: TypeRegistry): object {
  const named = types.groups.filter((g) => g.name !== '').sort((a, b) => (a.name < b.name ? -1 : 1));
  const groups = named.flatMap((g) => [
    `/apis/${g.name}`,
    ...g.versions.map((v) => `/apis/${g.name}/${v.version}`).sort(),
  ]);
  return {
    paths: [
      '/api',
      '/api/v1',
      '/apis',
      '/apis/',
      ...groups,
      '/healthz',
      '/livez',
      '/openapi/v3',
      '/openapi/v3/',
      '/readyz',
      '/version',
    ],
  };
}
