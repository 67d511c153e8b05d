import { describe, expect, it } from 'vitest';
import { updateTypes } from '../../../tools/kubernetes-data/types.ts';

const discovery = (path: string, name: string | undefined, version: string, ...resources: object[]) => ({
  request: { method: 'GET', path },
  response: {
    body: {
      kind: 'APIGroupDiscoveryList',
      items: [{ metadata: name ? { name } : {}, versions: [{ version, resources }] }],
    },
  },
});

const pods = {
  resource: 'pods',
  responseKind: { group: '', version: 'v1', kind: 'Pod' },
  scope: 'Namespaced',
  shortNames: ['po'],
  verbs: ['get', 'list'],
  subresources: [
    { subresource: 'status', responseKind: { group: '', version: '', kind: 'Pod' }, verbs: ['get'] },
    { subresource: 'eviction', responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' }, verbs: ['create'] },
  ],
};
const roles = {
  resource: 'roles',
  responseKind: { group: 'x.io', version: 'v2', kind: 'Role' },
  scope: 'Cluster',
  verbs: ['get'],
};

describe('the types of aggregated discovery', () => {
  it('replace all types, core first; only what a type has is written', () => {
    const updated = updateTypes({ old: {} }, [
      discovery('/apis', 'x.io', 'v2', roles),
      discovery('/api', undefined, 'v1', pods),
    ]);
    expect(Object.keys(updated)).toEqual(['v1', 'x.io/v2']);
    expect(updated).toEqual({
      v1: {
        pods: {
          kind: 'Pod',
          namespaced: true,
          shortNames: ['po'],
          verbs: ['get', 'list'],
          subresources: {
            status: { kind: 'Pod', verbs: ['get'] },
            eviction: { group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
          },
        },
      },
      'x.io/v2': { roles: { kind: 'Role', namespaced: false, verbs: ['get'] } },
    });
  });

  it('come from the first recording, because later ones can contain custom types', () => {
    const custom = discovery('/apis', 'custom.io', 'v1', roles);
    const exchanges = [discovery('/api', undefined, 'v1', pods), discovery('/apis', 'x.io', 'v2', roles), custom];
    expect(Object.keys(updateTypes({}, exchanges))).toEqual(['v1', 'x.io/v2']);
  });

  it('stay as they are unless both core and the named groups were recorded', () => {
    const data = { v1: {} };
    expect(updateTypes(data, [discovery('/api', undefined, 'v1', pods)])).toBe(data);
    expect(updateTypes(data, [])).toBe(data);
  });
});
