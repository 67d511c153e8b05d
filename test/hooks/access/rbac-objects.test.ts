import { describe, expect, it } from 'vitest';
import { parseServiceAccount, rbacObjects } from '../../../src/hooks/access/rbac-objects.ts';

const pods = (verb: string, namespace?: string) => ({
  verb,
  group: '',
  resource: 'pods',
  ...(namespace === undefined ? {} : { namespace }),
});

const nameIn = () => 'r';

describe('the roles for what was needed', () => {
  it('are one for each namespace, with one rule for the types that need the same', () => {
    const secrets = { ...pods('list', 'a'), resource: 'secrets' };
    expect(
      rbacObjects([pods('watch', 'b'), pods('watch', 'a'), pods('list', 'a'), secrets, { ...secrets, verb: 'watch' }], {
        nameIn,
      }),
    ).toEqual([
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'r', namespace: 'a' },
        rules: [{ apiGroups: [''], resources: ['pods', 'secrets'], verbs: ['list', 'watch'] }],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'r', namespace: 'b' },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['watch'] }],
      },
    ]);
  });

  it('are a ClusterRole for all namespaces, which no Role repeats', () => {
    const kinds = rbacObjects([pods('list'), pods('list', 'a'), pods('get', 'a')], { nameIn });
    expect(kinds).toMatchObject([
      { kind: 'ClusterRole', rules: [{ resources: ['pods'], verbs: ['list'] }] },
      { kind: 'Role', metadata: { namespace: 'a' }, rules: [{ resources: ['pods'], verbs: ['get'] }] },
    ]);
  });

  it('are bound to a service account', () => {
    const serviceAccount = { namespace: 'ops', name: 'guard' };
    expect(rbacObjects([pods('list'), pods('get', 'a')], { nameIn, serviceAccount })).toMatchObject([
      { kind: 'ClusterRole' },
      {
        kind: 'ClusterRoleBinding',
        metadata: { name: 'r' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
        subjects: [{ kind: 'ServiceAccount', namespace: 'ops', name: 'guard' }],
      },
      { kind: 'Role' },
      { kind: 'RoleBinding', metadata: { name: 'r', namespace: 'a' }, roleRef: { kind: 'Role' } },
    ]);
  });
});

it('a service account is a name, or a namespace and a name', () => {
  expect(parseServiceAccount('guard', 'shop')).toEqual({ namespace: 'shop', name: 'guard' });
  expect(parseServiceAccount('ops:guard', 'shop')).toEqual({ namespace: 'ops', name: 'guard' });
  for (const text of ['', 'a:', ':a', 'a:b:c'])
    expect(() => parseServiceAccount(text, 'shop')).toThrow('--service-account');
});
