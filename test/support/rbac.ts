import { Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';

/** Paths of the namespace `shop`. */
export const SHOP_PODS = '/api/v1/namespaces/shop/pods';
export const SHOP_ROLES = `/apis/${apiVersion}/namespaces/shop/roles`;
export const SHOP_BINDINGS = `/apis/${apiVersion}/namespaces/shop/rolebindings`;

/** The metadata of an object in the namespace `shop`. */
export const inShop = (name: string) => ({ name, namespace: 'shop' });

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A Role in the namespace `shop`. */
export function role(name: string, ...rules: object[]): object {
  return { apiVersion, kind: 'Role', metadata: inShop(name), rules };
}

/** A RoleBinding in the namespace `shop`. */
export function binding(name: string, [kind, of]: [kind: string, name: string], ...subjects: object[]): object {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: of };
  return { apiVersion, kind: 'RoleBinding', metadata: inShop(name), subjects, roleRef };
}

/** A ClusterRole, and the ClusterRoleBinding that gives it to the user of the same name. */
export function clusterRoleOf(user: string, rules: object[]): object[] {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user };
  return [
    { apiVersion, kind: 'ClusterRole', metadata: { name: user }, rules },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: user },
      subjects: [{ kind: 'User', name: user }],
      roleRef,
    },
  ];
}

/**
 * A sandbox with `rbac`. In the namespace `shop` the user vic and the service account bot have the role view, and the
 * group shopkeepers has the role admin.
 */
export async function startShop(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await Sandbox.start({ socket: false, seed: 1, rbac: true, ...options });
  sandbox.apply([
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: inShop('bot') },
    binding(
      'viewers',
      ['ClusterRole', 'view'],
      { kind: 'User', name: 'vic' },
      { kind: 'ServiceAccount', name: 'bot', namespace: 'shop' },
    ),
    binding('admins', ['ClusterRole', 'admin'], { kind: 'Group', name: 'shopkeepers' }),
  ]);
  return sandbox;
}
