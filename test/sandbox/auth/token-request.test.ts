import { afterAll, beforeAll, expect, it } from 'vitest';
import { ISSUER } from '../../../src/sandbox/auth/token-keeper.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { bearer, binding, inShop, SHOP_PODS, startShop } from '../../support/rbac.ts';
import { ask } from '../../support/sandbox-requests.ts';

const clock = new FakeClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startShop({ clock });
});
afterAll(() => sandbox.stop());

it('the token acts as the service account until it expires', async () => {
  const path = '/api/v1/namespaces/shop/serviceaccounts/bot/token';
  const asked = await ask(sandbox, 'POST', path, { spec: { expirationSeconds: 600 } });
  expect([asked.status, asked.body.kind, asked.body.spec.expirationSeconds]).toEqual([201, 'TokenRequest', 600]);
  const token = String(asked.body.status.token);
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
  expect(claims).toMatchObject({ sub: 'system:serviceaccount:shop:bot', 'kubernetes.io': { namespace: 'shop' } });
  expect((await ask(sandbox, 'GET', SHOP_PODS, undefined, bearer(token))).status).toBe(200);
  expect((await ask(sandbox, 'DELETE', `${SHOP_PODS}/a`, undefined, bearer(token))).status).toBe(403);
  const review = await ask(sandbox, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
  expect(review.body.status).toMatchObject({
    authenticated: true,
    user: { username: 'system:serviceaccount:shop:bot' },
  });
  await clock.advance(601_000);
  expect((await ask(sandbox, 'GET', SHOP_PODS, undefined, bearer(token))).status).toBe(401);
  const late = await ask(sandbox, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
  expect(late.body.status).toEqual({ user: {}, error: 'invalid bearer token' });
});

it('the token of a deleted account is not accepted, not even when a new account has the same name', async () => {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: inShop('former') };
  sandbox.apply([
    account,
    binding('former', ['ClusterRole', 'view'], { kind: 'ServiceAccount', name: 'former', namespace: 'shop' }),
  ]);
  const { body } = await ask(sandbox, 'POST', '/api/v1/namespaces/shop/serviceaccounts/former/token', {});
  const headers = bearer(String(body.status.token));
  expect((await ask(sandbox, 'GET', SHOP_PODS, undefined, headers)).status).toBe(200);
  sandbox.delete(account, 'shop/former');
  sandbox.apply(account);
  expect((await ask(sandbox, 'GET', SHOP_PODS, undefined, headers)).status).toBe(401);
});

it.each([
  ['a token for a minute', { spec: { expirationSeconds: 60 } }, 422, 'may not specify a duration less than 10 minutes'],
  [
    'a token bound to a pod',
    { spec: { boundObjectRef: { kind: 'Pod', name: 'p' } } },
    501,
    'tokens that are bound to an object',
  ],
])('refuses %s', async (_what, request, status, text) => {
  const answer = await ask(sandbox, 'POST', '/api/v1/namespaces/shop/serviceaccounts/bot/token', request);
  expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(text)]);
});

it.each([
  [undefined, 201],
  [['vault'], 401],
  [['vault', ISSUER], 201],
])('a token for the audiences %j is answered %i by this server', async (audiences, status) => {
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences } };
  const { body } = await ask(sandbox, 'POST', '/api/v1/namespaces/shop/serviceaccounts/bot/token', asked);
  const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  expect((await ask(sandbox, 'POST', review, {}, bearer(String(body.status.token)))).status).toBe(status);
  expect(body.spec.audiences).toEqual(audiences ?? [ISSUER]);
});

it('a token is requested for an account that exists, else the answer is 404', async () => {
  expect((await ask(sandbox, 'POST', '/api/v1/namespaces/shop/serviceaccounts/none/token', {})).status).toBe(404);
});
