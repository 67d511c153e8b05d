import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { bearer, binding, role, SHOP_BINDINGS, SHOP_PODS, SHOP_ROLES, startShop } from '../../support/rbac.ts';
import { ask } from '../../support/sandbox-requests.ts';

const RBAC = 'rbac.authorization.k8s.io';
const CORE = '/api/v1/namespaces/default';
const ROLES = `/apis/${RBAC}/v1/clusterroles`;
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, clock: new FakeClock(), seed: 1, rbac: true });
  const clusterRole = (name: string, rules: object[]) => [
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
    ...clusterRole('patcher', [
      { verbs: ['get', 'patch', 'update'], apiGroups: [''], resources: ['configmaps', 'services'] },
      { verbs: ['get', 'patch', 'update'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] },
    ]),
    ...clusterRole('keeper', [
      { verbs: ['get', 'patch'], apiGroups: [RBAC], resources: ['clusterroles'], resourceNames: ['keeper'] },
    ]),
  ]);
});
afterAll(() => sandbox.stop());

const as = (user: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  ask(sandbox, method, path, body, { authorization: `Bearer ${sandbox.tokenFor({ user })}`, ...headers });

it('a user who may change objects but not create them creates none by an apply or a PUT', async () => {
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

it('a user cannot make its role aggregate the rules of others', async () => {
  const aggregationRule = {
    clusterRoleSelectors: [{ matchLabels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } }],
  };
  const changed = await as('keeper', 'PATCH', `${ROLES}/keeper`, { aggregationRule });
  expect([changed.status, changed.body.reason]).toEqual([403, 'Forbidden']);
  expect(changed.body.message).toContain('must have cluster-admin privileges to use the aggregationRule');
  expect((await as('keeper', 'PATCH', `${ROLES}/keeper`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
});

const POD_READER = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const NODE_KEEPER = { verbs: ['get', 'delete'], apiGroups: [''], resources: ['nodes'] };

describe('a user who writes roles', () => {
  let shop: Sandbox;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop.stop());

  const shopUser = (user: string, groups?: string[]) => bearer(shop.tokenFor({ user, groups }));
  const kim = () => shopUser('kim', ['shopkeepers']);

  it('can grant what it has', async () => {
    expect((await ask(shop, 'POST', SHOP_ROLES, role('reader', POD_READER), kim())).status).toBe(201);
    expect(
      (
        await ask(
          shop,
          'POST',
          SHOP_BINDINGS,
          binding('reads', ['Role', 'reader'], { kind: 'User', name: 'pat' }),
          kim(),
        )
      ).status,
    ).toBe(201);
    expect((await ask(shop, 'GET', SHOP_PODS, undefined, shopUser('pat'))).status).toBe(200);
  });

  it('cannot grant more, and nothing is written', async () => {
    const { status, body } = await ask(shop, 'POST', SHOP_ROLES, role('nodes', POD_READER, NODE_KEEPER), kim());
    expect([status, body.message]).toEqual([
      403,
      'roles.rbac.authorization.k8s.io "nodes" is forbidden: user "kim" (groups=["shopkeepers" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["nodes"], Verbs:["get" "delete"]}',
    ]);
    expect((await ask(shop, 'GET', `${SHOP_ROLES}/nodes`)).status).toBe(404);
    const wider = await ask(shop, 'PATCH', `${SHOP_ROLES}/reader`, { rules: [POD_READER, NODE_KEEPER] }, kim());
    expect(wider.status).toBe(403);
    const bound = binding('root', ['ClusterRole', 'cluster-admin'], { kind: 'User', name: 'kim' });
    expect((await ask(shop, 'POST', SHOP_BINDINGS, bound, kim())).status).toBe(403);
  });

  it('can change what grants no more', async () => {
    shop.apply(role('keeper', NODE_KEEPER));
    expect((await ask(shop, 'PATCH', `${SHOP_ROLES}/keeper`, { metadata: { labels: { a: 'b' } } }, kim())).status).toBe(
      200,
    );
  });

  it('can write a role that it does not have the rules of back, with the fields of its rules in another order', async () => {
    shop.apply(role('keeper', NODE_KEEPER));
    const { body } = await ask(shop, 'GET', `${SHOP_ROLES}/keeper`);
    const { verbs, apiGroups, resources } = NODE_KEEPER;
    const reordered = {
      ...body,
      metadata: { ...body.metadata, labels: { c: 'd' } },
      rules: [{ resources, apiGroups, verbs }],
    };
    expect((await ask(shop, 'PUT', `${SHOP_ROLES}/keeper`, reordered, kim())).status).toBe(200);
  });

  it('can grant everything with the verbs escalate and bind', async () => {
    const rules = [{ verbs: ['*'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'] }];
    const bind = { verbs: ['bind'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'] };
    shop.apply([
      role('granter', ...rules, bind),
      binding('granters', ['Role', 'granter'], { kind: 'User', name: 'gil' }),
    ]);
    expect((await ask(shop, 'POST', SHOP_ROLES, role('free', NODE_KEEPER), shopUser('gil'))).status).toBe(201);
    const bound = binding('free', ['ClusterRole', 'cluster-admin'], { kind: 'User', name: 'gil' });
    expect((await ask(shop, 'POST', SHOP_BINDINGS, bound, shopUser('gil'))).status).toBe(201);
  });
});
