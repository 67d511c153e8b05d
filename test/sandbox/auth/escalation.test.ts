import { afterAll, beforeAll, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask } from '../../support/sandbox-requests.ts';

const RBAC = 'rbac.authorization.k8s.io';
const CORE = '/api/v1/namespaces/default';
const ROLES = `/apis/${RBAC}/v1/clusterroles`;
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, clock: new FakeClock(), seed: 1, rbac: true });
  const role = (name: string, rules: object[]) => [
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      subjects: [{ kind: 'User', name }],
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    },
  ];
  sandbox.apply([
    ...role('patcher', [
      { verbs: ['get', 'patch', 'update'], apiGroups: [''], resources: ['configmaps', 'services'] },
      { verbs: ['get', 'patch', 'update'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] },
    ]),
    ...role('keeper', [{ verbs: ['get', 'patch'], apiGroups: [RBAC], resources: ['clusterroles'], resourceNames: ['keeper'] }]),
    ...role('actor', [{ verbs: ['impersonate'], apiGroups: [''], resources: ['users', 'serviceaccounts'] }]),
  ]);
});
afterAll(() => sandbox.stop());

const as = (user: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  ask(sandbox, method, path, body, { authorization: `Bearer ${sandbox.tokenFor({ user })}`, ...headers });

it('who may change but not create makes nothing new by an apply or a PUT', async () => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } };
  const applied = await as('patcher', 'PATCH', `${CORE}/configmaps/new?fieldManager=m`, map, APPLY);
  expect([applied.status, applied.body.message]).toEqual([
    403,
    'configmaps "new" is forbidden: User "patcher" cannot create resource "configmaps" in API group "" in the namespace "default"',
  ]);
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  expect((await as('patcher', 'PUT', `${leases}/l`, { metadata: { name: 'l' } })).status).toBe(403);
  sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'old', namespace: 'default' } });
  expect((await as('patcher', 'PATCH', `${CORE}/configmaps/old?fieldManager=m`, map, APPLY)).status).toBe(200);
});

it('who may do little gathers no rights by a role that gathers those of others', async () => {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } }] };
  const changed = await as('keeper', 'PATCH', `${ROLES}/keeper`, { aggregationRule });
  expect([changed.status, changed.body.reason]).toEqual([403, 'Forbidden']);
  expect(changed.body.message).toContain('must have cluster-admin privileges to use the aggregationRule');
  expect((await as('keeper', 'PATCH', `${ROLES}/keeper`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
});

it('who may act as a user gets into the groups of service accounts no more than into others', async () => {
  const path = `${CORE}/configmaps`;
  const bob = { 'impersonate-user': 'bob' };
  const grouped = await as('actor', 'GET', path, undefined, { ...bob, 'impersonate-group': 'system:serviceaccounts:kube-system' });
  expect(grouped.body.message).toContain('cannot impersonate resource "groups"');
  expect((await as('actor', 'GET', path, undefined, bob)).body.message).toContain('User "bob" cannot list resource "configmaps"');
  const account = { 'impersonate-user': 'system:serviceaccount:default:sa' };
  expect((await as('actor', 'GET', path, undefined, account)).body.message).toContain('cannot list resource "configmaps"');
});

it('a token made for another audience opens nothing here', async () => {
  sandbox.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace: 'default' } });
  const tokenFor = async (spec: object) => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    return String((await ask(sandbox, 'POST', `${CORE}/serviceaccounts/robot/token`, body)).body.status.token);
  };
  const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const ask1 = async (token: string) =>
    (await ask(sandbox, 'POST', review, { kind: 'SelfSubjectReview' }, { authorization: `Bearer ${token}` })).status;
  expect(await ask1(await tokenFor({}))).toBe(201);
  expect(await ask1(await tokenFor({ audiences: ['vault'] }))).toBe(401);
  expect(await ask1(await tokenFor({ audiences: ['vault', 'https://kubernetes.default.svc.cluster.local'] }))).toBe(201);
});
