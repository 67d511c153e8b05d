import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { bearer, SHOP_PODS, startShop } from '../../support/rbac.ts';
import { ask } from '../../support/sandbox-requests.ts';

const RBAC = 'rbac.authorization.k8s.io';
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, clock: new FakeClock(), seed: 1 });
  const binding = (kind: string, name: string, role: [string, string], subject: object, namespace?: string) => ({
    apiVersion: `${RBAC}/v1`,
    kind,
    metadata: { name, ...(namespace ? { namespace } : {}) },
    subjects: [subject],
    roleRef: { apiGroup: RBAC, kind: role[0], name: role[1] },
  });
  sandbox.apply([
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name: 'one-map', namespace: 'shop' },
      rules: [
        { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['settings'] },
        { verbs: ['list'], apiGroups: [''], resources: ['secrets'], resourceNames: ['key'] },
        { verbs: ['*'], apiGroups: ['apps'], resources: ['*/scale'] },
      ],
    },
    binding(
      'RoleBinding',
      'bot',
      ['Role', 'one-map'],
      { kind: 'ServiceAccount', name: 'bot', namespace: 'shop' },
      'shop',
    ),
    binding('RoleBinding', 'viewers', ['ClusterRole', 'view'], { kind: 'Group', name: 'viewers' }, 'shop'),
    binding('ClusterRoleBinding', 'ed', ['ClusterRole', 'edit'], { kind: 'User', name: 'ed' }),
  ]);
});

afterAll(() => sandbox.stop());

const BOT = { 'impersonate-user': 'system:serviceaccount:shop:bot' };
const VIEWER = { 'impersonate-user': 'vic', 'impersonate-group': 'viewers' };
const ED = { 'impersonate-user': 'ed' };
const SHOP = '/api/v1/namespaces/shop';

it.each<[who: Record<string, string>, method: string, path: string, status: number]>([
  [BOT, 'GET', `${SHOP}/configmaps/settings`, 404],
  [BOT, 'GET', `${SHOP}/configmaps/other`, 403],
  [BOT, 'GET', `${SHOP}/configmaps`, 403],
  [BOT, 'GET', `${SHOP}/configmaps?fieldSelector=metadata.name%3Dother`, 403],
  [BOT, 'GET', '/apis/apps/v1/namespaces/shop/deployments/web/scale', 404],
  [BOT, 'GET', '/apis/apps/v1/namespaces/shop/deployments/web', 403],
  [BOT, 'GET', `${SHOP}/secrets`, 403],
  [BOT, 'GET', `${SHOP}/secrets?fieldSelector=metadata.name%3Dkey`, 200],
  [BOT, 'GET', `${SHOP}/secrets?fieldSelector=metadata.name!%3Dkey`, 403],
  [BOT, 'GET', '/version', 200],
  [VIEWER, 'GET', `${SHOP}/pods`, 200],
  [VIEWER, 'GET', `${SHOP}/pods/a/log`, 501],
  [VIEWER, 'GET', `${SHOP}/secrets`, 403],
  [VIEWER, 'DELETE', `${SHOP}/pods/a`, 403],
  [VIEWER, 'GET', '/api/v1/namespaces/default/pods', 403],
  [ED, 'GET', '/api/v1/pods', 200],
  [ED, 'DELETE', '/api/v1/namespaces/default/secrets/none', 404],
  [ED, 'GET', '/api/v1/nodes', 403],
  [{ 'impersonate-user': 'system:anonymous' }, 'GET', '/version', 200],
  [{ 'impersonate-user': 'system:anonymous' }, 'GET', '/apis', 403],
])('the user %o: %s %s is answered %i', async (who, method, path, status) => {
  expect((await ask(sandbox, method, path, undefined, who)).status).toBe(status);
});

it('an aggregated role has the rules of the roles that it selects, also by expressions', async () => {
  const role = (name: string, more: object, labels = {}) => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name, labels },
    ...more,
  });
  const nodes = { verbs: ['get'], apiGroups: [''], resources: ['nodes'] };
  const clusterRoleSelectors = [{ matchExpressions: [{ key: 'part', operator: 'In', values: ['nodes', 'more'] }] }];
  sandbox.apply([
    role('all', { aggregationRule: { clusterRoleSelectors } }),
    role('some', { rules: [nodes] }, { part: 'nodes' }),
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'all' },
      subjects: [{ kind: 'User', name: 'nat' }],
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'all' },
    },
  ]);
  const get = (who: string) => ask(sandbox, 'GET', '/api/v1/nodes/none', undefined, { 'impersonate-user': who });
  expect([(await get('nat')).status, (await get('pat')).status]).toEqual([404, 403]);
});

describe('with `rbac`', () => {
  it('a user may do by its token what its roles allow, and nothing else', async () => {
    await using shop = await startShop();
    const as = (user: string, groups?: string[]) => bearer(shop.tokenFor({ user, groups }));
    expect((await ask(shop, 'GET', SHOP_PODS, undefined, as('vic'))).status).toBe(200);
    const { status, body } = await ask(shop, 'GET', '/api/v1/namespaces/default/pods', undefined, as('vic'));
    expect([status, body.message]).toEqual([
      403,
      'pods is forbidden: User "vic" cannot list resource "pods" in API group "" in the namespace "default"',
    ]);
    const path = await ask(shop, 'GET', '/metrics', undefined, as('vic'));
    expect([path.status, path.body.message]).toEqual([403, 'forbidden: User "vic" cannot get path "/metrics"']);
    expect((await ask(shop, 'DELETE', `${SHOP_PODS}/none`, undefined, as('kim', ['shopkeepers']))).status).toBe(404);
  });
});
