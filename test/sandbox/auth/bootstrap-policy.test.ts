import { afterAll, beforeAll, expect, it } from 'vitest';
import { bootstrapPolicy } from '../../../src/sandbox/auth/bootstrap-policy.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { binding, startShop } from '../../support/rbac.ts';
import { ask } from '../../support/sandbox-requests.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startShop();
  sandbox.apply(['view', 'edit', 'admin'].map((name) => binding(name, ['ClusterRole', name], { kind: 'User', name })));
});
afterAll(() => sandbox.stop());

it.each([
  ['view', 'list', '', 'pods', true],
  ['view', 'get', '', 'pods/log', true],
  ['view', 'list', '', 'secrets', false],
  ['view', 'list', 'rbac.authorization.k8s.io', 'roles', false],
  ['view', 'delete', '', 'pods', false],
  ['edit', 'list', '', 'pods', true],
  ['edit', 'list', '', 'secrets', true],
  ['edit', 'patch', 'apps', 'deployments/scale', true],
  ['edit', 'create', '', 'pods/eviction', true],
  ['edit', 'create', 'rbac.authorization.k8s.io', 'rolebindings', false],
  ['edit', 'update', '', 'namespaces', false],
  ['admin', 'create', 'rbac.authorization.k8s.io', 'rolebindings', true],
  ['admin', 'delete', '', 'pods', true],
  ['admin', 'create', '', 'namespaces', false],
])('in a namespace the role %s may %s %s/%s: %s', async (user, verb, group, path, allowed) => {
  const [resource, subresource] = path.split('/');
  const spec = { user, resourceAttributes: { namespace: 'shop', verb, group, resource, subresource } };
  const { body } = await ask(sandbox, 'POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
  expect(body.status.allowed).toBe(allowed);
});

it.each([
  ['system:authenticated', '/apis/apps', true],
  ['system:authenticated', '/openapi/v3/api/v1', true],
  ['system:authenticated', '/metrics', false],
  ['system:unauthenticated', '/version', true],
  ['system:unauthenticated', '/readyz', true],
  ['system:unauthenticated', '/apis', false],
])('the group %s may get %s: %s', async (group, path, allowed) => {
  const spec = { user: 'x', groups: [group], nonResourceAttributes: { verb: 'get', path } };
  const { body } = await ask(sandbox, 'POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
  expect(body.status.allowed).toBe(allowed);
});

it('every binding names a role that exists, and no two objects have the same name', () => {
  const idOf = (kind: string, namespace: string | undefined, name: string) => `${kind} ${namespace ?? ''}/${name}`;
  const objects = bootstrapPolicy({ clusterTrustBundle: true });
  const ids = objects.map(({ kind = '', metadata }) => idOf(kind, metadata.namespace, metadata.name ?? ''));
  expect(new Set(ids).size).toBe(ids.length);
  const roles = objects.flatMap(({ roleRef, metadata }) => {
    const { kind, name } = (roleRef ?? {}) as { kind?: string; name?: string };
    return kind ? [idOf(kind, kind === 'Role' ? metadata.namespace : undefined, name ?? '')] : [];
  });
  expect(roles.length).toBeGreaterThan(5);
  expect(roles.filter((id) => !ids.includes(id))).toEqual([]);
});
