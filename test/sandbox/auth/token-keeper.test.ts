import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, type Loose } from '../../support/sandbox-requests.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/namespaces/shop/roles`;
const BINDINGS = `${RBAC}/namespaces/shop/rolebindings`;
const PODS = '/api/v1/namespaces/shop/pods';
const clock = new FakeClock();
let sandbox: Sandbox;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const as = (user: string, groups?: string[]) => bearer(sandbox.tokenFor({ user, groups }));
const meta = (name: string) => ({ name, namespace: 'shop' });

function role(name: string, ...rules: object[]) {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: meta(name), rules };
}

function binding(name: string, [kind, of]: [kind: string, name: string], ...subjects: object[]) {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: of };
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: meta(name), subjects, roleRef };
}

beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1, rbac: true });
  sandbox.apply([
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta('bot') },
    binding('viewers', ['ClusterRole', 'view'], { kind: 'User', name: 'vic' }, { kind: 'ServiceAccount', name: 'bot', namespace: 'shop' }),
    binding('admins', ['ClusterRole', 'admin'], { kind: 'Group', name: 'shopkeepers' }),
  ]);
});

afterAll(() => sandbox.stop());

const POD_READER = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const NODE_KEEPER = { verbs: ['get', 'delete'], apiGroups: [''], resources: ['nodes'] };

describe('with RBAC by token', () => {
  it('lets everybody do what their roles allow, and nothing else', async () => {
    expect((await ask(sandbox, 'GET', PODS, undefined, as('vic'))).status).toBe(200);
    const { status, body } = await ask(sandbox, 'GET', '/api/v1/namespaces/default/pods', undefined, as('vic'));
    expect([status, body.message]).toEqual([
      403,
      'pods is forbidden: User "vic" cannot list resource "pods" in API group "" in the namespace "default"',
    ]);
    const path = await ask(sandbox, 'GET', '/metrics', undefined, as('vic'));
    expect([path.status, path.body.message]).toEqual([403, 'forbidden: User "vic" cannot get path "/metrics"']);
    expect((await ask(sandbox, 'DELETE', `${PODS}/none`, undefined, as('kim', ['shopkeepers']))).status).toBe(404);
  });

  it('tells everybody who they are and what they may do', async () => {
    const who = await ask(sandbox, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, as('vic', ['crew']));
    expect(who.body.status.userInfo).toEqual({ username: 'vic', groups: ['crew', 'system:authenticated'] });
    const asked = { spec: { resourceAttributes: { verb: 'delete', resource: 'pods', namespace: 'shop' } } };
    const may = await ask(sandbox, 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', asked, as('kim', ['shopkeepers']));
    expect(may.body.status).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "admins/shop" of ClusterRole "admin" to Group "shopkeepers"',
    });
  });

  it('gives a service account a token that acts as it, until it expires', async () => {
    const path = '/api/v1/namespaces/shop/serviceaccounts/bot/token';
    const asked = await ask(sandbox, 'POST', path, { spec: { expirationSeconds: 600 } });
    expect([asked.status, asked.body.kind, asked.body.spec.expirationSeconds]).toEqual([201, 'TokenRequest', 600]);
    const token = String(asked.body.status.token);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
    expect(claims).toMatchObject({ sub: 'system:serviceaccount:shop:bot', 'kubernetes.io': { namespace: 'shop' } });
    expect((await ask(sandbox, 'GET', PODS, undefined, bearer(token))).status).toBe(200);
    expect((await ask(sandbox, 'DELETE', `${PODS}/a`, undefined, bearer(token))).status).toBe(403);
    const review = await ask(sandbox, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
    expect(review.body.status).toMatchObject({ authenticated: true, user: { username: 'system:serviceaccount:shop:bot' } });
    await clock.advance(601_000);
    expect((await ask(sandbox, 'GET', PODS, undefined, bearer(token))).status).toBe(401);
    const late = await ask(sandbox, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
    expect(late.body.status).toEqual({ user: {}, error: 'invalid bearer token' });
  });

  it('takes the token of an account no more that is gone, even when there is a new one of that name', async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta('gone') };
    sandbox.apply([account, binding('gone', ['ClusterRole', 'view'], { kind: 'ServiceAccount', name: 'gone', namespace: 'shop' })]);
    const { body } = await ask(sandbox, 'POST', '/api/v1/namespaces/shop/serviceaccounts/gone/token', {});
    const headers = bearer(String(body.status.token));
    expect((await ask(sandbox, 'GET', PODS, undefined, headers)).status).toBe(200);
    sandbox.delete(account, 'shop/gone');
    sandbox.apply(account);
    expect((await ask(sandbox, 'GET', PODS, undefined, headers)).status).toBe(401);
  });

  it.each([
    ['a token for a minute', { spec: { expirationSeconds: 60 } }, 422, 'may not specify a duration less than 10 minutes'],
    ['a token bound to a pod', { spec: { boundObjectRef: { kind: 'Pod', name: 'p' } } }, 501, 'tokens that are bound to an object'],
  ])('refuses %s', async (_what, request, status, text) => {
    const answer = await ask(sandbox, 'POST', '/api/v1/namespaces/shop/serviceaccounts/bot/token', request);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(text)]);
  });

  it('lets only those act as others who may', async () => {
    const headers = { ...as('vic'), 'impersonate-user': 'kim', 'impersonate-group': 'shopkeepers' };
    const refused = await ask(sandbox, 'GET', PODS, undefined, headers);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'users "kim" is forbidden: User "vic" cannot impersonate resource "users" in API group "" at the cluster scope',
    ]);
    const edit = { ...as('kim', ['shopkeepers']), 'impersonate-user': 'system:serviceaccount:shop:bot' };
    expect((await ask(sandbox, 'GET', PODS, undefined, edit)).status).toBe(200);
  });

  it('knows what else is said of who is impersonated, and asks whether that may be said', async () => {
    const headers = { 'impersonate-user': 'kim', 'impersonate-extra-example.com%2fteam': 'blue, green' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const who = await ask(sandbox, 'POST', path, {}, headers);
    expect(who.body.status.userInfo).toEqual({
      username: 'kim',
      groups: ['system:authenticated'],
      extra: { 'example.com/team': ['blue', 'green'] },
    });
    const rules = [{ verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['kim'] }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'as-kim' };
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    sandbox.apply([
      { apiVersion, kind: 'ClusterRole', metadata: { name: 'as-kim' }, rules },
      { apiVersion, kind: 'ClusterRoleBinding', metadata: { name: 'as-kim' }, subjects: [{ kind: 'User', name: 'max' }], roleRef },
    ]);
    const plain = await ask(sandbox, 'POST', path, {}, { ...as('max'), 'impersonate-user': 'kim' });
    const more = await ask(sandbox, 'POST', path, {}, { ...as('max'), ...headers });
    expect([plain.status, more.status, more.body.message]).toEqual([
      201,
      403,
      'userextras.authentication.k8s.io "blue" is forbidden: User "max" cannot impersonate resource "userextras/example.com/team" in API group "authentication.k8s.io" at the cluster scope',
    ]);
  });

  it('takes nobody for the administrator whom it does not know', async () => {
    expect((await ask(sandbox, 'GET', PODS, undefined, bearer('nonsense'))).status).toBe(401);
  });
});

