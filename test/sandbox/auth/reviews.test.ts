import { afterAll, beforeAll, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { bearer, startShop } from '../../support/rbac.ts';
import { ask } from '../../support/sandbox-requests.ts';

const clock = new FakeClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startShop({ clock });
});
afterAll(() => sandbox.stop());

const as = (user: string, groups?: string[]) => bearer(sandbox.tokenFor({ user, groups }));

it('a user learns who it is and what it may do', async () => {
  const who = await ask(sandbox, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, as('vic', ['crew']));
  expect(who.body.status.userInfo).toEqual({ username: 'vic', groups: ['crew', 'system:authenticated'] });
  const asked = { spec: { resourceAttributes: { verb: 'delete', resource: 'pods', namespace: 'shop' } } };
  const may = await ask(
    sandbox,
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    asked,
    as('kim', ['shopkeepers']),
  );
  expect(may.body.status).toEqual({
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "admins/shop" of ClusterRole "admin" to Group "shopkeepers"',
  });
});

it('a review of another user has the reason', async () => {
  const spec = { user: 'vic', resourceAttributes: { namespace: 'shop', verb: 'list', resource: 'pods' } };
  const { status, body } = await ask(sandbox, 'POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
  const reason = 'RBAC: allowed by RoleBinding "viewers/shop" of ClusterRole "view" to User "vic"';
  expect([status, body.status]).toEqual([201, { allowed: true, reason }]);
});

it('without `rbac` every token may do everything, and reviews say so; an impersonated user is still restricted', async () => {
  await using open = await Sandbox.start({ socket: false, clock, seed: 1 });
  const headers = bearer(open.tokenFor({ user: 'vic' }));
  expect((await ask(open, 'GET', '/api/v1/nodes', undefined, headers)).status).toBe(200);
  const asked = { spec: { resourceAttributes: { verb: 'delete', resource: 'nodes' } } };
  const may = await ask(open, 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', asked, headers);
  expect(may.body.status).toEqual({ allowed: true });
  const rules = await ask(
    open,
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    { spec: { namespace: 'a' } },
    headers,
  );
  expect(rules.body.status.resourceRules).toEqual([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
  expect((await ask(open, 'GET', '/api/v1/nodes', undefined, { ...headers, 'impersonate-user': 'vic' })).status).toBe(
    403,
  );
});

it.each([
  ['subjectaccessreviews', { spec: { user: 'vic' } }, 400, 'must specify resourceAttributes or nonResourceAttributes'],
])('refuses a question without a subject: %s', async (resource, body, status, message) => {
  const answer = await ask(sandbox, 'POST', `/apis/authorization.k8s.io/v1/${resource}`, body);
  expect([answer.status, answer.body.message]).toEqual([status, message]);
});

it('a review names the fields that its writer owns, though nothing is stored', async () => {
  const spec = { resourceAttributes: { verb: 'list', resource: 'pods' } };
  const { body } = await ask(sandbox, 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec });
  expect(body.metadata.managedFields).toMatchObject([{ manager: 'tester', operation: 'Update' }]);
});

it('the rules of a user are those of its bindings, on resources and on paths', async () => {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
  const { body } = await ask(sandbox, 'POST', path, { spec: { namespace: 'shop' } }, as('vic'));
  const { resourceRules, nonResourceRules } = body.status as {
    resourceRules: { resources: string[] }[];
    nonResourceRules: object[];
  };
  expect(resourceRules.some(({ resources }) => resources.includes('pods'))).toBe(true);
  expect(resourceRules.some(({ resources }) => resources.includes('secrets'))).toBe(false);
  expect(nonResourceRules).toContainEqual(
    expect.objectContaining({ nonResourceURLs: expect.arrayContaining(['/version']) }),
  );
});

it.each([
  ['for its own audience', undefined, true],
  ['for another audience', ['vault'], undefined],
])('a TokenReview %s says whether the token is valid', async (_for, audiences, authenticated) => {
  const spec = { token: sandbox.tokenFor({ user: 'vic' }), ...(audiences ? { audiences } : {}) };
  const { body } = await ask(sandbox, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec });
  expect(body.status.authenticated).toBe(authenticated);
});

it('the administrator may do everything, and act as any user', async () => {
  const access = await ask(sandbox, 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    spec: { resourceAttributes: { verb: 'list', resource: 'pods' } },
  });
  expect([access.status, access.body.status.allowed]).toEqual([201, true]);
  const who = await ask(
    sandbox,
    'POST',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    {},
    { 'impersonate-user': 'jane', 'impersonate-group': 'dev' },
  );
  expect(who.body.status.userInfo).toEqual({ username: 'jane', groups: ['dev', 'system:authenticated'] });
});
