import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { bearer, clusterRoleOf, SHOP_PODS, startShop } from '../../support/rbac.ts';
import { ask } from '../../support/sandbox-requests.ts';

const clock = new FakeClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startShop({ clock });
});
afterAll(() => sandbox.stop());

const as = (user: string, groups?: string[]) => bearer(sandbox.tokenFor({ user, groups }));

it('a user without the verb impersonate cannot act as another user', async () => {
  const headers = { ...as('vic'), 'impersonate-user': 'kim', 'impersonate-group': 'shopkeepers' };
  const refused = await ask(sandbox, 'GET', SHOP_PODS, undefined, headers);
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'users "kim" is forbidden: User "vic" cannot impersonate resource "users" in API group "" at the cluster scope',
  ]);
  const edit = { ...as('kim', ['shopkeepers']), 'impersonate-user': 'system:serviceaccount:shop:bot' };
  expect((await ask(sandbox, 'GET', SHOP_PODS, undefined, edit)).status).toBe(200);
});

it('the extra attributes of the impersonated user are shown, and need a permission too', async () => {
  const headers = { 'impersonate-user': 'kim', 'impersonate-extra-example.com%2fteam': 'blue, green' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const who = await ask(sandbox, 'POST', path, {}, headers);
  expect(who.body.status.userInfo).toEqual({
    username: 'kim',
    groups: ['system:authenticated'],
    extra: { 'example.com/team': ['blue', 'green'] },
  });
  const rules = [{ verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['kim'] }];
  sandbox.apply(clusterRoleOf('max', rules));
  const plain = await ask(sandbox, 'POST', path, {}, { ...as('max'), 'impersonate-user': 'kim' });
  const more = await ask(sandbox, 'POST', path, {}, { ...as('max'), ...headers });
  expect([plain.status, more.status, more.body.message]).toEqual([
    201,
    403,
    'userextras.authentication.k8s.io "blue" is forbidden: User "max" cannot impersonate resource "userextras/example.com/team" in API group "authentication.k8s.io" at the cluster scope',
  ]);
});

it('a user who may impersonate users and service accounts needs another permission for their groups', async () => {
  sandbox.apply(
    clusterRoleOf('actor', [{ verbs: ['impersonate'], apiGroups: [''], resources: ['users', 'serviceaccounts'] }]),
  );
  const messageFor = async (headers: Record<string, string>) =>
    (await ask(sandbox, 'GET', SHOP_PODS, undefined, { ...as('actor'), ...headers })).body.message;
  const bob = { 'impersonate-user': 'bob' };
  const grouped = await messageFor({ ...bob, 'impersonate-group': 'system:serviceaccounts:kube-system' });
  expect(grouped).toContain('cannot impersonate resource "groups"');
  expect(await messageFor(bob)).toContain('User "bob" cannot list resource "pods"');
  expect(await messageFor({ 'impersonate-user': 'system:serviceaccount:default:sa' })).toContain(
    'cannot list resource "pods"',
  );
});

it.each([
  ['impersonate-uid', '7', 'uids.authentication.k8s.io "7"'],
  ['impersonate-group', 'admins', 'groups "admins"'],
])('the header %s needs a permission of its own', async (header, value, what) => {
  sandbox.apply(clusterRoleOf('actor', [{ verbs: ['impersonate'], apiGroups: [''], resources: ['users'] }]));
  const { body } = await ask(sandbox, 'GET', SHOP_PODS, undefined, {
    ...as('actor'),
    'impersonate-user': 'bob',
    [header]: value,
  });
  expect(body.message).toContain(`${what} is forbidden: User "actor" cannot impersonate`);
});