describe('whoever comes through a socket without a token', () => {
  const statuses = async (rbac: boolean) => {
    await using open = await Sandbox.start({ tls: false, rbac });
    const answers = await Promise.all(['/version', '/api/v1/pods'].map((p) => fetch(open.url + p)));
    return Promise.all(answers.map(async (a) => [a.status, ((await a.json()) as { message?: string }).message]));
  };

  it('is system:anonymous with RBAC, and nobody without', async () => {
    expect(await statuses(true)).toEqual([
      [200, undefined],
      [403, 'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope'],
    ]);
    expect(await statuses(false)).toEqual([
      [401, 'Unauthorized'],
      [401, 'Unauthorized'],
    ]);
  });
});

describe('whoever writes roles', () => {
  const kim = () => as('kim', ['shopkeepers']);
  const texts = (body: Loose) => body.message;

  it('gives away what it has', async () => {
    expect((await ask(sandbox, 'POST', ROLES, role('reader', POD_READER), kim())).status).toBe(201);
    expect((await ask(sandbox, 'POST', BINDINGS, binding('reads', ['Role', 'reader'], { kind: 'User', name: 'pat' }), kim())).status).toBe(
      201,
    );
    expect((await ask(sandbox, 'GET', PODS, undefined, as('pat'))).status).toBe(200);
  });

  it('cannot give away more, and nothing is written', async () => {
    const { status, body } = await ask(sandbox, 'POST', ROLES, role('nodes', POD_READER, NODE_KEEPER), kim());
    expect([status, texts(body)]).toEqual([
      403,
      'roles.rbac.authorization.k8s.io "nodes" is forbidden: user "kim" (groups=["shopkeepers" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["nodes"], Verbs:["get" "delete"]}',
    ]);
    expect((await ask(sandbox, 'GET', `${ROLES}/nodes`)).status).toBe(404);
    const wider = await ask(sandbox, 'PATCH', `${ROLES}/reader`, { rules: [POD_READER, NODE_KEEPER] }, kim());
    expect(wider.status).toBe(403);
    const bound = binding('root', ['ClusterRole', 'cluster-admin'], { kind: 'User', name: 'kim' });
    expect((await ask(sandbox, 'POST', BINDINGS, bound, kim())).status).toBe(403);
  });

  it('may change what gives nobody more', async () => {
    sandbox.apply(role('keeper', NODE_KEEPER));
    expect((await ask(sandbox, 'PATCH', `${ROLES}/keeper`, { metadata: { labels: { a: 'b' } } }, kim())).status).toBe(200);
  });

  it('may do all that with escalate and bind', async () => {
    const rules = [{ verbs: ['*'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'] }];
    const bind = { verbs: ['bind'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'] };
    sandbox.apply([role('granter', ...rules, bind), binding('granters', ['Role', 'granter'], { kind: 'User', name: 'gil' })]);
    expect((await ask(sandbox, 'POST', ROLES, role('free', NODE_KEEPER), as('gil'))).status).toBe(201);
    const bound = binding('free', ['ClusterRole', 'cluster-admin'], { kind: 'User', name: 'gil' });
    expect((await ask(sandbox, 'POST', BINDINGS, bound, as('gil'))).status).toBe(201);
  });
});

describe('without RBAC by token', () => {
  it('lets every token do everything, and says so', async () => {
    await using open = await Sandbox.start({ socket: false, clock, seed: 1 });
    const headers = bearer(open.tokenFor({ user: 'vic' }));
    expect((await ask(open, 'GET', '/api/v1/nodes', undefined, headers)).status).toBe(200);
    const asked = { spec: { resourceAttributes: { verb: 'delete', resource: 'nodes' } } };
    const may = await ask(open, 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', asked, headers);
    expect(may.body.status).toEqual({ allowed: true });
    const rules = await ask(open, 'POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'a' } }, headers);
    expect(rules.body.status.resourceRules).toEqual([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
    expect((await ask(open, 'GET', '/api/v1/nodes', undefined, { ...headers, 'impersonate-user': 'vic' })).status).toBe(403);
  });
});
