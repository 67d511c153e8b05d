import { describe, expect, it } from 'vitest';
import { builtinTypes, storageVersionHash } from '../../../src/sandbox/types/builtin-types.ts';

const find = (group: string, resource: string, version = 'v1') =>
  builtinTypes().find(({ gvr }) => gvr.group === group && gvr.resource === resource && gvr.version === version);

describe('the built-in types', () => {
  it('have everything that discovery shows', () => {
    expect(find('apps', 'deployments')).toMatchObject({
      gvr: { group: 'apps', version: 'v1', resource: 'deployments' },
      kind: 'Deployment',
      listKind: 'DeploymentList',
      singular: 'deployment',
      shortNames: ['deploy'],
      categories: ['all'],
      namespaced: true,
      subresources: ['scale', 'status'],
      storage: 'deployments.apps',
      custom: undefined,
    });
    expect(find('', 'nodes')).toMatchObject({ namespaced: false, categories: [], storage: 'nodes' });
  });

  it('have subresources with the kind of another group where that is so', () => {
    const { subresourceTypes } = find('', 'pods') ?? {};
    expect(subresourceTypes?.get('status')).toEqual({
      name: 'status',
      kind: 'Pod',
      group: '',
      version: '',
      verbs: ['get', 'patch', 'update'],
    });
    expect(subresourceTypes?.get('eviction')).toMatchObject({ kind: 'Eviction', group: 'policy', version: 'v1' });
  });

  it('prefer the first version of a resource, and store all versions together', () => {
    const [v2, v1] = ['v2', 'v1'].map((version) => find('autoscaling', 'horizontalpodautoscalers', version));
    expect([v2?.preferred, v1?.preferred]).toEqual([true, false]);
    expect(v2?.storage).toBe(v1?.storage);
  });

  it('store the events of both groups together', () => {
    expect(find('events.k8s.io', 'events')?.storage).toBe('events');
  });

  it('are new objects at each call, so that caches by type do not outlive a server', () => {
    expect(builtinTypes()[0]).not.toBe(builtinTypes()[0]);
  });

  it('have more types with a feature, in the order of their names', () => {
    const resources = (features: Record<string, boolean>, group: string) =>
      builtinTypes(features).flatMap(({ gvr }) => (gvr.group === group ? [gvr.resource] : []));
    expect(resources({}, 'resource.k8s.io')).not.toContain('devicetaintrules');
    expect(resources({ draDeviceTaintRules: true }, 'resource.k8s.io').slice(0, 3)).toEqual([
      'deviceclasses',
      'devicetaintrules',
      'resourceclaims',
    ]);
    expect(resources({ draDeviceTaintRules: true, clusterTrustBundle: false }, 'certificates.k8s.io')).toEqual([
      'certificatesigningrequests',
    ]);
    expect(builtinTypes({ storageVersionMigrator: true }).at(-1)?.gvr).toEqual({
      group: 'storagemigration.k8s.io',
      version: 'v1',
      resource: 'storageversionmigrations',
    });
  });

  it('have the storage version hash of a real server', () => {
    const pods = find('', 'pods');
    expect(pods && storageVersionHash(pods)).toBe('xPOwRZ+Yhw8=');
  });
});
