import { describe, expect, it } from 'vitest';
import {
  apiGroup,
  apiGroupDiscoveryList,
  apiGroupList,
  apiResourceList,
  apiVersions,
  etagOf,
  rootPaths,
} from '../../../src/sandbox/discovery/documents.ts';
import type { ApiType } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { type ServedGroup, type ServedVersion, TypeRegistry } from '../../../src/sandbox/types/type-registry.ts';

const types = new TypeRegistry(builtinTypes());
const APPS = types.group('apps') as ServedGroup;
const version = (group: string, name: string) => types.version(group, name) as ServedVersion;

/** The groups of the built-in types but the core one. */
const NAMED = [...new Set(builtinTypes().map(({ gvr }) => gvr.group))].filter((group) => group !== '');
const CUSTOM = {
  ...(types.find({ group: 'apps', version: 'v1', resource: 'deployments' }) as ApiType),
  gvr: { group: 'example.com', version: 'v1', resource: 'boxes' },
  kind: 'Box',
  custom: {},
  subresourceTypes: new Map(),
} as unknown as ApiType;

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

describe('legacy discovery', () => {
  it('lists the versions of the core group with the address of the server', () => {
    expect(apiVersions('127.0.0.1:6443')).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
    });
  });

  it('lists every group but the core one, with its preferred version first', () => {
    const { groups } = apiGroupList(types) as {
      groups: { name: string; versions: object[]; preferredVersion: object }[];
    };
    expect(groups.map(({ name }) => name).sort()).toEqual(NAMED.toSorted());
    for (const { versions, preferredVersion } of groups) expect(versions[0]).toEqual(preferredVersion);
    const autoscaling = groups.find(({ name }) => name === 'autoscaling');
    expect(autoscaling?.preferredVersion).toEqual({ groupVersion: 'autoscaling/v2', version: 'v2' });
    expect(autoscaling?.versions).toHaveLength(2);
    expect(apiGroup(APPS)).toMatchObject({ kind: 'APIGroup', apiVersion: 'v1', name: 'apps' });
  });

  it('lists the resources of a version, each subresource behind its resource', () => {
    const { resources, groupVersion } = apiResourceList('apps', version('apps', 'v1')) as {
      resources: Resource[];
      groupVersion: string;
    };
    expect(groupVersion).toBe('apps/v1');
    const names = resources.map(({ name }) => name);
    expect(names.slice(names.indexOf('deployments'), names.indexOf('deployments') + 3)).toEqual([
      'deployments',
      'deployments/scale',
      'deployments/status',
    ]);
    for (const [i, name] of names.entries())
      if (name.includes('/')) expect(names[i - 1]?.split('/')[0]).toBe(name.split('/')[0]);
    expect(resources.find(({ name }) => name === 'deployments')).toMatchObject({
      singularName: 'deployment',
      namespaced: true,
      kind: 'Deployment',
      shortNames: ['deploy'],
      categories: ['all'],
      storageVersionHash: expect.stringMatching(/^[\w+/]+=*$/),
    });
    expect(resources.find(({ name }) => name === 'deployments/scale')).toMatchObject({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    });
    expect(resources.find(({ name }) => name === 'deployments/status')).not.toHaveProperty('group');
  });

  it('has an apiVersion in the lists of named groups only, as on a real server', () => {
    expect(apiResourceList('apps', version('apps', 'v1'))).toHaveProperty('apiVersion', 'v1');
    expect(apiResourceList('', version('', 'v1'))).not.toHaveProperty('apiVersion');
  });
});

describe('aggregated discovery', () => {
  interface Group {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly Record<string, unknown>[] }[];
  }
  const groupsOf = (registry: TypeRegistry, which: 'core' | 'named') =>
    (apiGroupDiscoveryList(registry, which) as { items: Group[] }).items;

  it('has the core group, or all others', () => {
    expect(groupsOf(types, 'core').map(({ metadata }) => metadata)).toEqual([{}]);
    const named = groupsOf(types, 'named').map(({ metadata }) => metadata.name);
    expect(named.toSorted()).toEqual(NAMED.toSorted());
  });

  it('names group and version of the response kind for custom types only, as on a real server', () => {
    const registry = new TypeRegistry(builtinTypes());
    registry.put('boxes.example.com', [CUSTOM]);
    const kindOf = (group: string, resource: string) =>
      groupsOf(registry, 'named')
        .find(({ metadata }) => metadata.name === group)
        ?.versions[0]?.resources.find((r) => r.resource === resource)?.responseKind;
    expect(kindOf('apps', 'deployments')).toEqual({ group: '', version: '', kind: 'Deployment' });
    expect(kindOf('example.com', 'boxes')).toEqual({ group: 'example.com', version: 'v1', kind: 'Box' });
  });

  it('describes scope, names and subresources of a resource', () => {
    const [{ resources = [] } = { resources: [] }] = groupsOf(types, 'core')[0]?.versions ?? [];
    const pods = resources.find((r) => r.resource === 'pods');
    expect(pods).toMatchObject({
      scope: 'Namespaced',
      singularResource: 'pod',
      shortNames: ['po'],
      categories: ['all'],
    });
    const subresources = pods?.subresources as { subresource: string; responseKind: object }[];
    expect(subresources.find(({ subresource }) => subresource === 'eviction')?.responseKind).toEqual({
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
    });
    expect(resources.find((r) => r.resource === 'nodes')).toMatchObject({ scope: 'Cluster' });
    expect(resources.find((r) => r.resource === 'events')).not.toHaveProperty('subresources');
  });
});

it('the root lists every group with its versions, in order, and the paths beside them', () => {
  const registry = new TypeRegistry(builtinTypes());
  registry.put('boxes.example.com', [CUSTOM]);
  const { paths } = rootPaths(registry) as { paths: string[] };
  expect(paths.slice(0, 4)).toEqual(['/api', '/api/v1', '/apis', '/apis/']);
  const groups = paths.filter((path) => /^\/apis\/[^/]+$/.test(path));
  expect(groups).toEqual([...NAMED, 'example.com'].map((name) => `/apis/${name}`).sort());
  const at = paths.indexOf('/apis/autoscaling');
  expect(paths.slice(at, at + 3)).toEqual(['/apis/autoscaling', '/apis/autoscaling/v1', '/apis/autoscaling/v2']);
  expect(paths).toContain('/version');
  expect(new Set(paths).size).toBe(paths.length);
});

it('an entity tag is quoted, and changes with the body', () => {
  expect(etagOf(Buffer.from('a'))).toMatch(/^"[0-9A-F]{128}"$/);
  expect(etagOf(Buffer.from('a'))).not.toBe(etagOf(Buffer.from('b')));
});
